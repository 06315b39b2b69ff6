// The importer: generated rows through a file, as `qal import` reads them.
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { demoViews } from '../extension/demo/demo-views';
import { applySites } from '../extension/storage/sites/apply-sites';
import { measureImport } from './data/load';

const ROWS = 500_000;

/** Loads the same rows with given ids, once more, and with generated ids; a sentence for each. */
export async function measureLoader(write: Knex): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'qal-loader-'));
  try {
    const given = join(directory, 'given.ndjson');
    const generated = join(directory, 'generated.ndjson');
    await writeRows(given, (row) => row);
    await writeRows(generated, ({ pv_id: _pv, session_id: _session, reader_id, ...row }) => ({
      ...row,
      original_id: `visitor-${String(reader_id)}`,
    }));
    return [
      line('given ids', await measure(write, 'loader-given', given)),
      line('the same file again', await measure(write, 'loader-given', given)),
      line('generated ids and sessions', await measure(write, 'loader-generated', generated)),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function writeRows(file: string, change: (row: Record<string, unknown>) => object): Promise<void> {
  const out = createWriteStream(file);
  for (const view of demoViews({ now: new Date('2026-11-20T00:00:00Z'), views: ROWS, seed: 7 })) {
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
