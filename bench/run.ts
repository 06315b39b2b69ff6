// `make bench`: starts an installation of its own, measures, prints the tables and writes them to docs/performance.md.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { loadDemo } from '../db/demo/load-demo';
import { createApplicationPassword } from '../host-shim/auth/application-password-store';
import { createUser } from '../host-shim/auth/users';
import { readConfig } from '../host-shim/config';
import { createHostService } from '../host-shim/host-service';
import { listen } from '../host-shim/http-server';
import { createLog } from '../host-shim/logging';
import { type Installation, openInstallation } from '../host-shim/main';
import { bodyOf, DEMO_QUERIES } from './demo-queries';
import { measureLoader } from './loader';
import { measureDashboard, measurePages } from './page-times';
import { measureRequestCosts, median, type Target } from './request-cost';

const clock = () => new Date();
const PAGE = join(__dirname, '..', 'docs', 'performance.md');
const PASSWORD = 'a login password';
const MARK = '<!-- written by make bench: everything below this line -->';

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'qal-bench-'));
  try {
    const config = readConfig({ DATA_DIR: join(directory, 'data'), QAL_ENVIRONMENT: 'local' });
    const log = createLog('error', process.stderr);
    const started = performance.now();
    const installation = await openInstallation(config, { log, clock });
    const startSeconds = (performance.now() - started) / 1000;
    try {
      const sections = [
        `First start (new database cluster, migrations, extension): ${startSeconds.toFixed(1)} s.`,
        ...(await measureDemo(installation)),
        ...(await measureLoader(installation.database.write)),
      ];
      publish(sections);
    } finally {
      await installation.database.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The demo's load, each query's first and usual time at the client, and what a request costs beside the database. */
async function measureDemo({ extensions, database }: Installation): Promise<readonly string[]> {
  const now = clock();
  const loading = performance.now();
  await loadDemo(database.write, { now, onProgress: () => {} });
  const loadSeconds = (performance.now() - loading) / 1000;
  const log = createLog('error', process.stderr);
  const rest = await createHostService({
    name: 'bench',
    description: 'bench',
    restPrefix: '/wp-json',
    environment: 'local',
    trustProxy: undefined,
    rateLimits: { perHour: 0, perMinute: 0, pagesPerMinute: 0 },
    loginGuard: { failures: 0, windowSeconds: 60 },
    pageLoginGuard: { failures: 0, windowSeconds: 60 },
    extensions,
    database,
    clock,
    log,
  });
  const server = await listen(rest.app, { host: '127.0.0.1', port: 0 });
  try {
    const tools = { clock, randomBytes };
    const userId = await createUser(
      database.write,
      { login: 'bench', role: 'administrator', sites: [], password: PASSWORD },
      tools,
    );
    const { secret } = await createApplicationPassword(database.write, { userId, name: 'bench' }, tools);
    const target = (body: string): Target => ({
      url: `${server.url}/wp-json/qa-platform/query`,
      headers: {
        Authorization: `Basic ${Buffer.from(`bench:${secret}`).toString('base64')}`,
        'Content-Type': 'application/json',
      },
      body,
    });
    const rows: string[][] = [];
    for (const query of DEMO_QUERIES) {
      const times: number[] = [];
      for (let round = 0; round < 21; round++) times.push(await timeRequest(target(bodyOf(query, now))));
      rows.push([query.name, (times[0] ?? 0).toFixed(1), median(times.slice(1)).toFixed(1)]);
    }
    const small = DEMO_QUERIES.find(({ name }) => name === 'count_only');
    if (small === undefined) throw new Error('The small query is gone.');
    const lastHour = { ...small, view: { from: ['allpv'], keep: ['allpv.url'], filter: { pv_id: 1 } } };
    const costs = await measureRequestCosts({ 'POST /query, small answer': target(bodyOf(lastHour, now)) });
    const dashboard = await measureDashboard(server.url, 'bench', PASSWORD);
    const pages = await measurePages(server.url, 'bench', PASSWORD);
    return [
      `Demo site loaded (200,000 page views, sessions and all): ${loadSeconds.toFixed(1)} s.`,
      '## Queries over the 90 days of the demo\n\nMilliseconds at the client, over HTTP with authentication.',
      table(['query', 'first', 'p50 of 20'], rows),
      '## What a request costs\n\nMilliseconds, p50 of 1000, one request at a time, in turns. "own" is the request without the time in which a statement was under way: HTTP, authentication, parsing, resolving, planning, compiling, shaping.',
      table(
        ['request', 'whole', 'database', 'own'],
        costs.map(({ kind, totalMs, databaseMs, ownMs }) => [
          kind,
          ...[totalMs, databaseMs, ownMs].map((ms) => ms.toFixed(2)),
        ]),
      ),
      '## Pages\n\nMilliseconds at the client. The dashboard is also measured in a Chromium, where there is one, until the last of its eight queries of 30 days is drawn.',
      table(
        ['page', 'first', 'p50 of 20'],
        [...pages, ...(dashboard === undefined ? [] : [dashboard])].map(({ address, firstMs, usualMs }) => [
          address,
          firstMs.toFixed(1),
          usualMs.toFixed(1),
        ]),
      ),
    ];
  } finally {
    await server.stop(1_000);
    await rest.settle();
  }
}

async function timeRequest({ url, headers, body }: Target): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return performance.now() - started;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** Prints the sections and puts them below the mark of the page, with machine, date and commit. */
function publish(sections: readonly string[]): void {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  const cpu = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const machine = `${cpus().length} cores (${cpu}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  const text = [`${clock().toISOString().slice(0, 10)}, commit ${commit}, ${machine}.`, ...sections].join(
    '\n\n',
  );
  process.stdout.write(`${text}\n`);
  const [about = ''] = readFileSync(PAGE, 'utf8').split(MARK);
  writeFileSync(PAGE, `${about.trimEnd()}\n\n${MARK}\n\n${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
