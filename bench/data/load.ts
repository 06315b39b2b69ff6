// Loads the benchmark's data through the real importer, from files as `qal import` reads them, and measures it.
// The costs stand in a file of the directory, for later runs over the same data.
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
import { fileOf, makeFiles } from './make-rows';
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

interface Loaded {
  readonly size: Size;
  readonly costs: readonly LoadCost[];
}

/** Loads all sites, unless an earlier run did. Throws when the directory holds data of another size. */
export async function loadBenchData(
  write: Knex,
  size: Size,
  directory: string,
  tell: (text: string) => void,
): Promise<readonly LoadCost[]> {
  const record = join(directory, 'load.json');
  if (existsSync(record)) {
    const loaded: Loaded = JSON.parse(readFileSync(record, 'utf8'));
    if (loaded.size === size) return loaded.costs;
    throw new Error(`This data directory holds ${loaded.size} page views; name a new one for ${size}.`);
  }
  const files = join(directory, 'rows');
  mkdirSync(files, { recursive: true });
  tell(`rows generated in ${(await makeFiles(size, files)).toFixed(1)} s`);
  await applySites(write, { sites: BENCH_SITES.map(siteEntry) });
  const costs: LoadCost[] = [];
  for (const site of BENCH_SITES) {
    for (const material of MATERIALS) {
      const file = fileOf(files, site, material);
      const cost = await measureImport(write, site.trackingId, material, file, `bench ${size}`);
      rmSync(file);
      costs.push(cost);
      const { rows, seconds, peakMegabytes } = cost;
      tell(
        `${site.trackingId} ${material}: ${rows} rows in ${seconds.toFixed(1)} s, peak ${peakMegabytes.toFixed(0)} MB`,
      );
    }
  }
  rmSync(files, { recursive: true });
  writeFileSync(record, JSON.stringify({ size, costs } satisfies Loaded));
  return costs;
}

/** Imports a file of NDJSON into an existing site; throws at the first wrong row. */
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
