// Measures the importer: rows with ids, the same file again, and rows whose ids and sessions are generated.

import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { demoViews } from '../extension/data/demo/demo-views';
import { applySites } from '../extension/data/storage/sites/apply-sites';
import { withBenchHost } from './host';
import { importBy, type LoadCost } from './import-by';

export interface LoaderCosts {
  readonly given: LoadCost;
  readonly again: LoadCost;
  readonly generated: LoadCost;
}

const SITES = ['given', 'generated'];

/** Uses a separate database in the directory. */
export async function measureLoader(directory: string, views: number): Promise<LoaderCosts> {
  const dataDir = join(directory, 'database');
  mkdirSync(dataDir, { recursive: true });
  const given = join(directory, 'given.ndjson');
  const generated = join(directory, 'generated.ndjson');
  await writeRows(given, views, (row) => row);
  await writeRows(generated, views, ({ pv_id: _pv, session_id: _session, reader_id, ...row }) => ({
    ...row,
    original_id: `visitor-${String(reader_id)}`,
  }));
  return withBenchHost({ dataDir, queryTimeoutSeconds: 60 }, async ({ installation }) => {
    await applySites(installation.database.write, {
      sites: SITES.map((site) => ({
        tracking_id: site,
        domain: 'example.com',
        name: site,
        timezone: 'UTC',
      })),
    });
    const load = (file: string, site: string) => importBy(dataDir, ['allpv', file, '--site', site]);
    return {
      given: await load(given, 'given'),
      again: await load(given, 'given'),
      generated: await load(generated, 'generated'),
    };
  });
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
