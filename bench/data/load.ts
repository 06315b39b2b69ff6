// Loads the benchmark's data with `qal import`, one file at a time, and measures each import.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { importBy } from '../import-by';
import type { ResultsFile } from '../results';
import { fileOf, makeFiles } from './make-rows';
import { checkRepeated, repeatVisits } from './repeat';
import { BENCH_SITES, MATERIALS, type Size, siteEntry, timesStored } from './shape';

interface LoadOptions {
  readonly write: Knex;
  readonly dataDir: string;
  readonly size: Size;
  /** The directory for the generated files, which are deleted once they are loaded. */
  readonly files: string;
  readonly results: ResultsFile;
  log(text: string): void;
}

/** Loads the files and repeats the visits (bench/data/repeat.ts). Skips steps that an earlier run has completed. */
export async function loadBenchData({
  write,
  dataDir,
  size,
  files,
  results,
  log,
}: LoadOptions): Promise<void> {
  await applySites(write, { sites: BENCH_SITES.map(siteEntry) });
  for (const site of BENCH_SITES) {
    for (const material of MATERIALS) {
      const name = `${site.trackingId} ${material}`;
      await results.onceOf('loads', name, async () => {
        const file = fileOf(files, site, material);
        if (!existsSync(file)) {
          mkdirSync(files, { recursive: true });
          log(`rows generated in ${(await makeFiles(size, files)).toFixed(1)} s`);
        }
        const cost = await importBy(dataDir, [material, file, '--site', site.trackingId]);
        log(`${name}: ${cost.rows} rows in ${cost.seconds} s, peak ${cost.peakMegabytes.toFixed(0)} MB`);
        return cost;
      });
    }
  }
  rmSync(files, { recursive: true, force: true });
  const last = timesStored(size) - 1;
  for (const site of BENCH_SITES) {
    for (let turn = 1; turn <= last; turn += 1) {
      const name = `${site.trackingId} visits ${turn}`;
      await results.onceOf('loads', name, async () => {
        const cost = await repeatVisits(write, site, size, turn);
        log(`${name}: ${cost.rows} rows in ${cost.seconds.toFixed(0)} s`);
        if (turn === last) await checkRepeated(write, files, site, size, turn);
        return cost;
      });
    }
  }
}

export const rowsFolder = (directory: string): string => join(directory, 'rows');
