// Loads rows that belong to a page view: clicks and events. Their session and page are those of the view, which is identified
// by its id, or found through the visit or the visitor.

import { countAfter, lastId } from '../../rows/generated-ids';
import { placesOf, type RowBatch } from '../../rows/row-batch';
import { loadTableLayout } from '../../rows/table-layout';
import { conversionUpdater } from '../../storage/goals/conversions';
import { rowIdOf } from '../../storage/stored-materials';
import { type DimensionIds, openDimensions } from '../dimensions';
import { fingerprinter } from '../fingerprint';
import { openGivenIds } from '../given-ids';
import { openSources } from '../import-sources';
import type { LateRejection } from '../loader';
import type { LoaderContext } from '../loader-context';
import { matchRows } from '../match-rows';
import { rowChecker } from '../row-checker';
import { keyFinder } from '../stored-keys';
import { FROM_VIEW, namedFields, viewFiller } from './fill-in-views';
import { observeNew } from './observe-parameters';
import { VIEW_ROWS } from './view-row-tables';
import { waitingKeeper } from './waiting-rows';

const IDENTITY = ['pv_id', 'found_session_id', 'found_reader_id', 'at'];

export type ViewRowLoader = Awaited<ReturnType<typeof viewRowLoader>>;

/** Opens the loader of clicks or events for one import. */
export async function viewRowLoader(context: LoaderContext) {
  const { client, siteId, material, limits } = context;
  const about = VIEW_ROWS[material.name];
  if (about === undefined) throw new Error(`Rows of ${material.name} do not belong to page views.`);
  const { table, dimension, secondsField, identityWords: identity } = about;
  const rowId = rowIdOf(material);
  const layout = await loadTableLayout(client, table, { besides: ['reader_id'] });
  const dimensions = openDimensions(context);
  const texts = dimensions.get(dimension);
  if (texts === undefined) throw new Error(`Rows of ${material.name} do not refer to ${dimension}.`);
  const ids = openGivenIds(context, ['pv_id', 'session_id', 'reader_id']);
  const sources = await openSources(context);
  const checker = rowChecker({ ...context, layout, dimensions, ids, sources });
  const { get, set } = namedFields(layout);
  const sourceOf = (batch: RowBatch, row: number): string | undefined =>
    sources.nameOf(get(batch, row, 'source_no'));
  const openFingerprint = () =>
    fingerprinter(layout, [...IDENTITY, ...about.identity], sourceOf, limits.rowHashes);
  let fingerprint = openFingerprint();
  const conversions = await conversionUpdater(client, siteId, table);
  const ignored = new Set([...FROM_VIEW, rowId, secondsField ?? '']);
  const openKeeper = () => waitingKeeper(context, { layout, texts, rowId }, sourceOf);
  let keepWaiting = openKeeper();
  const lastRow = await lastId(client, siteId, table, rowId);
  const lastText = await lastId(client, siteId, texts.table, texts.id);
  const nextId = countAfter(lastRow);
  /** Whether some rows are waiting or were rejected. */
  let hasOthers = false;
  const waiting = { added: 0, again: 0 };

  const fillIn = viewFiller(context, layout, about, (batch, row) => fingerprint(batch, row));
  const matched = matchRows(context, {
    layout,
    rowId,
    identity,
    ignored,
    find: keyFinder(context, layout, rowId, ['fingerprint']),
    number(batch, rows) {
      for (const row of rows) set(batch, row, { [rowId]: nextId() });
    },
  });

  return {
    checker,
    async write(batch: RowBatch): Promise<readonly LateRejection[]> {
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
      return [...rejections, ...(await matched.write(batch, rows))];
    },
    async nextFile() {
      fingerprint = openFingerprint();
      keepWaiting = openKeeper();
      await matched.nextFile();
    },
    async finish() {
      const totals = matched.totals();
      if (hasOthers) await client.query(dropUnused(table, texts), [siteId, lastText]);
      if (table === 'event') await observeNew(client, siteId, lastRow);
      if (totals.added > 0) {
        if (lastRow === 0) conversions.addAll();
        await conversions.addFound(
          `SELECT DISTINCT session_id FROM analytics.${table} WHERE site_id = $1 AND ${rowId} > $2`,
          [siteId, lastRow],
        );
        await conversions.update();
      }
      return { ...totals, unchanged: totals.unchanged + waiting.again, waiting: waiting.added };
    },
    tables: [table, dimension, 'conversion'],
    layout,
    /** The dimension that only these rows refer to. */
    texts,
    rowId,
  };
}

/** Removes new dimension rows that only rows without a view refer to. */
const dropUnused = (table: string, { table: dimension, id }: DimensionIds): string => `
DELETE FROM analytics.${dimension} d
 WHERE d.site_id = $1 AND d.${id} > $2
   AND NOT EXISTS (SELECT FROM analytics.${table} r WHERE r.site_id = $1 AND r.${id} = d.${id})`;
