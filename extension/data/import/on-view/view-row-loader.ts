// Loads rows that belong to a page view: clicks and events. Their session and page are those of the view, which is given by
// its id, or found by the visit or the visitor.
import { conversionUpdater } from '../../storage/goals/conversions';
import { copyRows, isDuplicate } from '../copy-rows';
import { openDimensions } from '../dimensions';
import { fileRows } from '../file-rows';
import { countingFingerprinter, fingerprinter, fingerprintText } from '../fingerprint';
import { openGivenIds } from '../given-ids';
import { BadValue } from '../import-error';
import type { LateRejection, MaterialLoader } from '../loader';
import { type LoaderContext, lastId } from '../loader-context';
import { newPlaces, type RowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { storedFingerprints } from '../stored-keys';
import { storedRows } from '../stored-rows';
import { loadTableLayout } from '../table-layout';
import { fileId, findViews, type Seeker, type StoredView, seekingFault, seekViews } from './find-views';

interface ViewRows {
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
  /** Runs when all rows are written; the numbers of new ones begin at `firstId`. */
  finish?(firstId: number): Promise<void>;
}

/** What a row has from its view, or from the importer. */
const FROM_VIEW = ['view_at', 'session_id', 'page_id', 'site_id', 'fingerprint'];
const IDENTITY = ['pv_id', 'found_session_id', 'found_reader_id', 'at'];

/** Opens the loader of such rows for one import. */
export async function viewRowLoader(context: LoaderContext, about: ViewRows): Promise<MaterialLoader> {
  const { client, siteId, limits } = context;
  const { table, rowId, fallbacks, secondsField, identityWords: identity } = about;
  const layout = await loadTableLayout(client, table, {
    ...(fallbacks && { fallbacks }),
    besides: ['reader_id'],
  });
  const dimensions = openDimensions(context);
  const ids = openGivenIds(context, ['pv_id', 'session_id', 'reader_id']);
  const checker = rowChecker({ ...context, layout, dimensions, ids });
  const { width } = checker.shape;
  const openFingerprint = () =>
    countingFingerprinter(
      fingerprinter(layout, [...IDENTITY, ...about.identity], context.sourceName),
      limits.rowHashes,
    );
  let fingerprint = openFingerprint();
  const conversions = await conversionUpdater(client, siteId, [table]);
  const files = await fileRows(context, table);
  const ignored = new Set([
    ...FROM_VIEW,
    rowId,
    'pv_id',
    'at',
    'found_session_id',
    'found_reader_id',
    secondsField ?? '',
  ]);
  const stored = await storedRows(context, { layout, rowId, identity, ignored, files });
  const firstId = (await lastId(context, table, rowId)) + 1;
  let nextId = firstId;
  let mayBeStored = false;
  const totals = { updated: 0, kept: 0, unchanged: 0 };

  const get = (batch: RowBatch, row: number, name: string): number =>
    batch.values[row * width + layout.fieldOf(name)] ?? Number.NaN;

  const set = (batch: RowBatch, row: number, values: Readonly<Record<string, number>>): void => {
    for (const [name, value] of Object.entries(values))
      batch.values[row * width + layout.fieldOf(name)] = value;
  };

  const known = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

  const seekersOf = (batch: RowBatch, rows: Uint32Array): readonly Seeker[] =>
    [...rows]
      .filter((row) => Number.isNaN(get(batch, row, 'pv_id')))
      .map((row) => {
        const sessionId = known(get(batch, row, 'session_id'));
        const readerId = sessionId === undefined ? known(get(batch, row, 'reader_id')) : undefined;
        return { row, sessionId, readerId, at: get(batch, row, 'at') };
      });

  /** What speaks against a row with this view. */
  const viewFault = (batch: RowBatch, row: number, view: StoredView): BadValue | undefined => {
    const session = known(get(batch, row, 'session_id'));
    if (session !== undefined && session !== view.sessionId)
      return new BadValue('session_id', fileId(session), `is not the visit of page view ${view.pvId}`);
    if (secondsField === undefined) return undefined;
    const at = known(get(batch, row, 'at'));
    const seconds = known(get(batch, row, secondsField));
    if (at === undefined && seconds === undefined)
      return new BadValue(secondsField, undefined, 'is required, or access_time');
    if (at !== undefined && at < view.at)
      return new BadValue('access_time', at, `is before the start of page view ${view.pvId}`);
    return undefined;
  };

  /** Identifies a row, and fills in what its view tells. */
  const complete = (batch: RowBatch, row: number, view: StoredView, seeker: Seeker | undefined): void => {
    const given = get(batch, row, 'at');
    const seconds = secondsField === undefined ? Number.NaN : get(batch, row, secondsField);
    const elapsed = Number.isNaN(given) ? seconds : given - view.at;
    for (const [name, fallback] of fallbacks ?? [])
      if (Number.isNaN(get(batch, row, name))) set(batch, row, { [name]: fallback });
    if (secondsField !== undefined)
      set(batch, row, seeker ? { [secondsField]: Number.NaN } : { at: Number.NaN, [secondsField]: elapsed });
    set(batch, row, {
      found_session_id: seeker?.sessionId ?? Number.NaN,
      found_reader_id: seeker?.readerId ?? Number.NaN,
    });
    fingerprint(batch, row);
    set(batch, row, {
      at: Number.isNaN(given) ? view.at + elapsed : given,
      ...(secondsField === undefined ? {} : { [secondsField]: elapsed }),
      ...{ pv_id: view.pvId, view_at: view.at, session_id: view.sessionId, page_id: view.pageId },
      ...{ site_id: siteId, fingerprint: 1 },
    });
  };

  /** Gives every row its view. Rows without one are rejected. */
  const fillIn = async (batch: RowBatch, rejections: LateRejection[]): Promise<Uint32Array> => {
    const rows = newPlaces(batch);
    const seekers = new Map(seekersOf(batch, rows).map((seeker) => [seeker.row, seeker]));
    const given = rows.filter((row) => !seekers.has(row));
    const views = await findViews(
      client,
      siteId,
      Float64Array.from(given, (row) => get(batch, row, 'pv_id')),
    );
    const able = [...seekers.values()].filter(({ at }) => !Number.isNaN(at));
    const sought = await seekViews(client, siteId, able);
    return rows.filter((row) => {
      const seeker = seekers.get(row);
      const pvId = get(batch, row, 'pv_id');
      const view = seeker === undefined ? views.get(pvId) : sought.get(row);
      const missing = seeker
        ? seekingFault(seeker)
        : new BadValue('pv_id', fileId(pvId), 'is no page view of this site');
      const fault = view === undefined ? missing : viewFault(batch, row, view);
      if (fault !== undefined) rejections.push({ row, fault });
      if (view === undefined || fault !== undefined) return false;
      complete(batch, row, view, seeker);
      return true;
    });
  };

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
      const rejections: LateRejection[] = [];
      await checker.settleIds(client, batch);
      const rows = await fillIn(batch, rejections);
      if (mayBeStored || !(await copyUnasked(batch, rows))) {
        mayBeStored = true;
        await copyAsked(batch, rows, rejections);
      }
      return rejections.sort((a, b) => a.row - b.row);
    },
    async nextFile() {
      fingerprint = openFingerprint();
      await files.nextFile();
    },
    async finish() {
      const added = nextId - firstId;
      await about.finish?.(firstId);
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
  };
}
