// Stored views that are removed or whose facts change in place: the derived values of all affected visits are computed again.
import type { ClientBase } from 'pg';
import type { ConversionUpdater } from '../storage/goals/conversions';
import { withHashJoins } from '../storage/planner';
import { ALL_BOUNDS, type StoredBounds } from './piece';
import { openStaging, runStep } from './steps';

export type TouchedViews = ReturnType<typeof touchedViews>;

/** The number of touched views that are derived at once. Their lists of ids must fit into memory. */
const TOUCHED_AT_ONCE = 500_000;

/** For a transaction that adds no views. */
export function touchedViews(
  client: ClientBase,
  siteId: number,
  conversions: ConversionUpdater,
  atOnce = TOUCHED_AT_ONCE,
) {
  let touched = 0;
  return {
    /**
     * Records the pv_id, reader_id, at and session_id of the views that a query on site `$1` returns. Call before and after a
     * change.
     */
    async touch(sql: string): Promise<void> {
      await openStaging(client);
      touched += await noteTouched(client, siteId, sql);
    },
    /** Derives and writes the effects of the touched views. Call it once, at the end. */
    async apply(): Promise<void> {
      const parts = Math.ceil(touched / atOnce);
      for (let part = 0; part < parts; part += 1) {
        if (part > 0) await client.query('TRUNCATE affected, derived');
        await applyStaged(client, siteId, conversions, ALL_BOUNDS, { parts, part });
      }
    },
  };
}

/** Adds to `touched` the views that a query on site `$1` returns. Returns how many it added. */
export async function noteTouched(client: ClientBase, siteId: number, sql: string): Promise<number> {
  const { rowCount } = await client.query(
    `INSERT INTO touched (row_id, reader_id, at, session_id) SELECT pv_id, reader_id, at, session_id FROM (${sql}) t`,
    [siteId],
  );
  return rowCount ?? 0;
}

/** Empties the staging tables for another call of `applyStaged`. The end of the transaction empties them too, at no cost. */
export const emptyStaging = (client: ClientBase): Promise<unknown> =>
  client.query('TRUNCATE staged, affected, derived, touched');

/**
 * Derives and writes the effects of staged views, and of all or part of the touched ones. Returns the number of derived views.
 * Leaves the staging tables filled.
 */
export async function applyStaged(
  client: ClientBase,
  siteId: number,
  conversions: ConversionUpdater,
  { first, last, lowVisit, highVisit }: StoredBounds,
  { parts, part } = { parts: 1, part: 0 },
): Promise<number> {
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
}
