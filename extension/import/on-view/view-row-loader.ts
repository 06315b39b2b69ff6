// Loads rows that belong to a page view: clicks and events. Their session and page are those of the view. Rows are
// recognised by their content and their number among equal rows, so a file may be imported twice, and equal rows of one
// file are all stored.
import type { ClientBase } from 'pg';
import { conversionUpdater } from '../../storage/goals/conversions';
import { ANY_SITE } from '../../storage/planner';
import { copyRows, isDuplicate } from '../copy-rows';
import { openDimensions } from '../dimensions';
import { fingerprinter, fingerprintText } from '../fingerprint';
import { BadValue } from '../import-error';
import type { LateRejection, MaterialLoader } from '../loader';
import { type LoaderContext, lastId } from '../loader-context';
import { newPlaces, type RowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { storedFingerprints } from '../stored-keys';
import { loadTableLayout } from '../table-layout';

export interface ViewRows {
  readonly table: 'click' | 'event';
  /** Field of the row's own number. */
  readonly rowId: string;
  /** Tables that change with it, itself included. */
  readonly tables: readonly string[];
  /** Fields that files do not give, besides those of all such rows. */
  readonly computed?: readonly string[];
  readonly defaults?: ReadonlyMap<string, number>;
  /** The time of the row, in epoch seconds. */
  timeOf(viewAt: number, field: (name: string) => number): number;
  /** Runs when all rows are written; the numbers of new ones begin at `firstId`. */
  finish?(firstId: number): Promise<void>;
}

const COMPUTED = ['view_at', 'session_id', 'page_id', 'site_id', 'fingerprint'];

/** Opens the loader of such rows for one import. */
export async function viewRowLoader(context: LoaderContext, about: ViewRows): Promise<MaterialLoader> {
  const { client, siteId, limits } = context;
  const { table, rowId, defaults } = about;
  const layout = await loadTableLayout(client, table);
  const target = {
    ...context,
    layout,
    dimensions: openDimensions(context),
    ...(defaults && { defaults }),
    computed: new Set([...COMPUTED, rowId, ...(about.computed ?? [])]),
  };
  const checker = rowChecker(target);
  const { width } = checker.shape;
  const fingerprint = fingerprinter(target, limits.rowHashes);
  const conversions = await conversionUpdater(client, siteId, [table]);
  const firstId = (await lastId(context, table, rowId)) + 1;
  let nextId = firstId;
  let mayBeStored = false;
  let unchanged = 0;

  const get = (batch: RowBatch, row: number, name: string): number =>
    batch.values[row * width + layout.fieldOf(name)] ?? 0;

  const set = (batch: RowBatch, row: number, values: Readonly<Record<string, number>>): void => {
    for (const [name, value] of Object.entries(values))
      batch.values[row * width + layout.fieldOf(name)] = value;
  };

  /** Fills in what the view of each row tells. Rows without a view are rejected. */
  const fillIn = async (batch: RowBatch, rejections: LateRejection[]): Promise<Uint32Array> => {
    const rows = newPlaces(batch);
    const pvIds = Float64Array.from(rows, (row) => get(batch, row, 'pv_id'));
    const views = await findViews(client, siteId, pvIds);
    return rows.filter((row) => {
      const pvId = get(batch, row, 'pv_id');
      const view = views.get(pvId);
      if (view === undefined) {
        rejections.push({ row, fault: new BadValue('pv_id', pvId, 'is no page view of this site') });
        return false;
      }
      fingerprint(batch, row);
      set(batch, row, {
        at: about.timeOf(view.at, (name) => get(batch, row, name)),
        view_at: view.at,
        session_id: view.sessionId,
        page_id: view.pageId,
        site_id: siteId,
        fingerprint: 1,
      });
      return true;
    });
  };

  const notStored = async (batch: RowBatch, rows: Uint32Array): Promise<Uint32Array> => {
    const prints = Array.from(rows, (row) => fingerprintText(batch, row));
    const stored = await storedFingerprints(context, table, prints);
    return rows.filter((_, place) => !stored.has(prints[place] ?? ''));
  };

  const copyNew = async (batch: RowBatch, rows: Uint32Array): Promise<void> => {
    const fresh = mayBeStored ? await notStored(batch, rows) : rows;
    let id = nextId;
    for (const row of fresh) {
      set(batch, row, { [rowId]: id });
      id += 1;
    }
    await copyRows(client, layout, batch, fresh);
    nextId = id;
    unchanged += rows.length - fresh.length;
  };

  return {
    checker,
    rejectsLate: true,
    async write(batch) {
      const rejections: LateRejection[] = [];
      await checker.settleIds(client, batch);
      const rows = await fillIn(batch, rejections);
      if (mayBeStored) {
        await copyNew(batch, rows);
        return rejections;
      }
      // Most files are new as a whole: the database is not asked before the first duplicate.
      await client.query('SAVEPOINT batch');
      try {
        await copyNew(batch, rows);
        await client.query('RELEASE SAVEPOINT batch');
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        await client.query('ROLLBACK TO SAVEPOINT batch');
        mayBeStored = true;
        await copyNew(batch, rows);
      }
      return rejections;
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
      return { added, updated: 0, kept: 0, unchanged };
    },
    tables: about.tables,
  };
}

interface StoredView {
  readonly at: number;
  readonly sessionId: number;
  readonly pageId: number;
}

/** The stored views with these ids, by id; an id may be asked for more than once. */
async function findViews(
  client: ClientBase,
  siteId: number,
  pvIds: Float64Array,
): Promise<ReadonlyMap<number, StoredView>> {
  // In the order of the index, so that its pages are read one after the other.
  const ids = [...new Set(pvIds.sort())];
  if (ids.length === 0) return new Map();
  const answer = await client.query<[number, number, number, number]>({
    rowMode: 'array',
    text: `SELECT k::float8, v.at, v.session_id, v.page_id FROM unnest($2::bigint[]) k,
             LATERAL (SELECT extract(epoch FROM at)::float8 AS at, session_id::float8 AS session_id, page_id
                        FROM analytics.page_view WHERE site_id = ${ANY_SITE} AND pv_id = k LIMIT 1) v`,
    values: [siteId, ids],
  });
  return new Map(answer.rows.map(([pvId, at, sessionId, pageId]) => [pvId, { at, sessionId, pageId }]));
}
