// Measures the importer: generated rows through a file, as `qal import` reads them.
// A database in -> lines of a report: rows per second with ids given and made, and the memory that it took.

import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { demoViews } from '../extension/demo/demo-views';
import { applySites } from '../extension/storage/sites/apply-sites';
import { measureImport } from './data/load';

const ROWS = 500_000;

/** Loads the same rows with ids given, with ids made, and once more; `rows` is about how many. */
export async function measureLoader(write: Knex, rows = ROWS): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'qal-loader-'));
  try {
    const given = join(directory, 'given.ndjson');
    const made = join(directory, 'made.ndjson');
    await writeRows(given, rows, (row) => row);
    await writeRows(made, rows, ({ pv_id: _pv, session_id: _session, reader_id, ...row }) => ({
      ...row,
      original_id: `visitor-${String(reader_id)}`,
    }));
    return [
      line('ids given', await measure(write, 'loader-given', given)),
      line('the same file again', await measure(write, 'loader-given', given)),
      line('ids and sessions made', await measure(write, 'loader-made', made)),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function writeRows(
  file: string,
  views: number,
  change: (row: Record<string, unknown>) => object,
): Promise<void> {
  const out = createWriteStream(file);
  for (const view of demoViews({ now: new Date('2026-11-20T00:00:00Z'), views, seed: 7 })) {
    if (!out.write(`${JSON.stringify(change({ ...view }))}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

async function measure(write: Knex, site: string, file: string) {
  await applySites(write, {
    sites: [{ tracking_id: site, domain: 'example.com', name: site, timezone: 'UTC' }],
  });
  return measureImport(write, site, 'allpv', file, 'demo rows');
}

function line(what: string, cost: Awaited<ReturnType<typeof measure>>): string {
  const { rows, added, seconds, cpuSeconds, peakMegabytes } = cost;
  const perRow = ((cpuSeconds / Math.max(1, rows)) * 1e6).toFixed(1);
  return (
    `Import, ${what}: ${Math.round(rows / seconds).toLocaleString('en')} rows/s ` +
    `(${rows.toLocaleString('en')} read, ${added.toLocaleString('en')} added, ${perRow} µs of CPU in Node per row, ` +
    `peak of the whole process ${peakMegabytes.toFixed(0)} MB).`
  );
}
