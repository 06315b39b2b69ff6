// Measures the importer: generated rows through a file, as `qal import` reads them.
// A database in -> lines of a report: rows per second with ids given and made, and the memory that it took.

import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { demoViews } from '../db/demo/demo-views';
import { type ImportReport, importFile } from '../db/import/import-file';
import { applySites } from '../db/sites/apply-sites';
import { loadManifest } from '../manifests/reader/manifest';

const ROWS = 500_000;
const SAMPLE_MS = 50;

interface Measured {
  readonly report: ImportReport;
  readonly peakMegabytes: number;
  readonly cpuMicroseconds: number;
}

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

async function measure(write: Knex, site: string, file: string): Promise<Measured> {
  await applySites(write, {
    sites: [{ tracking_id: site, domain: 'example.com', name: site, timezone: 'UTC' }],
  });
  let peak = 0;
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const before = process.cpuUsage();
  try {
    const report = await importFile({
      write,
      manifest: loadManifest(),
      material: 'allpv',
      site,
      input: createReadStream(file, { highWaterMark: 256 * 1024 }),
      format: 'ndjson',
      source: 'bench',
      onError: 'stop',
      clock: () => new Date(),
    });
    const used = process.cpuUsage(before);
    return { report, peakMegabytes: peak / 1e6, cpuMicroseconds: used.user + used.system };
  } finally {
    clearInterval(timer);
  }
}

function line(what: string, { report, peakMegabytes, cpuMicroseconds }: Measured): string {
  const perRow = (cpuMicroseconds / Math.max(1, report.read)).toFixed(1);
  return (
    `Import, ${what}: ${report.rowsPerSecond.toLocaleString('en')} rows/s ` +
    `(${report.read.toLocaleString('en')} read, ${report.added.toLocaleString('en')} added, ${perRow} µs of CPU in Node per row, ` +
    `peak of the whole process ${peakMegabytes.toFixed(0)} MB).`
  );
}
