// Loads rows that belong to a page view: clicks and events. Their session and page are those of the view, which is given by
// its id, or found by the visit or the visitor.

import { placesOf, type RowBatch } from '../../rows/row-batch';
import { loadTableLayout, type TableLayout } from '../../rows/table-layout';
import { conversionUpdater } from '../../storage/goals/conversions';
import { type DimensionIds, openDimensions } from '../dimensions';
import { countingFingerprinter, fingerprinter } from '../fingerprint';
import { openGivenIds } from '../given-ids';
import { openSources } from '../import-sources';
import type { MaterialLoader } from '../loader';
import { type LoaderContext, lastId } from '../loader-context';
import { matchRows } from '../match-rows';
import { rowChecker } from '../row-checker';
import { keyFinder } from '../stored-keys';
import { FROM_VIEW, namedFields, viewFiller } from './fill-in-views';
import { waitingKeeper } from './waiting-rows';

interface ViewRows {
  readonly table: 'click' | 'event';
  /** Field with the row's own number. */
  readonly rowId: string;
  /** Tables that change with it, including itself. */
  readonly tables: readonly string[];
  readonly fallbacks?: ReadonlyMap<string, number>;
  /** Field with the seconds from the start of the view; the row's time then follows from them. */
  readonly secondsField?: string;
  /** What identifies a row in addition to its view (or visit or visitor) and its time. */
  readonly identity: readonly string[];
  readonly identityWords: string;
  /**
   * Runs after all rows are written; the numbers of new ones begin at `firstId`. `hasOthers`: some rows are
   * waiting or were rejected.
   */
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
  const sources = await openSources(context);
  const checker = rowChecker({ ...context, layout, dimensions, ids, sources });
  const { get, set } = namedFields(layout);
  const sourceOf = (batch: RowBatch, row: number): string | undefined =>
    sources.nameOf(get(batch, row, 'source_no'));
  const openFingerprint = () =>
    countingFingerprinter(
      fingerprinter(layout, [...IDENTITY, ...about.identity], sourceOf),
      limits.rowHashes,
    );
  let fingerprint = openFingerprint();
  const conversions = await conversionUpdater(client, siteId, [table]);
  const ignored = new Set([...FROM_VIEW, rowId, secondsField ?? '']);
  const openKeeper = () => waitingKeeper(context, { layout, dimensions, rowId }, sourceOf);
  let keepWaiting = openKeeper();
  const firstId = (await lastId(context, table, rowId)) + 1;
  let nextId = firstId;
  let hasOthers = false;
  const waiting = { added: 0, again: 0 };

  const fillIn = viewFiller(context, {
    layout,
    secondsField,
    fallbacks,
    fingerprint: (batch, row) => fingerprint(batch, row),
  });
  const matched = await matchRows(context, {
    layout,
    rowId,
    identity,
    ignored,
    find: keyFinder(context, layout, rowId, ['fingerprint']),
    number(batch, rows) {
      for (const row of rows) {
        set(batch, row, { [rowId]: nextId });
        nextId += 1;
      }
    },
  });

  return {
    checker,
    async write(batch) {
      await checker.settleIds(client, batch);
      for (const row of placesOf(batch))
        if (Number.isNaN(get(batch, row, 'source_no'))) set(batch, row, { source_no: sources.own });
      const { found: rows, early, rejections } = await fillIn(batch);
      if (early.length > 0 && context.isPlacing !== true) {
        const { added, again } = await keepWaiting(batch, early);
        waiting.added += added;
        waiting.again += again;
      }
      hasOthers ||= early.length + rejections.length > 0;
      return [...rejections, ...(await matched.write(batch, rows))].sort((a, b) => a.row - b.row);
    },
    async nextFile() {
      fingerprint = openFingerprint();
      keepWaiting = openKeeper();
      await matched.nextFile();
    },
    async finish() {
      const totals = matched.totals();
      await about.finish(firstId, hasOthers);
      if (totals.added > 0) {
        if (firstId === 1) conversions.addAll();
        await conversions.addFound(
          `SELECT DISTINCT session_id FROM analytics.${table} WHERE site_id = $1 AND ${rowId} >= $2`,
          [siteId, firstId],
        );
        await conversions.update();
      }
      return { ...totals, unchanged: totals.unchanged + waiting.again, waiting: waiting.added };
    },
    tables: about.tables,
    layout,
    dimensions,
    table,
    rowId,
  };
}
