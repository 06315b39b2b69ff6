// Owns the way of rows that happened on a page view: clicks and events. Session, page and time of the view are theirs.
// Batches of checked rows in -> rows of the table. A row whose page view is not there is refused. A file may be imported
// twice: a row is known again by all that it says and by its number among equal rows, so equal rows of one file are kept.

import type { ClientBase } from 'pg';
import { ROLLUP_TABLES } from '../../rollups/rollup-state';
import { type TouchedRows, touchedRows } from '../../rollups/touched-rows';
import { conversionKeeper } from '../../storage/goals/conversions';
import { ANY_SITE } from '../../storage/planner';
import { copyRows, isDuplicate } from '../copy-rows';
import { fixedIds, openDimensions, settleIds } from '../dimensions';
import { fingerprinter } from '../fingerprint';
import { BadValue } from '../import-error';
import type { LateRefusal, MaterialLoader, RoadParts } from '../loader';
import type { RowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { printOf, storedPrints } from '../stored-keys';
import { loadTableLayout } from '../table-layout';

export interface ViewRows {
  readonly table: 'click' | 'event';
  readonly idColumn: string;
  /** Tables that change with it. */
  readonly tables: readonly string[];
  /** Fields that the file does not give. */
  readonly computed: ReadonlySet<string>;
  readonly defaults: ReadonlyMap<string, number>;
  /** When the row happened, by its view. */
  timeOf(viewAt: number, field: (name: string) => number): number;
  /** What else to do when all rows are written; the ids of new ones begin at `firstId`. */
  finish?(firstId: number): Promise<void>;
}

/** Opens the loader of such rows for one import. */
export async function viewRowLoader(parts: RoadParts, about: ViewRows): Promise<MaterialLoader> {
  const { client, siteId, limits, material } = parts;
  const { table, idColumn } = about;
  const layout = await loadTableLayout(client, table);
  const dimensions = openDimensions(parts);
  const target = {
    ...parts,
    layout,
    dimensions,
    newest: new Map(),
    fixedIds: await fixedIds(client),
    defaults: about.defaults,
    computed: about.computed,
  };
  const checker = rowChecker(target);
  const { width } = checker.shape;
  const fingerprint = fingerprinter(target, limits.rowHashes);
  const conversions = await conversionKeeper(client, siteId, [table]);
  const touched = parts.manifest.rollups.has(material.name)
    ? await touchedRows(client, siteId, false)
    : undefined;
  const firstId = await nextId(parts, table, idColumn);
  const pvId = layout.fieldOf('pv_id');
  let next = firstId;
  let careful = false;
  let unchanged = 0;

  const set = (batch: RowBatch, row: number, name: string, value: number): void => {
    batch.values[row * width + layout.fieldOf(name)] = value;
  };

  /** Fills in what the view tells; the rows without a view stay out. */
  const fromViews = async (batch: RowBatch, refusals: LateRefusal[]): Promise<Uint32Array> => {
    const pvOf = (row: number): number => batch.values[row * width + pvId] ?? 0;
    const rows = new Uint32Array(batch.end - batch.first).map((_, i) => batch.first + i);
    const views = await loadViews(client, siteId, Float64Array.from(rows, pvOf));
    return rows.filter((row) => {
      const view = views.find(pvOf(row));
      if (view === undefined) {
        refusals.push({ row, fault: new BadValue('pv_id', pvOf(row), 'is no page view of this site') });
        return false;
      }
      fingerprint(batch, row);
      const field = (name: string): number => batch.values[row * width + layout.fieldOf(name)] ?? 0;
      set(batch, row, 'at', about.timeOf(view.at, field));
      set(batch, row, 'view_at', view.at);
      set(batch, row, 'session_id', view.sessionId);
      set(batch, row, 'page_id', view.pageId);
      set(batch, row, 'site_id', siteId);
      set(batch, row, 'fingerprint', 1);
      return true;
    });
  };

  const unknown = async (batch: RowBatch, rows: Uint32Array): Promise<Uint32Array> => {
    const prints = Array.from(rows, (row) => printOf(batch, row));
    const known = await storedPrints(client, siteId, table, prints);
    return rows.filter((_, place) => !known.has(prints[place] ?? ''));
  };

  const copyNew = async (batch: RowBatch, rows: Uint32Array): Promise<void> => {
    const fresh = careful ? await unknown(batch, rows) : rows;
    let id = next;
    for (const row of fresh) {
      set(batch, row, idColumn, id);
      id += 1;
    }
    await copyRows(client, layout, batch, fresh);
    if (touched !== undefined) noteWritten(touched, batch, fresh);
    next = id;
    unchanged += rows.length - fresh.length;
  };

  const noteWritten = (notes: TouchedRows, batch: RowBatch, rows: Uint32Array): void => {
    for (const row of rows) {
      const at = batch.values[row * width + layout.fieldOf('at')] ?? 0;
      notes.note(material.name, at);
      notes.noteDelay(at - (batch.values[row * width + layout.fieldOf('view_at')] ?? 0));
    }
  };

  return {
    checker,
    shape: checker.shape,
    refusesLate: true,
    async write(batch) {
      const refusals: LateRefusal[] = [];
      await settleIds(client, dimensions, checker, batch);
      const rows = await fromViews(batch, refusals);
      if (careful) {
        await copyNew(batch, rows);
        return refusals;
      }
      // Most files are new as a whole: nothing is asked until the first row turns out to be there already.
      await client.query('SAVEPOINT batch');
      try {
        await copyNew(batch, rows);
        await client.query('RELEASE SAVEPOINT batch');
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        await client.query('ROLLBACK TO SAVEPOINT batch');
        careful = true;
        await copyNew(batch, rows);
      }
      return refusals;
    },
    async finish() {
      const added = next - firstId;
      await about.finish?.(firstId);
      if (added > 0) {
        if (firstId === 1) conversions.touchAll();
        await conversions.touchFound(
          `SELECT DISTINCT session_id FROM analytics.${table} WHERE site_id = $1 AND ${idColumn} >= $2`,
          [siteId, firstId],
        );
        await conversions.run();
      }
      return { added, updated: 0, unchanged, changed: added > 0 };
    },
    ...(touched === undefined ? {} : { touched }),
    tables: touched === undefined ? about.tables : [...about.tables, ...ROLLUP_TABLES],
  };
}

async function nextId({ client, siteId }: RoadParts, table: string, idColumn: string): Promise<number> {
  const answer = await client.query<{ last: number | null }>(
    `SELECT max(${idColumn})::float8 AS last FROM analytics.${table} WHERE site_id = $1`,
    [siteId],
  );
  return (answer.rows[0]?.last ?? 0) + 1;
}

export interface KnownView {
  readonly at: number;
  readonly sessionId: number;
  readonly pageId: number;
}

export interface KnownViews {
  find(pvId: number): KnownView | undefined;
}

/** Looks the views up; `pvIds` may hold one more than once. */
export async function loadViews(
  client: ClientBase,
  siteId: number,
  pvIds: Float64Array,
): Promise<KnownViews> {
  // In the order of the index, so that its pages are read one after the other.
  const ids = [...new Set(pvIds.sort())];
  if (ids.length === 0) return { find: () => undefined };
  const answer = await client.query<[number, number, number, number]>({
    rowMode: 'array',
    text: `SELECT k::float8, v.at, v.session_id, v.page_id FROM unnest($2::bigint[]) k,
             LATERAL (SELECT extract(epoch FROM at)::float8 AS at, session_id::float8 AS session_id, page_id
                        FROM analytics.page_view WHERE site_id = ${ANY_SITE} AND pv_id = k LIMIT 1) v`,
    values: [siteId, ids],
  });
  const views = new Map<number, KnownView>();
  for (const [pvId, at, sessionId, pageId] of answer.rows) views.set(pvId, { at, sessionId, pageId });
  return { find: (pvId) => views.get(pvId) };
}
