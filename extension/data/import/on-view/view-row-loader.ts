// Loads rows that belong to a page view: clicks and events. Their session and page are those of the view, which is given by
// its id, or found by the visit or the visitor.
import { conversionUpdater } from '../../storage/goals/conversions';
import { copyRows, isDuplicate } from '../copy-rows';
import { type DimensionIds, openDimensions } from '../dimensions';
import { fileRows } from '../file-rows';
import { countingFingerprinter, fingerprinter, fingerprintText } from '../fingerprint';
import { openGivenIds } from '../given-ids';
import type { LateRejection, MaterialLoader } from '../loader';
import { type LoaderContext, lastId } from '../loader-context';
import type { RowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { storedFingerprints } from '../stored-keys';
import { storedRows } from '../stored-rows';
import { loadTableLayout, type TableLayout } from '../table-layout';
import { FROM_VIEW, namedFields, viewFiller } from './fill-in-views';
import { waitingKeeper } from './waiting-rows';

export interface ViewRows {
  readonly table: 'click' | 'event';
  /** Field of the row's own number. */
  readonly rowId: string;
  /** Tables that change with it, itself included. */
  readonly tables: readonly string[];
  readonly fallbacks?: ReadonlyMap<string, number>;
  /** Field that holds the seconds from the start of the view; its time then follows from them. */
  readonly secondsField?: string;
  /** What identifies a row besides its view, or its visit or visitor, and its time. */
  readonly identity: readonly string[];
  readonly identityWords: string;
  /** Runs when all rows are written; the numbers of new ones begin at `firstId`. `hasOthers`: some rows wait or were rejected. */
  finish(firstId: number, hasOthers: boolean): Promise<void>;
}

const IDENTITY = ['pv_id', 'found_session_id', 'found_reader_id', 'at'];

export interface ViewRowLoader extends MaterialLoader {
  readonly layout: TableLayout;
  readonly dimensions: ReadonlyMap<string, DimensionIds>;
  readonly table: 'click' | 'event';
  readonly rowId: string;
}

/** Opens the loader of such rows for one import. */
export async function viewRowLoader(context: LoaderContext, about: ViewRows): Promise<ViewRowLoader> {
  const { client, siteId, limits } = context;
  const { table, rowId, fallbacks, secondsField, identityWords: identity } = about;
  const layout = await loadTableLayout(client, table, {
    ...(fallbacks && { fallbacks }),
    besides: ['reader_id'],
  });
  const dimensions = openDimensions(context);
  const ids = openGivenIds(context, ['pv_id', 'session_id', 'reader_id']);
  const checker = rowChecker({ ...context, layout, dimensions, ids });
  const openFingerprint = () =>
    countingFingerprinter(
      fingerprinter(layout, [...IDENTITY, ...about.identity], context.sourceName),
      limits.rowHashes,
    );
  let fingerprint = openFingerprint();
  const conversions = await conversionUpdater(client, siteId, [table]);
  const files = await fileRows(context, table);
  const ignored = new Set([...FROM_VIEW, rowId, secondsField ?? '']);
  const openKeeper = () => waitingKeeper(context, { layout, dimensions, rowId });
  let keepWaiting = openKeeper();
  const stored = await storedRows(context, { layout, rowId, identity, ignored, files });
  const firstId = (await lastId(context, table, rowId)) + 1;
  let nextId = firstId;
  let mayBeStored = false;
  let hasOthers = false;
  const totals = { updated: 0, kept: 0, unchanged: 0, waiting: 0 };

  const fillIn = viewFiller(context, {
    ...{ layout, secondsField, fallbacks },
    fingerprint: (batch, row) => fingerprint(batch, row),
  });
  const { get, set } = namedFields(layout);

  const copyNew = async (batch: RowBatch, rows: Uint32Array): Promise<void> => {
    let id = nextId;
    for (const row of rows) {
      set(batch, row, { [rowId]: id });
      id += 1;
    }
    await copyRows(client, layout, batch, rows);
    nextId = id;
    await files.note(
      Array.from(rows, (row) => get(batch, row, rowId)),
      Array.from(rows, (row) => batch.lines[row] ?? 0),
      true,
    );
  };

  /** Most files are new as a whole: the database is not asked before the first duplicate. */
  const copyUnasked = async (batch: RowBatch, rows: Uint32Array): Promise<boolean> => {
    await client.query('SAVEPOINT batch');
    try {
      await copyNew(batch, rows);
      await client.query('RELEASE SAVEPOINT batch');
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      await client.query('ROLLBACK TO SAVEPOINT batch');
      return false;
    }
  };

  const copyAsked = async (
    batch: RowBatch,
    rows: Uint32Array,
    rejections: LateRejection[],
  ): Promise<void> => {
    const prints = Array.from(rows, (row) => fingerprintText(batch, row));
    const numbers = await storedFingerprints(context, table, rowId, prints);
    const isStored = (place: number): boolean => numbers.has(prints[place] ?? '');
    const again = rows.filter((_, place) => isStored(place));
    const fresh = rows.filter((_, place) => !isStored(place));
    for (const row of again) set(batch, row, { [rowId]: numbers.get(fingerprintText(batch, row)) ?? 0 });
    const met = await stored.meet(batch, again);
    rejections.push(...met.rejections);
    totals.updated += met.updated;
    totals.kept += met.kept;
    totals.unchanged += met.unchanged;
    await copyNew(batch, fresh);
  };

  return {
    checker,
    rejectsLate: true,
    async write(batch) {
      await checker.settleIds(client, batch);
      const { found: rows, early, rejections } = await fillIn(batch);
      if (early.length > 0) {
        const waiting = await keepWaiting(batch, early);
        totals.waiting += waiting.added;
        totals.unchanged += waiting.again;
      }
      hasOthers ||= early.length + rejections.length > 0;
      if (mayBeStored || !(await copyUnasked(batch, rows))) {
        mayBeStored = true;
        await copyAsked(batch, rows, rejections);
      }
      return rejections.sort((a, b) => a.row - b.row);
    },
    async nextFile() {
      fingerprint = openFingerprint();
      keepWaiting = openKeeper();
      await files.nextFile();
    },
    async finish() {
      const added = nextId - firstId;
      await about.finish(firstId, hasOthers);
      if (added > 0) {
        if (firstId === 1) conversions.addAll();
        await conversions.addFound(
          `SELECT DISTINCT session_id FROM analytics.${table} WHERE site_id = $1 AND ${rowId} >= $2`,
          [siteId, firstId],
        );
        await conversions.update();
      }
      return { added, ...totals };
    },
    tables: about.tables,
    layout,
    dimensions,
    table,
    rowId,
  };
}
