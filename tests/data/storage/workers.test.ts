// A Citus worker that does not respond affects only its own sites. The cluster is simulated here; `make test-citus` uses a real
// one.
import { Readable } from 'node:stream';
import { openWritePool } from '../../../db/write-pool';
import { ConnectionLost } from '../../../extension/data/import/import-error';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import { removeOldVisits } from '../../../extension/data/removal/old-visits';
import { removeData } from '../../../extension/data/removal/remove-data';
import { startRetention } from '../../../extension/data/removal/retention';
import { undoImport } from '../../../extension/data/removal/undo-import';
import { saveGoal } from '../../../extension/data/storage/goals/save-goal';
import { watchWorkers } from '../../../extension/data/storage/in-transaction';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { permittedSites, siteOverview } from '../../../extension/data/storage/sites/list-sites';
import { saveSite } from '../../../extension/data/storage/sites/save-site';
import { readSiteYaml } from '../../../extension/data/storage/sites/site-file';
import { stateOfSite, statesOfSites } from '../../../extension/data/storage/sites/site-states';
import { createWorkers, NO_WORKERS, WorkerUnavailable } from '../../../extension/data/storage/workers';
import { workersCheck } from '../../../extension/data/storage/workers-check';
import { isUnavailable } from '../../../host-shim/extension-api';
import { loadManifest } from '../../../manifests/reader/manifest';
import { type FakeWorker, fakeCitus } from '../../support/fake-citus';
import { createMemoryLog } from '../../support/memory-log';
import { removalHost } from '../../support/removal-host';
import { runCommand } from '../../support/run-command';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase();
const { log, logged } = createMemoryLog();
let setWorkers: Awaited<ReturnType<typeof fakeCitus>>;
let ids: readonly number[];

beforeAll(async () => {
  const site = (name: string) =>
    `  - { tracking_id: ${name}, domain: ${name}.example, name: ${name}, timezone: UTC }\n`;
  await applySites(database.write, readSiteYaml(`sites:\n${site('one')}${site('two')}`));
  setWorkers = await fakeCitus(database.write);
  ids = (await permittedSites(database.read, ['one', 'two'])).map(({ siteId }) => siteId);
});

/** The site with a changed name. */
const siteTwo = {
  trackingId: 'two',
  domain: 'two.example',
  name: 'Two',
  timezone: 'UTC',
  isDefault: false,
  retentionDays: null,
};

const look = ({ look }: ReturnType<typeof createWorkers>) => look({ read: database.read, log });

const workersOf = (...states: FakeWorker['state'][]): readonly FakeWorker[] =>
  states.map((state, index) => ({ group: ids[index] ?? 0, state }));

const nodeAt = (index: number) => `10.0.0.${ids[index]}:5432`;

test('on one machine, every site is reachable', () => {
  expect(NO_WORKERS.reachable).toBeNull();
  expect(NO_WORKERS.guard([1, 2]).aborted).toBe(false);
  expect(NO_WORKERS.isAway(1)).toBe(false);
});

test('while all workers respond, all sites are reachable', async () => {
  const watcher = createWorkers();
  await setWorkers(workersOf('responds', 'responds'));
  await look(watcher);
  const { places, away, reachable } = watcher.workers;
  expect({ places, away, reachable }).toEqual({ places: [nodeAt(0), nodeAt(1)], away: [], reachable: null });
});

test.each(['refused', 'disabled'] as const)('a %s worker affects only its own sites', async (state) => {
  const watcher = createWorkers();
  const { workers } = watcher;
  await setWorkers(workersOf('responds', 'responds'));
  await look(watcher);
  const [one = 0, two = 0] = ids;
  const guardOne = workers.guard([one]);
  const guardTwo = workers.guard([two]);
  const others = [workers.guard('reachable'), workers.guard('all')];
  await setWorkers(workersOf('responds', state));
  await look(watcher);
  expect(workers.away).toEqual([{ place: nodeAt(1), sites: ['two'] }]);
  expect(workers.reachable).toEqual([one]);
  expect(await workersCheck(workers).look()).toMatchObject({
    state: 'warning',
    brief: '1 of 2 not responding',
  });
  expect(await workersCheck({ ...workers, away: [...workers.away, ...workers.away] }).look()).toMatchObject({
    state: 'failing',
    brief: '2 of 2 not responding',
  });
  expect([workers.isAway(one), workers.isAway(two)]).toEqual([false, true]);
  expect([guardOne, guardTwo, ...others].map(({ aborted }) => aborted)).toEqual([false, true, true, true]);
  expect(guardTwo.reason).toEqual(new WorkerUnavailable(nodeAt(1)));
  expect(isUnavailable(guardTwo.reason)).toBe(true);
  expect(() => workers.check([one])).not.toThrow();
  expect(() => workers.guard([one, two])).toThrow(WorkerUnavailable);
  expect(() => workers.checkSite('two')).toThrow(new WorkerUnavailable(nodeAt(1)));
  workers.checkSite('one');
  expect(workers.guard('reachable').aborted).toBe(false);
  for (const sites of [[two], 'all'] as const)
    expect(() => workers.check(sites)).toThrow(new WorkerUnavailable(nodeAt(1)));

  const reader = { database: database.read, sites: 'all', workers } as const;
  expect(await stateOfSite('one', reader)).toHaveLength(1);
  await expect(stateOfSite('two', reader)).rejects.toThrow(WorkerUnavailable);
  await expect(statesOfSites(reader)).rejects.toThrow(WorkerUnavailable);
  await expect(statesOfSites({ ...reader, sites: ['one', 'two'] })).rejects.toThrow(WorkerUnavailable);
  expect(await statesOfSites({ ...reader, sites: ['one'] })).toHaveLength(1);
  const overview = await siteOverview(database.read, ['one', 'two'], workers);
  expect(overview.map(({ trackingId, isAway }) => [trackingId, isAway])).toEqual([
    ['one', false],
    ['two', true],
  ]);

  await setWorkers(workersOf('responds', 'responds'));
  await look(watcher);
  expect([workers.away, workers.reachable, workers.isAway(two)]).toEqual([[], null, false]);
  expect(workers.guard([two]).aborted).toBe(false);
});

test('if hourly work fails because a worker does not respond, the log has a warning that names the worker; any other failure is logged as an error', async () => {
  const { log, logged } = createMemoryLog();
  const failing = (error: Error) => ({ failure: 'It failed', run: () => Promise.reject(error) });
  const remote = 'connection to the remote node me@10.0.0.9:5432 failed with the following error: refused';
  const errors = [
    new WorkerUnavailable(nodeAt(1)),
    Object.assign(new Error(remote), { name: 'error' }),
    new Error('x'),
  ];
  const retention = startRetention({ log, clock: () => new Date('2026-05-02') }, errors.map(failing));
  await retention.stop();
  expect(logged.map(({ level, msg }) => [level, msg])).toEqual([
    [40, `It failed. The Citus worker ${nodeAt(1)} does not respond. The next attempt is in an hour.`],
    [40, 'It failed. The Citus worker 10.0.0.9:5432 does not respond. The next attempt is in an hour.'],
    [50, 'It failed. The next attempt is in an hour.'],
  ]);
});

test('an import into a reachable site requires all workers if it contains a new browser; without them, nothing is stored', async () => {
  const watcher = createWorkers();
  const { workers } = watcher;
  watchWorkers(database.write, workers);
  await setWorkers(workersOf('responds', 'refused'));
  await look(watcher);
  const load = (site: string, browsers: readonly string[], dryRun?: { readonly rows: number }) => {
    const lines = browsers.map((browser, second) => ({
      access_time: `2026-05-01T10:00:0${second}Z`,
      url: `https://${site}.example/`,
      browser,
    }));
    const input = Readable.from(lines.map((line) => `${JSON.stringify(line)}\n`));
    const options = {
      clock: () => new Date('2026-05-02'),
      onError: 'stop',
      source: 'test',
      format: 'ndjson',
    } as const;
    const { write } = database;
    return importFile({
      ...options,
      write,
      workers,
      manifest: loadManifest(),
      material: 'allpv',
      site,
      input,
      ...(dryRun && { dryRun }),
    });
  };
  const away = `The Citus worker ${nodeAt(1)} does not respond.`;
  await expect(load('one', ['Mosaic', 'Lynx', 'Mosaic'])).rejects.toThrow(
    new ConnectionLost(
      `New browser: "Mosaic" (and 1 more). Citus stores such values on all workers or on none. ${away} Nothing from this file was imported. Import it again when the worker is back.`,
      new WorkerUnavailable(nodeAt(1)),
    ),
  );
  await expect(load('two', ['Mosaic'])).rejects.toThrow(
    new ConnectionLost(
      `${away} Nothing was imported. Import the file again when the worker is back.`,
      new WorkerUnavailable(nodeAt(1)),
    ),
  );
  expect((await load('one', ['Mosaic'], { rows: 1 })).added).toBe(1);
  const stored = async (table: string) => (await database.write(`analytics.${table}`).select()).length;
  expect([await stored('browser'), await stored('page_view')]).toEqual([0, 0]);
  expect(await database.write('analytics.import_run').pluck('status')).toEqual(['failed']);

  await setWorkers(workersOf('responds', 'responds'));
  await look(watcher);
  expect((await load('one', ['Mosaic', 'Lynx'])).added).toBe(2);
  await setWorkers(workersOf('responds', 'refused'));
  await look(watcher);
  expect((await load('one', ['Lynx', 'Mosaic'])).updated).toBe(2);
  watchWorkers(database.write, NO_WORKERS);
});

test.each(['import', 'removal', 'retention', 'undo', 'goal'] as const)(
  "a change (%s) ends when its site's worker stops responding, and is refused until the worker responds again",
  async (kind) => {
    const watcher = createWorkers();
    await setWorkers(workersOf('responds', 'responds'));
    await look(watcher);
    const connection = { connectionString: database.url };
    const write = openWritePool({ connection, name: 'x', settings: {}, poolMax: 3, onPoolError: () => {} });
    watchWorkers(write, watcher.workers);
    const manifest = loadManifest();
    const rows = [{ access_time: '2026-05-01T10:00:00Z', url: `https://two.example/${kind}` }];
    const load = () =>
      importRows(write, manifest, { material: 'allpv', site: 'two', rows, workers: watcher.workers });
    const { importId = 0 } = await load();
    await write('analytics.site')
      .where({ tracking_id: 'two' })
      .update({ retention_days: kind === 'retention' ? 30 : null });
    const clock = () => new Date('2026-05-02');
    const host = removalHost({ read: database.read, write }, clock);
    const goal = { id: 1, name: 'x', type: 'gtype_page', condition: { url: '/', match: 'contains' } };
    const changes: Record<typeof kind, () => Promise<unknown>> = {
      import: load,
      removal: () =>
        removeData(
          { host, manifest, trackingId: 'two', login: 'ann' },
          { kind: 'days', from: '2026-05-01', to: '2026-05-01' },
        ),
      retention: () => removeOldVisits({ write, manifest, log, clock }, new AbortController().signal),
      undo: () => undoImport({ write, manifest, importId, login: 'ann', clock }),
      goal: () => saveGoal(write, 'two', goal, 'add'),
    };
    await database.write.transaction(async (other) => {
      await other.raw(`LOCK TABLE analytics.${kind === 'import' ? 'goal' : 'page_view'}`);
      const { rows: own } = await other.raw('SELECT pg_backend_pid() AS pid');
      const ended = expect(changes[kind]()).rejects.toThrow(
        kind === 'import' ? ConnectionLost : new WorkerUnavailable(nodeAt(1)),
      );
      await until(async () => {
        const blocked = await other.raw('SELECT FROM pg_stat_activity WHERE ? = ANY(pg_blocking_pids(pid))', [
          own[0].pid,
        ]);
        return blocked.rows.length > 0;
      });
      await setWorkers(workersOf('responds', 'refused'));
      await look(watcher);
      await ended;
    });
    await expect(changes[kind]()).rejects.toThrow(new WorkerUnavailable(nodeAt(1)).message);
    await expect(saveSite(write, siteTwo, 'change')).rejects.toThrow(new WorkerUnavailable(nodeAt(1)));
    await setWorkers(workersOf('responds', 'responds'));
    await look(watcher);
    await changes[kind]();
    await write.destroy();
  },
);

test('a worker that does not respond is also treated as unreachable, and is logged once with its sites', async () => {
  const watcher = createWorkers();
  await setWorkers(workersOf('silent', 'responds'));
  logged.length = 0;
  for (let looks = 0; looks < 2; looks += 1) await look(watcher);
  expect(watcher.workers.away).toEqual([{ place: nodeAt(0), sites: ['one'] }]);
  await setWorkers(workersOf('responds', 'responds'));
  await look(watcher);
  expect(logged).toMatchObject([
    { level: 40, worker: nodeAt(0), sites: ['one'] },
    { level: 30, worker: nodeAt(0), sites: ['one'] },
  ]);
});

test('a server keeps checking until it stops', async () => {
  const watcher = createWorkers();
  await setWorkers(workersOf('refused', 'responds'));
  watcher.start({ read: database.read, log, everyMs: 1 });
  watcher.start({ read: database.read, log, everyMs: 1 });
  await until(() => watcher.workers.away.length === 1);
  await setWorkers(workersOf('responds', 'responds'));
  await until(() => watcher.workers.away.length === 0);
  await watcher.stop();
});

test('a command that is running ends when a worker stops responding', async () => {
  const { read, readerRole } = database;
  const connection = { connectionString: database.url };
  // A lost connection is not an error of this pool.
  const write = openWritePool({ connection, name: 'x', settings: {}, poolMax: 3, onPoolError: () => {} });
  await setWorkers(workersOf('responds', 'responds'));
  await importRows(write, loadManifest(), {
    material: 'allpv',
    site: 'two',
    rows: [{ access_time: '2026-05-03T10:00:00Z', url: 'https://two.example/' }],
  });
  // True only for the reader, which looks up the workers. The tables are on one machine.
  await database.write.raw(
    `CREATE OR REPLACE FUNCTION analytics.is_divided() RETURNS boolean LANGUAGE sql RETURN current_user = '${readerRole}'`,
  );
  const day = ['--from', '2026-05-03', '--to', '2026-05-03'];
  await database.write.transaction(async (other) => {
    await other.raw('LOCK TABLE analytics.page_view IN SHARE MODE');
    const { rows: own } = await other.raw('SELECT pg_backend_pid() AS pid');
    const running = runCommand({ database: { read, write, readerRole } }, [
      'data',
      'delete',
      '--site',
      'two',
      ...day,
      '--yes',
    ]);
    await until(async () => {
      const blocked = await other.raw('SELECT FROM pg_stat_activity WHERE ? = ANY(pg_blocking_pids(pid))', [
        own[0].pid,
      ]);
      return blocked.rows.length > 0;
    });
    await setWorkers(workersOf('responds', 'refused'));
    expect(await running).toMatchObject({
      code: 1,
      err: `The Citus worker ${nodeAt(1)} does not respond. Run the command again when the worker is back.\n`,
    });
  });
  await write.destroy();
});
