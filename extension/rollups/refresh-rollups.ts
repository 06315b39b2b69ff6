// Owns the counts of a site as a whole: what is computed again after rows changed, in the transaction that changed them.
// Touched hours -> the blocks of their days, computed from rows, and the longer blocks around them, computed from these.
// Nothing is patched: a block is a pure function of rows, so no way that rows came in can leave a wrong one behind.
import type { ClientBase } from 'pg';
import { type Rollups, TOP_LEVEL } from '../../manifests/reader/rollups';
import { dayBounds } from '../time/local-days';
import { blockOf } from './block-cascade';
import { countDifferent } from './count-different';
import { countRows } from './count-rows';
import { type CountedMaterial, countedMaterials } from './counted-material';
import { ROLLUP_LIMITS, type RollupLimits } from './limits';
import { type LocalDay, portions } from './local-day';
import { daysOfRows, ROLLUP_TABLES, type SiteDays, sameDays, storedState, writeState } from './rollup-state';
import { type Extent, extentOf, lastGap, sizeOf } from './touched-days';
import type { NotedRows, TouchedRows } from './touched-rows';
import { openVarying, type VaryingValues } from './varying-values';
import { openVisits } from './visit-days';
import { differentWriter } from './write-blocks';

/** Enough to find the visits of a portion, and to sort those of a small site. */
const WORK_MEM = '64MB';

export interface RefreshJob {
  readonly client: ClientBase;
  readonly siteId: number;
  /** What is counted. */
  readonly rollups: Rollups;
  /** Told of progress from 0 to 1; what it throws stops the work. */
  goOn?(share: number): void;
  readonly limits?: RollupLimits;
}

/** Computes the counts of all rows of a site anew. The caller holds the site's lock, in a transaction. */
export async function rebuildRollups(job: RefreshJob): Promise<void> {
  await refresh(job, undefined);
}

/** Computes the counts of what an import touched; a site without counts gets them with its first rows only. */
export async function refreshRollups(job: RefreshJob, touched: TouchedRows): Promise<void> {
  const extent = touched.extent();
  if (extent === 'none' || (extent === 'some' && touched.hours.size === 0)) return;
  await refresh(job, extent === 'all' ? undefined : touched);
}

/**
 * Makes the counts of a site follow its time zone, where the zone is not the one that they were made with. The caller
 * holds the site's lock, in a transaction.
 */
export async function followZone(job: RefreshJob): Promise<void> {
  const state = await storedState(job.client, job.siteId);
  // Nothing was touched: only days that are others are a reason to compute.
  if (state !== undefined)
    await refresh(job, { state, hours: new Map(), hasLate: () => false, longestClick: () => 0 });
}

async function refresh(job: RefreshJob, touched: NotedRows | undefined): Promise<void> {
  const { client, siteId, rollups } = job;
  await client.query(`SET LOCAL work_mem = '${WORK_MEM}'`);
  const materials = await countedMaterials(client, rollups);
  const days = await daysOfSite(client, siteId, materials);
  if (days === undefined) {
    for (const table of ROLLUP_TABLES) {
      await client.query(`DELETE FROM analytics.${table} WHERE site_id = $1`, [siteId]);
    }
    return;
  }
  const state = touched?.state;
  const keeps = state !== undefined && sameDays(state, days.clock) ? touched : undefined;
  const extents: (readonly [CountedMaterial, Extent])[] = [];
  for (const material of materials) {
    extents.push([material, await extentOf(client, siteId, material, days, keeps)]);
  }
  const progress = openProgress(job, extents);
  for (const [material, extent] of extents) {
    await refreshMaterial(job, material, extent, days, progress);
  }
  const longestClick =
    keeps === undefined
      ? await longestClickOf(client, siteId)
      : Math.max(state?.longestClick ?? 0, keeps.longestClick());
  await writeState(client, siteId, { ...days, longestClick });
}

async function daysOfSite(
  client: ClientBase,
  siteId: number,
  materials: readonly CountedMaterial[],
): Promise<SiteDays | undefined> {
  const spans = materials.map(
    ({ table, time }) =>
      `SELECT min(${time}) AS first, max(${time}) AS last FROM analytics.${table} WHERE site_id = $1`,
  );
  const { rows } = await client.query<{ timezone: string; first: number | null; last: number | null }>(
    `SELECT timezone, extract(epoch FROM r.first)::float8 AS first, extract(epoch FROM r.last)::float8 AS last
       FROM analytics.site, (SELECT min(first) AS first, max(last) AS last FROM (${spans.join(' UNION ALL ')}) s) r
      WHERE site_id = $1`,
    [siteId],
  );
  const [found] = rows;
  if (found === undefined || found.first === null || found.last === null) return undefined;
  return daysOfRows(found.timezone, found.first, found.last);
}

async function refreshMaterial(
  job: RefreshJob,
  material: CountedMaterial,
  { days, whole }: Extent,
  { clock, firstDay, endDay }: SiteDays,
  goOn: (days: readonly LocalDay[]) => void,
): Promise<void> {
  const { client, siteId, limits = ROLLUP_LIMITS } = job;
  if (!whole && days.length === 0) return;
  await removeBlocks(client, siteId, material, whole ? 'all' : days);
  const parts = { client, siteId, material, portions: portions(days, limits.portionRows), whole, goOn };
  if (material.counted.length === 0) {
    await countRows(parts, []);
    return;
  }
  const visits = await openVisits({
    ...parts,
    firstDay,
    bounds: dayBounds(clock, firstDay, endDay),
    earlierUntil: whole ? null : lastGap(days, firstDay),
    few: sizeOf(days) <= limits.portionRows,
    goOn: () => goOn([]),
  });
  const stretches = portions(days, limits.stretchRows);
  const writer = differentWriter(client, siteId);
  const varying: VaryingValues[] = [];
  for (const counted of material.counted) {
    const several = await countDifferent({ ...parts, counted, visits, writer, stretches });
    varying.push(...(await openVarying({ ...parts, counted, visits, writer, several })));
    goOn([]);
  }
  await countRows(parts, varying);
  await writer.finish();
  await visits.close();
}

/** Removes the blocks of all levels that days lie in. */
async function removeBlocks(
  client: ClientBase,
  siteId: number,
  { dimensions }: CountedMaterial,
  days: 'all' | readonly LocalDay[],
): Promise<void> {
  const codes = dimensions.map(({ code }) => code);
  const blocks = new Map<string, readonly [level: number, block: number]>();
  for (const { day } of days === 'all' ? [] : days) {
    for (let level = 0; level <= TOP_LEVEL; level += 1) {
      blocks.set(`${level} ${blockOf(day, level)}`, [level, blockOf(day, level)]);
    }
  }
  const list = [...blocks.values()];
  for (const table of ['rollup', 'rollup_unique']) {
    if (days === 'all') {
      await client.query(
        `DELETE FROM analytics.${table} WHERE site_id = $1 AND dimension = ANY ($2::smallint[])`,
        [siteId, codes],
      );
      continue;
    }
    await client.query(
      `DELETE FROM analytics.${table} r USING unnest($3::smallint[], $4::integer[]) gone (level, block)
        WHERE r.site_id = $1 AND r.dimension = ANY ($2::smallint[]) AND r.level = gone.level AND r.block = gone.block`,
      [siteId, codes, list.map(([level]) => level), list.map(([, block]) => block)],
    );
  }
}

async function longestClickOf(client: ClientBase, siteId: number): Promise<number> {
  const { rows } = await client.query<{ seconds: number }>(
    `SELECT coalesce(ceil(extract(epoch FROM max(at - view_at))), 0)::integer AS seconds
       FROM analytics.click WHERE site_id = $1`,
    [siteId],
  );
  return rows[0]?.seconds ?? 0;
}

/** Shares of the work, by rows counted: once, and once for each field whose different values are counted. */
function openProgress(
  { goOn }: RefreshJob,
  extents: readonly (readonly [CountedMaterial, Extent])[],
): (days: readonly LocalDay[]) => void {
  const total = extents.reduce(
    (sum, [{ counted }, { days }]) => sum + (1 + counted.length) * sizeOf(days),
    0,
  );
  let done = 0;
  return (days) => {
    done += sizeOf(days);
    goOn?.(total === 0 ? 1 : done / total);
  };
}
