// The program that writes the rows of some sites into files: a process of its own, so that its memory and its time are
// not the importer's. Arguments: size, directory, tracking ids. A file has its name when it is whole.
import { once } from 'node:events';
import { createWriteStream, renameSync } from 'node:fs';
import { benchClicks, benchSearches } from './actions';
import { fileOf } from './files';
import { BENCH_SITES, isSize, type Material } from './shape';
import { benchViews } from './views';

const LINES_AT_ONCE = 500;

async function main([size = '', directory = '', ...trackingIds]: readonly string[]): Promise<void> {
  if (!isSize(size)) throw new Error(`There is no size ${size}.`);
  for (const site of BENCH_SITES.filter(({ trackingId }) => trackingIds.includes(trackingId))) {
    const write = (material: Material, rows: Iterable<object>): Promise<number> =>
      writeLines(fileOf(directory, site, material), rows);
    const views = await write('allpv', benchViews(site, size));
    await write('click_event', benchClicks(site, views));
    await write('gsc', benchSearches(site, size));
  }
}

/** Answers the number of rows. */
async function writeLines(file: string, rows: Iterable<object>): Promise<number> {
  const unfinished = `${file}.part`;
  const out = createWriteStream(unfinished, { highWaterMark: 1 << 20 });
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
  renameSync(unfinished, file);
  return count;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
