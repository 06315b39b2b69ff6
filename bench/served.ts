// Measures the server in a separate process, as a user would start it: throughput, memory, and how soon imported data becomes visible.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type ServedProgram, startServer } from './command';
import { BENCH_SITES, LARGE_SITE, urlOf } from './data/shape';
import { type BenchHost, copyIsCurrent, deleteStatusFile, waitForCopy, waitForCounts } from './host';
import { importBy } from './import-by';
import { dashboardTargets, measureThroughput, type Throughput } from './throughput';

export interface ServerMeasurements {
  readonly throughput: readonly Throughput[];
  readonly startedMegabytes: number;
  readonly busyMegabytes: number;
  readonly peakMegabytes: number;
  readonly refresh: Refresh;
}

/** An import of one more day. */
interface Refresh {
  readonly rows: number;
  readonly importSeconds: number;
  /** The time from the commit until answers from the columnar copy include the day. */
  readonly visibleMs: number;
}

const DAY_VIEWS = 30_000;
const DAY_SECONDS = 86_400;
const VIEWS_PER_VISIT = 4;
const POLL_MS = 20;

/** Starts a server on the host's data directory. The host itself must not have the columnar copy open. */
export async function measureServed(
  host: BenchHost,
  directory: string,
  dataDir: string,
): Promise<ServerMeasurements> {
  const { write } = host.installation.database;
  deleteStatusFile(dataDir);
  const server = await startServer(dataDir);
  return measureWhile(server, async () => {
    await waitForCopy(write, dataDir);
    await waitForCounts(dataDir);
    const startedMegabytes = server.residentMegabytes();
    const throughput = await measureThroughput(dashboardTargets(host, server.url));
    const busyMegabytes = server.residentMegabytes();
    return {
      startedMegabytes,
      busyMegabytes,
      throughput,
      refresh: await measureRefresh(write, directory, dataDir),
    };
  });
}

async function measureWhile(
  server: ServedProgram,
  measure: () => Promise<Omit<ServerMeasurements, 'peakMegabytes'>>,
): Promise<ServerMeasurements> {
  try {
    const measured = await measure();
    return { ...measured, ...(await server.stop()) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Imports the day after the last one, so that no result in the comparison changes. */
async function measureRefresh(write: Knex, directory: string, dataDir: string): Promise<Refresh> {
  const file = join(directory, 'day.ndjson');
  await writeDay(write, file);
  const { version: before } = await largeSite(write);
  const finished = new AbortController();
  const visible = timeUntilVisible(write, dataDir, before, finished.signal);
  const importing = importBy(dataDir, ['allpv', file, '--site', LARGE_SITE]).catch((error: unknown) => {
    finished.abort(error);
    throw error;
  });
  const [visibleMs, { rows, seconds }] = await Promise.all([visible, importing]);
  return { rows, importSeconds: seconds, visibleMs };
}

async function timeUntilVisible(
  write: Knex,
  dataDir: string,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  let committedAt: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    if (committedAt === undefined && (await largeSite(write)).version > before)
      committedAt = performance.now();
    if (committedAt !== undefined && (await copyIsCurrent(write, dataDir)))
      return performance.now() - committedAt;
    await pause(POLL_MS);
  }
}

/** The version of the large site's data. */
async function largeSite(write: Knex): Promise<{ readonly siteId: number; readonly version: number }> {
  const [site] = await write
    .from('analytics.site')
    .join('analytics.site_version', { 'site_version.site_id': 'site.site_id' })
    .where({ tracking_id: LARGE_SITE })
    .select<{ siteId: number; version: number }[]>({ siteId: 'site.site_id', version: 'data_version' });
  if (site === undefined) throw new Error(`The site ${LARGE_SITE} does not exist.`);
  return { siteId: site.siteId, version: Number(site.version) };
}

async function writeDay(write: Knex, file: string): Promise<void> {
  const { siteId } = await largeSite(write);
  const { rows }: { rows: { view: number; session: number; midnight: number }[] } = await write.raw(
    `SELECT max(pv_id)::float8 AS view, max(session_id)::float8 AS session,
            extract(epoch FROM date_trunc('day', max(at)) + interval '1 day')::float8 AS midnight
       FROM analytics.page_view WHERE site_id = ?`,
    [siteId],
  );
  const [last] = rows;
  const site = BENCH_SITES.find(({ trackingId }) => trackingId === LARGE_SITE);
  if (last === undefined || site === undefined) throw new Error(`The site ${LARGE_SITE} has no page views.`);
  const lines = Array.from({ length: DAY_VIEWS }, (_, view) => {
    const visit = Math.floor(view / VIEWS_PER_VISIT);
    return JSON.stringify({
      pv_id: last.view + view + 1,
      session_id: last.session + visit + 1,
      reader_id: visit + 1,
      access_time: last.midnight + Math.floor((view * DAY_SECONDS) / DAY_VIEWS),
      url: urlOf(site, (view * 37) % site.pages),
      device_type: 'PC',
      browser: 'Safari 18',
      country_code: 'JP',
      browse_sec: view % 100,
    });
  });
  writeFileSync(file, `${lines.join('\n')}\n`);
}
