// A server is killed or stopped while it is using its columnar copy.
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import {
  type ColumnsStatus,
  readSavedStatus,
  STATUS_FILE,
} from '../../../extension/query/columns/columns-status';
import { useCaseDatabase } from '../../language/query-setup';
import { expectEqualTables, openTestColumns } from '../../support/columns';
import { useProgram } from '../../support/program-process';
import { basicHeader } from '../../support/test-host';
import { useFolder } from '../../support/use-folder';

const { database } = useCaseDatabase();
const program = useProgram(join(__dirname, '../../../host-shim/cli/qal.ts'));
const dataDir = useFolder({ perFile: true, inMemory: true });
let folder: string;
let siteCount: number;
const DAYS = 60;
beforeAll(async () => {
  folder = join(dataDir, 'columns');
  siteCount = (await database.write('analytics.site').pluck('site_id')).length;
  // With this many rows, a full copy takes a moment.
  await database.write.raw(`
    INSERT INTO analytics.page_view SELECT view.*
      FROM analytics.page_view p JOIN analytics.site USING (site_id), generate_series(1, 5000) n,
           jsonb_populate_record(p, jsonb_build_object('pv_id', 10000 + n,
             'at', p.at + make_interval(days => n % ${DAYS}))) view
     WHERE tracking_id = 'shop' AND p.pv_id = 1`);
});

/** The secret of the first administrator, which the first start prints. */
let secret = '';
async function serve(more: Readonly<Record<string, string>> = {}) {
  const environment = { DATABASE_URL: database.url, DATABASE_READ_URL: database.readUrl, DATA_DIR: dataDir };
  const server = await program.serve({ ...environment, ...more });
  secret ||= /Application password +(.+)/.exec(server.text.out)?.[1] ?? '';
  return server;
}
type Server = Awaited<ReturnType<typeof serve>>;

/** An environment in which the server runs this code first. */
const atStart = (code: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
});

const TIMEOUT_MS = 120_000;

async function statusWhere(matches: (status: ColumnsStatus) => boolean): Promise<ColumnsStatus> {
  for (const before = performance.now(); ; await pause(5)) {
    const status = await readSavedStatus(folder);
    if (status !== undefined && matches(status)) return status;
    if (performance.now() - before > TIMEOUT_MS) throw new Error(`The status is ${JSON.stringify(status)}.`);
  }
}
const isComplete = ({ state, sites, underWay }: ColumnsStatus) =>
  state === 'ready' && sites.length === siteCount && underWay === undefined;

async function kill({ child, ended }: Server): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/** Counts the views since a given day. The column is called `name`. */
const countViews = (url: string, { since = '2020-01-01', name = 'n' } = {}) =>
  fetch(`${url}/wp-json/qa-platform/query`, {
    method: 'POST',
    headers: { Authorization: basicHeader({ login: 'admin', secret }), 'Content-Type': 'application/json' },
    body: JSON.stringify({
      tracking_id: 'shop',
      materials: [{ name: 'allpv' }],
      time: { start: `${since}T00:00:00`, end: '2030-01-01T00:00:00', tz: 'UTC' },
      make: { v: { from: ['allpv'], keep: ['allpv.url'], calc: { [name]: 'COUNTUNIQUE(allpv.pv_id)' } } },
      result: { use: 'v' },
    }),
  });

const answer = z.object({ result: z.object({ rows: z.array(z.tuple([z.string(), z.number()])) }) });

/** Sends queries at the same time, and expects the number of views that PostgreSQL has. */
async function expectCounts(url: string, clients: number): Promise<void> {
  const stored: { rows: { since: string; n: number }[] } = await database.write.raw(
    `SELECT since::text, (SELECT count(*)::int FROM analytics.page_view JOIN analytics.site USING (site_id)
                           WHERE tracking_id = 'shop' AND "at" >= since AT TIME ZONE 'UTC') AS n
       FROM (SELECT (min("at") AT TIME ZONE 'UTC')::date + generate_series(0, ?) AS since FROM analytics.page_view) days`,
    [DAYS - 1],
  );
  // Each client uses a different column name, so that clients do not share an answer.
  const answers = Array.from({ length: clients }, async (_, client) => {
    const { since, n } = stored.rows[client % DAYS] ?? { since: '', n: -1 };
    const ask = () => countViews(url, { since, name: `n${client}` });
    let response = await ask();
    // On a slow machine, the event loop lags, and the server refuses queries for a while.
    for (; response.status === 503; response = await ask())
      await pause(Number(response.headers.get('retry-after')) * 1000);
    const { result } = answer.parse(await response.json());
    return { counted: result.rows.reduce((sum, [, views]) => sum + views, 0), stored: n };
  });
  for (const { counted, stored } of await Promise.all(answers)) expect(counted).toBe(stored);
}

test('a server that was killed during the first full copy, a refresh and queries recovers with a correct copy, and 200 concurrent clients get their counts from it', async () => {
  const filling = await serve();
  await statusWhere(({ underWay }) => underWay !== undefined);
  await kill(filling);

  const refreshing = await serve();
  await statusWhere(isComplete);
  await database.write.raw('UPDATE analytics.page_view SET browse_sec = 99 WHERE pv_id > 10000');
  await statusWhere(({ underWay }) => underWay !== undefined);
  await kill(refreshing);

  const asking = await serve();
  await statusWhere(isComplete);
  const first = await countViews(asking.url);
  expect(first.status).toBe(200);
  const rest = Promise.allSettled(Array.from({ length: 8 }, () => countViews(asking.url)));
  await kill(asking);
  await rest;

  // The killed server's status would seem to be that of the next one.
  await rm(join(folder, STATUS_FILE));
  const last = await serve({ QAL_RATE_PER_HOUR: '0', QAL_RATE_PER_MINUTE: '0' });
  await statusWhere(isComplete);
  await expectCounts(last.url, 200);
  last.child.kill('SIGTERM');
  expect(await last.ended).toBe(0);
  const recorded = await database
    .write('analytics.query_record')
    .whereRaw(`body ~ '"n[0-9]+"'`)
    .groupBy('engine')
    .select('engine', database.write.raw('count(*)::int AS n'));
  expect(recorded).toEqual([{ engine: 'columns', n: 200 }]);
  const copy = await openTestColumns(database, { folder, isCounted: true });
  expect((await copy.status()).sites).toHaveLength(siteCount);
  await expectEqualTables(database, copy);
  await copy.stop({ keep: true });
});

test('if DuckDB cannot be loaded, the program starts, reports this once, and answers from rows', async () => {
  // Simulates a platform that DuckDB does not support.
  const load = `const { dlopen } = process;
    process.dlopen = (module, file, ...more) => {
      if (file.includes('duckdb')) throw new Error('cannot open shared object file');
      dlopen.call(process, module, file, ...more);
    }`;
  await rm(folder, { recursive: true, force: true });
  const server = await serve(atStart(load));
  const reports = () =>
    `${server.text.out}${server.text.err}`.match(/"msg":"DuckDB cannot be loaded on this platform/g);
  for (const before = performance.now(); reports() === null; await pause(20))
    expect(performance.now() - before).toBeLessThan(TIMEOUT_MS);
  expect((await countViews(server.url)).status).toBe(200);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(reports()).toHaveLength(1);
});

test('the program can be stopped even during work that cannot be interrupted', async () => {
  // Simulates a DuckDB statement, which uses the same Node.js threads. These threads keep the process alive until their work is
  // done, and opening a pipe that has no writer never ends.
  const pipe = join(dataDir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const server = await serve(
    atStart(`import { open } from 'node:fs'; open(${JSON.stringify(pipe)}, () => {})`),
  );
  server.child.kill('SIGTERM');
  await server.ended;
  expect(server.child.signalCode).toBe('SIGKILL');
});
