// Owns the load of the benchmark's data through the real importers, and what it cost.
// Write pool and size -> the cost of each load, and of making the rows; a database that has them is left as it is.
import type { Knex } from 'knex';
import { importRows } from '../../db/import/import-rows';
import { applySites } from '../../db/sites/apply-sites';
import { loadManifest } from '../../manifests/reader/manifest';
import { benchClicks, benchSearches } from './actions';
import { BENCH_SITES, type BenchSite, GOAL_RANK, SITE_TIMEZONE, type Size, urlOf } from './shape';
import { benchViews } from './views';

export interface LoadCost {
  readonly material: string;
  readonly rows: number;
  readonly seconds: number;
  /** Of this process, which also makes the rows. */
  readonly cpuSeconds: number;
  /** Resident memory of the whole process at its highest. */
  readonly peakMegabytes: number;
}

const SAMPLE_MS = 50;
const SAMPLE_ROWS = 200_000;

/** Loads all sites; undefined when this database has that size already. */
export async function loadBenchData(
  write: Knex,
  size: Size,
  tell: (text: string) => void,
): Promise<readonly LoadCost[] | undefined> {
  const source = `bench ${size}`;
  if (await isLoaded(write, source)) return undefined;
  await applySites(write, { sites: BENCH_SITES.map(siteEntry) });
  const manifest = loadManifest();
  const costs: LoadCost[] = [];
  const load = async (site: BenchSite, material: string, rows: Iterable<object>): Promise<number> => {
    const memory = watchMemory();
    const before = process.cpuUsage();
    try {
      const { read, seconds } = await importRows(write, manifest, {
        material,
        site: site.trackingId,
        source,
        rows,
      });
      tell(
        `${site.trackingId} ${material}: ${read} rows in ${seconds.toFixed(1)} s, peak ${memory.peak().toFixed(0)} MB`,
      );
      const used = process.cpuUsage(before);
      const cpuSeconds = (used.user + used.system) / 1e6;
      costs.push({ material, rows: read, seconds, cpuSeconds, peakMegabytes: memory.peak() });
      return read;
    } finally {
      memory.stop();
    }
  };
  for (const site of BENCH_SITES) {
    const views = await load(site, 'allpv', benchViews(site, size));
    await load(site, 'click_event', benchClicks(site, views));
    await load(site, 'gsc', benchSearches(site, size));
  }
  return sumByMaterial(costs);
}

/** Seconds that a million rows of page views take to be made and written as JSON, without any import. */
export function secondsToMakeAMillion(size: Size): number {
  const [site] = BENCH_SITES;
  if (site === undefined) return 0;
  const started = performance.now();
  let made = 0;
  let characters = 0;
  for (const view of benchViews(site, size)) {
    characters += JSON.stringify(view).length;
    made += 1;
    if (made === SAMPLE_ROWS) break;
  }
  if (characters === 0) throw new Error('No rows were made.');
  return ((performance.now() - started) / 1000) * (1_000_000 / made);
}

function sumByMaterial(costs: readonly LoadCost[]): readonly LoadCost[] {
  const names = [...new Set(costs.map(({ material }) => material))];
  return names.map((material) => {
    const own = costs.filter((cost) => cost.material === material);
    return {
      material,
      rows: own.reduce((sum, { rows }) => sum + rows, 0),
      seconds: own.reduce((sum, { seconds }) => sum + seconds, 0),
      cpuSeconds: own.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      peakMegabytes: Math.max(...own.map(({ peakMegabytes }) => peakMegabytes)),
    };
  });
}

const siteEntry = (site: BenchSite): object => ({
  tracking_id: site.trackingId,
  domain: `www.${site.trackingId}.example`,
  name: site.trackingId,
  timezone: SITE_TIMEZONE,
  goals: [
    { id: 1, name: 'Order', type: 'gtype_page', condition: { url: urlOf(site, GOAL_RANK), match: 'exact' } },
  ],
});

async function isLoaded(write: Knex, source: string): Promise<boolean> {
  const { rows }: { rows: { source: string; loads: number }[] } = await write.raw(
    "SELECT source, count(*)::int AS loads FROM analytics.import_run WHERE source LIKE 'bench %' GROUP BY 1",
  );
  const loads = rows.find((row) => row.source === source)?.loads ?? 0;
  if (loads === BENCH_SITES.length * 3) return true;
  if (rows.length > 0)
    throw new Error('This data directory holds another or an unfinished load; name a new one.');
  return false;
}

function watchMemory(): { peak(): number; stop(): void } {
  let peak = process.memoryUsage.rss();
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, SAMPLE_MS);
  return { peak: () => peak / 1e6, stop: () => clearInterval(timer) };
}
