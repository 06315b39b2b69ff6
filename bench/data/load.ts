// Owns the load of the benchmark's data through the real importer, from files as `qal import` reads them, and what it cost.
// Write pool, size and directory -> the cost of each import. What an earlier run has loaded is left as it is: its cost
// stands in a file of the directory.
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { importFile } from '../../extension/import/import-file';
import { applySites } from '../../extension/storage/sites/apply-sites';
import { loadManifest } from '../../manifests/reader/manifest';
import { fileOf, makeFiles } from './files';
import {
  BENCH_SITES,
  type BenchSite,
  GOAL_RANK,
  MATERIALS,
  type Material,
  SITE_TIMEZONE,
  type Size,
  urlOf,
} from './shape';

export interface LoadCost {
  readonly site: string;
  readonly material: Material;
  readonly rows: number;
  readonly seconds: number;
  /** Of this process. */
  readonly cpuSeconds: number;
  /** Resident memory of the whole process at its highest, within the first quarter of the file and over all of it. */
  readonly earlyMegabytes: number;
  readonly peakMegabytes: number;
}

const SAMPLE_MS = 50;
const EARLY = 0.25;
const READ_AT_ONCE = 256 * 1024;

interface Step {
  readonly site: BenchSite;
  readonly material: Material;
}

/** Loads what is missing; throws when the database holds data of another size. */
export async function loadBenchData(
  write: Knex,
  size: Size,
  directory: string,
  tell: (text: string) => void,
): Promise<readonly LoadCost[]> {
  const source = `bench ${size}`;
  const loaded = await loadedSteps(write, source);
  const steps: readonly Step[] = BENCH_SITES.flatMap((site) =>
    MATERIALS.map((material) => ({ site, material })),
  ).filter(({ site, material }) => !loaded.has(`${site.trackingId} ${material}`));
  const record = join(directory, 'load.json');
  const known: LoadCost[] = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : [];
  const costs = known.filter(({ site, material }) => loaded.has(`${site} ${material}`));
  if (steps.length === 0) return costs;

  const files = join(directory, 'rows');
  mkdirSync(files, { recursive: true });
  const sites = BENCH_SITES.filter((site) =>
    steps.some((step) => step.site === site && !existsSync(fileOf(files, site, step.material))),
  );
  tell(`rows made in ${(await makeFiles(size, files, sites)).toFixed(1)} s`);
  await applySites(write, { sites: BENCH_SITES.map(siteEntry) });
  for (const { site, material } of steps) {
    const file = fileOf(files, site, material);
    const cost = await measureImport(write, site.trackingId, material, file, source);
    costs.push(cost);
    writeFileSync(record, JSON.stringify(costs));
    rmSync(file);
    const { rows, seconds, peakMegabytes } = cost;
    tell(
      `${site.trackingId} ${material}: ${rows} rows in ${seconds.toFixed(1)} s, peak ${peakMegabytes.toFixed(0)} MB`,
    );
  }
  rmSync(files, { recursive: true });
  return costs;
}

/** One import of a file of NDJSON into a site that is there; stops at the first row that is not right. */
export async function measureImport(
  write: Knex,
  site: string,
  material: Material,
  file: string,
  source: string,
): Promise<LoadCost & { readonly added: number }> {
  let peak = 0;
  let early = 0;
  const earlyBytes = statSync(file).size * EARLY;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, SAMPLE_MS);
  const before = process.cpuUsage();
  try {
    const { read, added, seconds } = await importFile({
      write,
      manifest: loadManifest(),
      material,
      site,
      input: createReadStream(file, { highWaterMark: READ_AT_ONCE }),
      format: 'ndjson',
      source,
      onError: 'stop',
      clock: () => new Date(),
      onProgress({ bytes }) {
        if (bytes <= earlyBytes) early = peak;
      },
    });
    const used = process.cpuUsage(before);
    const cpuSeconds = (used.user + used.system) / 1e6;
    const memory = { earlyMegabytes: early / 1e6, peakMegabytes: peak / 1e6 };
    return { site, material, rows: read, added, seconds, cpuSeconds, ...memory };
  } finally {
    clearInterval(timer);
  }
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

/** Site and material of each import of that source. */
async function loadedSteps(write: Knex, source: string): Promise<ReadonlySet<string>> {
  const { rows }: { rows: { source: string; step: string }[] } = await write.raw(
    `SELECT r.source, s.tracking_id || ' ' || r.material AS step
       FROM analytics.import_run r JOIN analytics.site s USING (site_id) WHERE r.source LIKE 'bench %'`,
  );
  const other = rows.find((row) => row.source !== source);
  if (other !== undefined)
    throw new Error(`This data directory holds the load ${other.source}; name a new one for ${source}.`);
  return new Set(rows.map(({ step }) => step));
}
