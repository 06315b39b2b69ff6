// The views that a change adds, removes or changes in place, and what is derived from them.
import type { Client } from 'pg';
import { stageRows } from '../rows/copy-rows';
import type { RowBatch } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import type { ConversionUpdater } from '../storage/goals/conversions';
import { withHashJoins } from '../storage/planner';
import { ALL_BOUNDS, type StoredBounds } from './piece';
import { openStaging } from './staging';
import { runStep } from './steps';

export type StagedViews = Awaited<ReturnType<typeof openStagedViews>>;

/** The number of touched views that are derived at once. Their lists of ids must fit into memory. */
const TOUCHED_AT_ONCE = 500_000;

/**
 * Opens the staged and touched views of a transaction. Once these are applied, the next ones replace them.
 */
export async function openStagedViews(
  client: Client,
  siteId: number,
  conversions: ConversionUpdater,
  atOnce = TOUCHED_AT_ONCE,
) {
  await openStaging(client);
  let isApplied = false;
  let staged = 0;
  let touched = 0;

  const removeApplied = async (): Promise<void> => {
    if (isApplied) await client.query('TRUNCATE staged, affected, derived, touched');
    isApplied = false;
  };

  /** Derives and writes the effects of the staged views, and of all or part of the touched ones. Returns how many views were derived. */
  const applyPart = async (
    { first, last, lowVisit, highVisit }: StoredBounds,
    parts: number,
    part: number,
  ): Promise<number> => {
    await client.query('ANALYZE staged (may_be_known)');
    // A merge join would sort wide rows; a hash join keeps the order of the file. The limit is the product of the other two settings.
    // A larger list of ids would be read again for each row instead of being hashed once.
    await client.query(
      "SET LOCAL enable_mergejoin = off; SET LOCAL work_mem = '32MB'; SET LOCAL hash_mem_multiplier = 8",
    );
    const values = [siteId, first, last, lowVisit, highVisit, parts, part];
    const derived = (await runStep(client, 'derive', values)).at(-1) ?? 0;
    await client.query('SET LOCAL hash_mem_multiplier TO DEFAULT');
    const [added = 0] = await runStep(client, 'apply-new', [siteId]);
    await client.query('SET LOCAL enable_mergejoin = on');
    // The other derived views are stored ones.
    if (derived > added)
      await withHashJoins(client, async () => {
        const [moved = 0] = await runStep(client, 'apply-moved', [siteId]);
        if (moved > 0) await runStep(client, 'settle-moved', [siteId]);
      });
    await conversions.addFound(
      'SELECT session_id FROM derived UNION SELECT session_id FROM affected WHERE session_id IS NOT NULL',
      [],
    );
    return derived;
  };

  return {
    /** The numbers of views to apply. */
    size: () => ({ staged, touched }),
    /** Stages new views. */
    async stage(layout: TableLayout, batch: RowBatch, rows: Uint32Array): Promise<void> {
      await removeApplied();
      await stageRows(client, layout, batch, rows, 'staged');
      staged += rows.length;
    },
    /** Records stored views. `from`: SQL from FROM on, for views `v` of site `$1`. Call it before and after a change. */
    async touch(from: string): Promise<void> {
      await removeApplied();
      const { rowCount } = await client.query(
        `INSERT INTO touched (row_id, reader_id, at, session_id) SELECT v.pv_id, v.reader_id, v.at, v.session_id ${from}`,
        [siteId],
      );
      touched += rowCount ?? 0;
    },
    /** The time of the earliest view that was touched or removed, in epoch seconds. */
    async firstTime(): Promise<number | undefined> {
      const { rows } = await client.query<{ at: number | null }>(
        'SELECT extract(epoch FROM min(at))::float8 AS at FROM touched',
      );
      return rows[0]?.at ?? undefined;
    },
    /** Runs keep-order, which moves stored views, and records those. All staged views must be applied. */
    async keepOrder(lists: readonly (readonly number[])[]): Promise<void> {
      await removeApplied();
      const [moved = 0] = await withHashJoins(client, () =>
        runStep(client, 'keep-order', [siteId, ...lists]),
      );
      touched += moved;
    },
    /** Derives and writes the effects of these views. Returns how many views were derived. */
    async apply(bounds = ALL_BOUNDS): Promise<number> {
      const parts = staged > 0 ? 1 : Math.ceil(touched / atOnce);
      let derived = 0;
      for (let part = 0; part < parts; part += 1) {
        if (part > 0) await client.query('TRUNCATE affected, derived');
        derived += await applyPart(bounds, parts, part);
        isApplied = true;
      }
      [staged, touched] = [0, 0];
      return derived;
    },
  };
}
