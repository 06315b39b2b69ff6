// Generates an NDJSON file for each site and material; the same size always produces the same bytes. When run as a program, this
// file writes the rows of the given sites.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { benchClicks, benchSearches } from './actions';
import { BENCH_SITES, type BenchSite, isSize, type Material, type Size } from './shape';
import { benchViews } from './views';

const LINES_AT_ONCE = 500;

export const fileOf = (directory: string, { trackingId }: BenchSite, material: Material): string =>
  join(directory, `${trackingId}.${material}.ndjson`);

/** Writes the files for all sites in two processes; returns how many seconds that took. */
export async function makeFiles(size: Size, directory: string): Promise<number> {
  const started = performance.now();
  // The first site has four fifths of the rows, so all others together take less time.
  const shares = [BENCH_SITES.slice(0, 1), BENCH_SITES.slice(1)];
  await Promise.all(shares.map((share) => makeSeparately(size, directory, share)));
  return (performance.now() - started) / 1000;
}

async function makeSeparately(size: Size, directory: string, sites: readonly BenchSite[]): Promise<void> {
  const names = sites.map(({ trackingId }) => trackingId);
  const [code] = await once(fork(__filename, [size, directory, ...names]), 'exit');
  if (code !== 0) throw new Error(`The rows of ${names.join(', ')} could not be generated.`);
}

async function makeSites([size = '', directory = '', ...trackingIds]: readonly string[]): Promise<void> {
  if (!isSize(size)) throw new Error(`Unknown size: ${size}.`);
  for (const site of BENCH_SITES.filter(({ trackingId }) => trackingIds.includes(trackingId))) {
    const write = (material: Material, rows: Iterable<object>): Promise<number> =>
      writeLines(fileOf(directory, site, material), rows);
    const views = await write('allpv', benchViews(site, size));
    await write('click_event', benchClicks(site, views));
    await write('gsc', benchSearches(site, size));
  }
}

async function writeLines(file: string, rows: Iterable<object>): Promise<number> {
  const out = createWriteStream(file, { highWaterMark: 1 << 20 });
  let count = 0;
  let lines = '';
  for (const row of rows) {
    lines += `${JSON.stringify(row)}\n`;
    count += 1;
    if (count % LINES_AT_ONCE !== 0) continue;
    if (!out.write(lines)) await once(out, 'drain');
    lines = '';
  }
  out.end(lines);
  await once(out, 'close');
  return count;
}

if (require.main === module) {
  makeSites(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  });
}
