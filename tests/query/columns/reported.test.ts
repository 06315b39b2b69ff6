// How the copy's state is reported: by commands, on a terminal while the copy is filled, by the health check, and in descriptions.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Workers } from '../../../extension/data/storage/workers';
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import {
  columnsFolder,
  columnsMemoryMbOf,
  columnsOfServer,
} from '../../../extension/query/columns/columns-of-server';
import {
  type ColumnsStatus,
  describeCopy,
  REBUILD_REQUEST,
  stateInWords,
} from '../../../extension/query/columns/columns-status';
import { plainOutput } from '../../../host-shim/cli/plain-output';
import { serve } from '../../../host-shim/cli/serve';
import { NO_TELEMETRY } from '../../../host-shim/extension-api';
import { PRODUCT } from '../../../host-shim/main';
import { configure } from '../../../host-shim/server/config';
import { loadManifest } from '../../../manifests/reader/manifest';
import { useCaseDatabase } from '../../language/query-setup';
import { openTestColumns } from '../../support/columns';
import { createMemoryLog } from '../../support/memory-log';
import { runCommand } from '../../support/run-command';
import { SETTINGS } from '../../support/test-host';
import { createTestTerminal } from '../../support/test-terminal';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';

const { database } = useCaseDatabase();
const withoutSites = useTestDatabase();
const dataDir = useFolder({ inMemory: true });

const run = (...args: readonly string[]) => runCommand({ database, dataDir }, ['columns', ...args]);
const open = (of = database) => openTestColumns(of, { folder: columnsFolder(dataDir) });
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Opens the copy in another process, as a server does. Returns a function that ends the process. */
async function openElsewhere(): Promise<() => Promise<void>> {
  const program = `require('@duckdb/node-api').DuckDBInstance.create(process.argv[1]).then((it) => {
    globalThis.it = it; console.log('open'); setInterval(() => {}, 1000); })`;
  const file = join(columnsFolder(dataDir), 'columns.duckdb');
  const child = spawn(process.execPath, ['-e', program, file], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.add(child);
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  };
}

describe('qal columns', () => {
  test('status reports that there is no copy', async () => {
    expect(await run('status')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('There is no columnar copy; a server creates it when it starts.'),
    });
  });

  test('status shows each site and the last status that the server saved', async () => {
    const columns = await open();
    await database
      .write('analytics.site_version')
      .whereIn('site_id', database.write('analytics.site').where({ tracking_id: 'blog' }).select('site_id'))
      .increment('data_version');
    const { code, out, err } = await run('status');
    expect(code).toBe(0);
    expect(out).toMatch(/^SITE +COPY +VERSION +LATEST +COPIED$/m);
    expect(out).toMatch(/^shop +current +\d+ +\d+ +\d{4}-\d\d-\d\dT/m);
    expect(out).toMatch(/^blog +behind +\d+ +\d+ /m);
    expect(err).toMatch(/^State: ready$/m);
    expect(err).toMatch(/^Size: \d+\.\d MB, [\d,]+ rows$/m);
    expect(err).toMatch(/^Sites: \d+ current, 1 behind, 0 not copied$/m);
    await columns.stop({ keep: true });
    expect((await run('status')).err).toMatch(/^State: stopped$/m);
  });

  test('rebuild and drop remove a copy that is not in use', async () => {
    for (const [command, message] of [
      ['rebuild', 'Removed. The server will build a new copy the next time it starts.\n'],
      ['drop', 'Removed.\n'],
    ] as const) {
      const columns = await open(withoutSites);
      await columns.stop({ keep: true });
      expect(await run(command)).toEqual({ code: 0, out: '', err: message });
      expect(await exists(columnsFolder(dataDir))).toBe(false);
    }
  });

  test('rebuild requests a new copy from the server, and drop fails while a server is running', async () => {
    await (await open(withoutSites)).stop({ keep: true });
    const request = join(columnsFolder(dataDir), REBUILD_REQUEST);
    const endServer = await openElsewhere();
    expect(await run('drop')).toMatchObject({
      code: 1,
      err: expect.stringContaining('First stop the server'),
    });
    expect(await run('rebuild')).toEqual({ code: 0, out: '', err: 'The server is building a new copy.\n' });
    expect(await exists(request)).toBe(true);
    await endServer();
    const columns = await open(withoutSites);
    expect(await exists(request)).toBe(false);
    expect(await columns.status()).toMatchObject({ state: 'ready', sites: expect.any(Array) });
    await columns.stop();
  });
});

test.each([
  [256, 64],
  [2_048, 192],
  [4_096, 704],
  [16_384, 1_536],
])('on a machine with %i MB, the copy may use %i MB of memory', (machineMb, expected) => {
  expect(columnsMemoryMbOf(machineMb)).toBe(expected);
});

test('a terminal shows the progress while all rows of a site are being copied', async () => {
  const shown: string[] = [];
  const { log } = createMemoryLog();
  const host = { clock: () => new Date(), log, database, telemetry: NO_TELEMETRY, dataDir };
  const columns = columnsOfServer({ ...SETTINGS, columns: true });
  columns.start({
    host,
    manifest: loadManifest(),
    queue: { use: () => ({ waiting: 0 }) },
    workers: NO_WORKERS,
  });
  columns.showFilling((total) => ({
    show: (done, remark) => void shown.push(`${done <= (total ?? -1) ? 'within' : 'beyond'}: ${remark}`),
    close: () => void shown.push('closed'),
  }));
  await columns.current()?.refresh();
  await columns.stop();
  expect(shown[0]).toMatch(/^within: columnar copy: \w+ of \w+, 0 of [\d,]+ rows$/);
  expect(shown).toContainEqual(expect.stringMatching(/of shop, [1-9][\d,]* of [\d,]+ rows$/));
  expect(shown.filter((line) => line.startsWith('beyond'))).toEqual([]);
  expect(shown.at(-1)).toBe('closed');
});

test("a server's audit pauses while queries are waiting", async () => {
  const host = {
    clock: () => new Date(),
    log: createMemoryLog().log,
    telemetry: NO_TELEMETRY,
    dataDir,
    // Without sites, the audit needs only one step.
    database: withoutSites,
  };
  let waiting = 1;
  const columns = columnsOfServer({ ...SETTINGS, columns: true, columnsAuditHours: 24 });
  columns.start({ host, manifest: loadManifest(), queue: { use: () => ({ waiting }) }, workers: NO_WORKERS });
  const auditedAt = async () => {
    await columns.current()?.refresh();
    return (await columns.current()?.status())?.auditedAt;
  };
  expect([await auditedAt(), await auditedAt()]).toEqual([undefined, undefined]);
  waiting = 0;
  expect(await auditedAt()).toEqual(expect.any(String));
  await columns.stop();
});

test('the health check and the metrics report the state of the copy', async () => {
  const stopping = new AbortController();
  const environment = {
    PORT: '0',
    DATABASE_URL: database.url,
    DATABASE_READ_URL: database.readUrl,
    DATA_DIR: dataDir,
    METRICS_TOKEN: 'a-token-for-this-test',
  };
  const { config, extensions: installed } = configure(PRODUCT.extensions, environment);
  let onReady = (_url: string) => {};
  const ready = new Promise<string>((resolve) => {
    onReady = resolve;
  });
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      const [, url] = /Ready at (\S+),/.exec(String(chunk)) ?? [];
      if (url !== undefined) onReady(url);
      done();
    },
  });
  const terminal = { ...createTestTerminal(), stdout: plainOutput(stdout) };
  const served = serve({
    product: PRODUCT,
    config,
    installed,
    terminal,
    clock: () => new Date(),
    log: createMemoryLog().log,
    signal: stopping.signal,
  });
  const url = await ready;
  const text = async (path: string) => (await fetch(url + path)).text();
  expect(await text('/healthz')).toBe('ok\n');
  await until(async () => /^Column store: fine, ready$/m.test(await text('/healthz?details=1')));
  const headers = { Authorization: `Bearer ${environment.METRICS_TOKEN}` };
  let metrics = '';
  await until(async () => {
    metrics = await (await fetch(`${url}/metrics`, { headers })).text();
    return /^qal_column_copy_rows [1-9]\d+$[\s\S]*^qal_column_copy_lag_seconds 0$/m.test(metrics);
  });
  expect(metrics).toMatch(/^qal_column_copy_ready 1$/m);
  expect(metrics).toMatch(/^qal_column_copy_bytes [1-9]\d+$/m);
  stopping.abort();
  await served;
});

describe('the description of', () => {
  const status: ColumnsStatus = {
    state: 'ready',
    sites: [
      { siteId: 1, version: 'a7', number: 7, copiedAt: 1_000 },
      { siteId: 2, version: 'b3', number: 3, copiedAt: 1_060 },
    ],
    bytes: 25_130_000,
    isCounted: true,
    rows: 1_200_000,
    differences: [],
  };
  const present = [
    { siteId: 1, version: 'a7' },
    { siteId: 2, version: 'b4' },
    { siteId: 3, version: 'c1' },
  ];
  const lines = (changes: Partial<ColumnsStatus>, away: Workers['away'] = []) =>
    new Map(describeCopy({ ...status, ...changes }, present, 1_090, away));

  test('a copy that is ready', () => {
    expect([...lines({})]).toEqual([
      ['State', 'ready'],
      ['Size', '25.1 MB, 1,200,000 rows'],
      ['Sites', '1 current, 1 behind, 1 not copied'],
      ['Last copied', '30 to 90 s ago, depending on the site'],
      ['In progress', 'nothing'],
      ['Last fault', 'none'],
      ['Audited', 'not yet'],
      ['Differences', 'none'],
    ]);
    expect(stateInWords(status)).toBe('ready');
  });

  test('a copy with sites whose worker does not respond', () => {
    const away = [{ place: '10.0.0.3:5432', sites: ['lost', 'gone'] }];
    expect(lines({}, away).get('Sites')).toBe(
      '1 current, 1 behind, 1 not copied, 2 unknown: the worker does not respond',
    );
  });

  test('a copy that is being filled', () => {
    const underWay = { trackingId: 'shop', table: 'page_view', rows: 1_000, of: 20_000 };
    expect(lines({ underWay }).get('In progress')).toBe('page_view of shop, 1,000 of 20,000 rows');
    expect(stateInWords({ ...status, underWay })).toBe('ready: being filled');
    expect(stateInWords({ ...status, underWay: { ...underWay, of: undefined } })).toBe(
      'ready: being updated',
    );
  });

  test('a copy that failed', () => {
    const failed = { state: 'unavailable', reason: 'It broke.' } as const;
    const lastFault = { at: '2026-05-01T10:00:00.000Z', reason: 'It broke.' };
    expect([...lines({ ...failed, sites: [], lastFault })]).toMatchObject([
      ['State', 'unavailable: It broke.'],
      ['Size', expect.any(String)],
      ['Sites', '0 current, 0 behind, 3 not copied'],
      ['Last copied', 'never'],
      ['In progress', 'nothing'],
      ['Last fault', '2026-05-01T10:00:00.000Z: It broke.'],
      ['Audited', 'not yet'],
      ['Differences', 'none'],
    ]);
    expect(stateInWords({ ...status, ...failed })).toBe('unavailable: It broke.');
  });
});
