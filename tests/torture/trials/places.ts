import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { basicHeader } from '../../support/test-host';
import { createInstallation, type Installation, type Outcome, type Server } from '../installation';
import { isRaw } from '../is-raw';
import { withDisk } from '../small-disk';
import type { Report, Trial } from '../trial';

const SITES = 'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n';
const VIEWS = 200_000;
/** In megabytes. An installation with one site fits, but the views do not. */
const SMALL = 110;
const LARGE = 600;
const TOO_SMALL = 12;

const lines = (views: number): string =>
  Array.from(
    { length: views },
    (_, index) =>
      `{"pv_id":${index + 1},"url":"https://shop.example/${index}","access_time":${1_767_225_600 + index * 60},"title":"A title of some length ${index}"}\n`,
  ).join('');

function expectMessage(what: string, { code, out, err }: Outcome, words: RegExp, report: Report): void {
  if (code !== 0 && words.test(err) && !isRaw(out + err)) return;
  report.fault('wrong', `${what} exited with ${code} and this message: ${err || out}`);
}

function expectSuccess(what: string, { code, err }: Outcome, report: Report): void {
  if (code !== 0 || isRaw(err)) report.fault('wrong', `${what} exited with ${code}: ${err}`);
}

async function expectViews(installation: Installation, expected: number, report: Report): Promise<void> {
  const [row] = await installation.sql<{ views: number }>(
    'SELECT count(*)::int AS views FROM analytics.page_view',
  );
  if (row?.views !== expected) report.fault('lost', `${row?.views} views are stored, not ${expected}`);
}

const isReady = ({ url }: Server) => fetch(`${url}/readyz`).then(({ status }) => status === 200);

async function stop({ child, ended }: Server, report: Report): Promise<void> {
  child.kill('SIGTERM');
  const code = await ended;
  if (code !== 0) report.fault('wrong', `a server that was stopped exited with ${code}`);
}

async function withInstallation(
  work: (installation: Installation) => Promise<void>,
  folder?: string,
): Promise<void> {
  const installation = await createInstallation({}, folder);
  try {
    await work(installation);
  } finally {
    await installation.remove();
  }
}

const applySites = (installation: Installation) => installation.run(['sites', 'apply', '-'], {}, SITES);
const importViews = (installation: Installation, views: number) =>
  installation.run(['import', 'allpv', '--site', 'shop', '-'], {}, lines(views));

const FULL = /The data directory's disk is full\. Free up space/;

async function fillDiskByImport(report: Report): Promise<void> {
  await withDisk(SMALL, async ({ folder, resize }) =>
    withInstallation(async (installation) => {
      const server = await installation.serve();
      expectSuccess('sites apply', await applySites(installation), report);
      expectSuccess('a small import', await importViews(installation, 10), report);
      const full = await importViews(installation, VIEWS);
      expectMessage('an import that fills the disk', full, /nothing was imported/i, report);
      const survived = await recovers(server);
      if (!survived) {
        expectMessage('the server', { code: await server.ended, ...server.text }, FULL, report);
        expectMessage('a command on the full disk', await installation.run(['sites', 'list']), FULL, report);
      }
      resize(LARGE);
      const next = survived ? server : await installation.serve();
      await expectViews(installation, 10, report);
      expectSuccess('the same import after space was freed', await importViews(installation, VIEWS), report);
      await expectViews(installation, VIEWS, report);
      await stop(next, report);
    }, folder),
  );
}

/** Returns whether the server becomes ready again without a restart. PostgreSQL may end all sessions or shut down. */
async function recovers(server: Server): Promise<boolean> {
  const ended = server.ended.then(() => true);
  for (const before = Date.now(); Date.now() - before < 60_000; ) {
    if (await isReady(server).catch(() => false)) return true;
    if (await Promise.race([ended, pause(200, false)])) return false;
  }
  throw new Error(`The server is not ready: ${server.text.err}`);
}

async function startOnFullDisk(report: Report): Promise<void> {
  await withDisk(TOO_SMALL, async ({ folder, resize }) =>
    withInstallation(async (installation) => {
      expectMessage('the first start on a full disk', await installation.run(['migrate']), FULL, report);
      resize(LARGE);
      expectSuccess('the same command after space was freed', await installation.run(['migrate']), report);
    }, folder),
  );
}

async function turnReadOnly(report: Report): Promise<void> {
  await withDisk(LARGE, async ({ folder, setReadOnly }) =>
    withInstallation(async (installation) => {
      expectSuccess('sites apply', await applySites(installation), report);
      expectSuccess('a small import', await importViews(installation, 10), report);
      setReadOnly(true);
      for (const args of [
        ['sites', 'list'],
        ['serve', '--port', '0'],
        ['import', 'allpv', '--site', 'shop', '-'],
      ])
        expectMessage(`${args[0]} on a read-only disk`, await installation.run(args), /read-only/, report);
      setReadOnly(false);
      expectSuccess('sites list', await installation.run(['sites', 'list']), report);
      const server = await installation.serve();
      await expectViews(installation, 10, report);
      await stop(server, report);
    }, folder),
  );
}

/** Loaded into the server. On SIGUSR2, its clock is set back by an hour. */
const SET_BACK = `data:text/javascript,${encodeURIComponent(`
  const now = Date.now;
  let behind = 0;
  Date.now = () => now() - behind;
  const Real = Date;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args) => args.length === 0 ? new target(Date.now()) : new target(...args),
    apply: () => new Real(Date.now()).toString(),
  });
  process.on('SIGUSR2', () => { behind = 3600_000; });
`)}`;

async function setClockBack(report: Report): Promise<void> {
  await withInstallation(async (installation) => {
    const server = await installation.serve({
      NODE_OPTIONS: `--import=${SET_BACK}`,
      QAL_RATE_PER_MINUTE: '5',
      QAL_RATE_PER_HOUR: '8',
    });
    expectSuccess('sites apply', await applySites(installation), report);
    const ask = () =>
      fetch(`${server.url}/wp-json/qa-platform/guide`, {
        headers: { Authorization: basicHeader({ login: 'admin', secret: server.secret }) },
      });
    for (let count = 0; count < 3; count++) await ask();
    server.child.kill('SIGUSR2');
    let refused: Response | undefined;
    for (let count = 0; count < 10; count++) {
      const answer = await ask();
      if (answer.status === 429) refused = answer;
      else if (answer.status !== 200) report.fault('wrong', `after the clock was set back: ${answer.status}`);
    }
    const seconds = Number(refused?.headers.get('retry-after') ?? Number.NaN);
    if (!(seconds >= 1 && seconds <= 3_600))
      report.fault('wrong', `an hourly limit has Retry-After: ${seconds}`);
    expectSuccess('a small import', await importViews(installation, 10), report);
    await expectViews(installation, 10, report);
    await stop(server, report);
  });
}

async function usePortAndDirectory(report: Report): Promise<void> {
  await withInstallation(async (installation) => {
    const server = await installation.serve();
    const { port } = new URL(server.url);
    await withInstallation(async (other) =>
      expectMessage('a server on a port in use', await other.run(['serve', '--port', port]), /PORT/, report),
    );
    const second = await installation.run(['serve', '--port', '0']);
    expectMessage('a second server in the same directory', second, /is in use by/, report);
    if (!(await isReady(server))) report.fault('wrong', 'the first server was disturbed');
    await stop(server, report);
  });
}

/** Starts with a database that a newer release has migrated, and with a data directory from PostgreSQL 13. */
async function startOnOtherVersions(report: Report): Promise<void> {
  await withInstallation(async (installation) => {
    const server = await installation.serve();
    await installation.sql(`INSERT INTO migrations.applied_file VALUES ('host', '9999-from-the-future')`);
    await stop(server, report);
    expectMessage('a newer schema', await installation.run(['serve', '--port', '0']), /newer/, report);
    const file = join(installation.dataDir, 'postgres', 'PG_VERSION');
    const version = await readFile(file, 'utf8');
    await writeFile(file, '13\n');
    const otherVersion = await installation.run(['sites', 'list']);
    expectMessage('a different version of PostgreSQL', otherVersion, /PostgreSQL 13/, report);
    await writeFile(file, version);
  });
}

const CASES: readonly ((report: Report) => Promise<void>)[] = [
  fillDiskByImport,
  startOnFullDisk,
  turnReadOnly,
  setClockBack,
  usePortAndDirectory,
  startOnOtherVersions,
];

export const places: Trial = {
  name: 'places',
  title:
    'With a full or read-only disk, a clock set back, a port or directory in use, or data from another version, the message says what to do, and nothing is damaged',
  tries: CASES.length,
  async run(_dice, report) {
    for (const tryOut of CASES) {
      report.tried();
      await tryOut({ ...report, fault: (kind, what) => report.fault(kind, `${tryOut.name}: ${what}`) });
    }
  },
};
