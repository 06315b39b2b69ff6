// A thousand simultaneous clients: cheap queries keep running, excess queries are rejected, and stalled clients hold no resources.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Dice } from '../../language/interpreter/random/dice';
import { createInstallation, type Installation, type Server } from '../installation';
import { isRaw } from '../is-raw';
import type { Report, Scale, Trial } from '../trial';
import { type Health, probeHealth } from './probe-health';
import { makeUsers } from './trial-users';

/** The first user sends expensive queries. The others send cheap queries. */
const LOGINS = ['max', 'ann', 'bob', 'eve'] as const;
/** This user sends one cheap query at a time. */
const QUIET_LOGIN = 'zoe';
const MAX_CHEAP_MS = 2_000;
const MAX_HEALTH_MS = 100;
const QUIET_PAUSE_MS = 500;
const EXPENSIVE_SHARE = 0.2;
const ANSWER_MS = 60_000;
const VIEWS = 40_000;
const SLOW_SENDERS = 20;
/** Only a few, because the server writes 15 MB for each one before it stalls. */
const SLOW_READERS = 4;
/** Longer than the server's limit of one minute for clients that neither send nor read. */
const STALLED_MS = 100_000;
const SETTINGS = { QAL_QUERIES_WAITING: '100', QAL_RESULT_CACHE_MB: '0', HEALTH_PORT: '0' };
const SITES = 'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n';

const views = Array.from(
  { length: VIEWS },
  (_, index) =>
    `{"url":"https://shop.example/${index}","access_time":${1_767_225_600 + index * 60},"original_id":"v${index % 5000}","title":"${String(index).padEnd(300, ' a title')}"}\n`,
).join('');

const query = (make: object, result: object) =>
  JSON.stringify({
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'UTC' },
    make,
    result,
  });

const CHEAP = query(
  { v: { from: ['allpv'], keep: ['allpv.device_type'], calc: { n: 'COUNT(allpv.pv_id)' } } },
  { use: 'v' },
);
/** Joins each view with all views of the same visitor. */
const EXPENSIVE = query(
  {
    all: { from: ['allpv'], keep: ['allpv.reader_id', 'allpv.title'] },
    v: {
      from: ['allpv'],
      join: { with: 'all', on: [{ left: 'allpv.reader_id', right: 'all.reader_id' }] },
      keep: ['allpv.url'],
      calc: { n: 'COUNTUNIQUE(all.title)' },
      sort: { by: 'n', order: 'desc' },
    },
  },
  { use: 'v', limit: 10 },
);
/** About 15 MB, which is more than the buffers of a connection can hold. */
const LARGE = query(
  { v: { from: ['allpv'], keep: ['allpv.url', 'allpv.title'] } },
  { use: 'v', limit: VIEWS },
);

interface Answer {
  readonly status: number;
  readonly retryAfter: number;
  readonly text: string;
}

const QUERY_PATH = '/wp-json/qa-platform/query';

function send(url: string, authorization: string, body: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
    const options = { method: 'POST', headers, agent, timeout: ANSWER_MS };
    const sending = request(`${url}${QUERY_PATH}`, options, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          retryAfter: Number(answer.headers['retry-after']),
          text: Buffer.concat(pieces).toString('utf8'),
        }),
      );
    });
    sending.on('error', reject);
    sending.on('timeout', () => sending.destroy(new Error(`no data for ${ANSWER_MS / 1000} s`)));
    sending.end(body);
  });
}

const errorShape = z.object({
  ok: z.literal(false),
  error: z.object({ code: z.string(), hint: z.string() }),
});

/** Returns whether the answer has rows. Anything else is a fault, except a rejection with a valid Retry-After. */
function judge({ status, retryAfter, text }: Answer, report: Report): boolean {
  if (status === 200) return true;
  const isRefusal = (status === 503 || status === 429) && retryAfter >= 1;
  if (!isRefusal || isRaw(text) || !errorShape.safeParse(JSON.parse(text)).success)
    report.fault('wrong', `answered ${status}: ${text}`);
  return false;
}

const OVERLOADED = 'The query was not run: the server is overloaded.';

const quantile = (times: readonly number[], share: number): number =>
  Math.round([...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? 0);

/** Sends one query at a time alongside the other clients, until they finish. Each must be answered or rejected promptly. */
async function askQuietly(server: Server, key: string, ended: AbortSignal, report: Report): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const answered: number[] = [];
  const refused: number[] = [];
  while (!ended.aborted) {
    report.tried();
    const begin = performance.now();
    const answer = await send(server.url, key, CHEAP, agent);
    const times = judge(answer, report) ? answered : refused;
    times.push(performance.now() - begin);
    await pause(QUIET_PAUSE_MS);
  }
  agent.destroy();
  if (quantile(answered, 1) > MAX_CHEAP_MS)
    report.fault('wrong', 'a cheap query from the quiet user took too long');
  report.note(
    `quiet user: ${answered.length} answered, p50 ${quantile(answered, 0.5)}, max ${quantile(answered, 1)} ms; ${refused.length} refused, max ${quantile(refused, 1)} ms`,
  );
}

interface Tally {
  /** The duration of each rejection due to overload, in milliseconds. */
  readonly shed: number[];
  answered: number;
  refused: number;
  /** The number of answers with rows in each tenth of the run. */
  readonly byTenth: number[];
}

/** All clients send queries until the end, and respect the Retry-After of rejections. */
async function overload(
  server: Server,
  keys: ReadonlyMap<string, string>,
  { tries: clients, minutes }: Scale,
  report: Report,
): Promise<ReadonlyMap<string, Tally>> {
  const begin = performance.now();
  const length = minutes * 60_000;
  const agent = new Agent({ keepAlive: true });
  const tallies = new Map(
    LOGINS.map((login) => [login as string, { answered: 0, refused: 0, byTenth: [], shed: [] }]),
  );
  const ask = async (login: string, body: string): Promise<void> => {
    const tally: Tally | undefined = tallies.get(login);
    for (let past = 0; tally !== undefined && past < length; past = performance.now() - begin) {
      report.tried();
      const sent = performance.now();
      try {
        const answer = await send(server.url, keys.get(login) ?? '', body, agent);
        if (judge(answer, report)) {
          const tenth = Math.min(9, Math.floor(((performance.now() - begin) / length) * 10));
          tally.byTenth[tenth] = (tally.byTenth[tenth] ?? 0) + 1;
          tally.answered += 1;
        } else {
          tally.refused += 1;
          if (answer.text.includes(OVERLOADED)) tally.shed.push(performance.now() - sent);
          await pause(1_000 * answer.retryAfter);
        }
      } catch (error) {
        report.fault('unanswered', `${login}: ${String(error)}`);
      }
    }
  };
  const [heavy, ...others] = LOGINS;
  await Promise.all(
    Array.from({ length: clients }, (_, client) =>
      client < clients * EXPENSIVE_SHARE
        ? ask(heavy, EXPENSIVE)
        : ask(others[client % others.length] ?? heavy, CHEAP),
    ),
  );
  agent.destroy();
  return tallies;
}

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Samples memory and /healthz while `work` runs. */
async function watch(server: Server, work: () => Promise<void>, report: Report): Promise<void> {
  const memory: number[] = [];
  const timer = setInterval(() => memory.push(residentMegabytes(server.child.pid ?? 0)), 1_000);
  const healthUrl = /Health checks at (\S+)\/healthz/.exec(server.text.out)?.[1] ?? '';
  let separate: Health | undefined;
  const shared = await probeHealth(server.url, async () => {
    separate = await probeHealth(healthUrl, work);
  }).finally(() => clearInterval(timer));
  for (const [port, health] of Object.entries({ shared, separate })) {
    if (health === undefined || health.missed > 0)
      report.fault('unanswered', `/healthz was not answered with 200 on the ${port} port`);
    else
      report.note(
        `/healthz on the ${port} port p50 ${health.said(0.5)}, p99 ${health.said(0.99)}, max ${health.said(1)}`,
      );
  }
  if (shared.at(0.5) > 100) report.fault('wrong', `/healthz took ${shared.at(0.5)} ms at the median`);
  if (separate !== undefined && separate.at(0.99) > MAX_HEALTH_MS)
    report.fault(
      'wrong',
      `/healthz on the separate port took ${separate.at(0.99)} ms at the 99th percentile`,
    );
  // Memory grows at first, because everything is used for the first time.
  const half = Math.floor(memory.length / 2);
  const [early, late] = [Math.max(...memory.slice(0, half)), Math.max(...memory.slice(half))];
  if (late > 1.25 * early) report.fault('wrong', `memory grew from ${early} to ${late} MB`);
  report.note(`${Math.round(early)} MB in the first half, ${Math.round(late)} MB in the second`);
}

/** Opens connections that either send one byte per second or do not read a large answer. */
function openStalled(server: Server, authorization: string): readonly Socket[] {
  const port = Number(new URL(server.url).port);
  const open = (text: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(text);
    return socket;
  };
  const head = `POST ${QUERY_PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n`;
  const senders = Array.from({ length: SLOW_SENDERS }, () => {
    const socket = open(`${head}Content-Length: 10000\r\n\r\n`);
    const timer = setInterval(() => socket.write(' '), 1_000);
    socket.on('close', () => clearInterval(timer));
    return socket.resume();
  });
  const readers = Array.from({ length: SLOW_READERS }, () =>
    open(`${head}Content-Length: ${LARGE.length}\r\n\r\n${LARGE}`).pause(),
  );
  return [...senders, ...readers];
}

/** Expects stalled connections to have been closed. A client that is not reading notices this only when it resumes. */
async function expectCutOff(
  stalled: readonly Socket[],
  since: number,
  large: number,
  report: Report,
): Promise<void> {
  await pause(Math.max(0, STALLED_MS - (performance.now() - since)));
  for (const socket of stalled) socket.resume();
  await pause(5_000);
  for (const socket of stalled) {
    report.tried();
    if (!socket.destroyed) report.fault('wrong', 'a stalled connection was not closed');
    else if (socket.bytesRead >= large) report.fault('wrong', 'a stalled client got the whole answer');
    socket.destroy();
  }
}

const RUNNING = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'qal read' AND state = 'active'`;

/** Expects queries to be canceled as soon as their clients disconnect. */
async function leave(installation: Installation, server: Server, authorization: string, report: Report) {
  const running = async () => (await installation.sql<{ n: number }>(RUNNING))[0]?.n ?? 0;
  const locked = installation.sql('BEGIN; LOCK TABLE analytics.page_view; SELECT pg_sleep(10); COMMIT');
  await pause(500);
  const agent = new Agent();
  for (let client = 0; client < 8; client++)
    send(server.url, authorization, CHEAP, agent).catch(() => undefined);
  for (let waited = 0; (await running()) === 0 && waited < 50; waited++) await pause(100);
  if ((await running()) === 0) report.fault('wrong', 'no query was running');
  report.tried();
  const left = performance.now();
  agent.destroy();
  while ((await running()) > 0 && performance.now() - left < 10_000) await pause(20);
  const freed = Math.round(performance.now() - left);
  if (freed > 2_000)
    report.fault('wrong', `queries ran for ${freed} ms after their clients had disconnected`);
  report.note(`queries of a client that disconnects are canceled within ${freed} ms`);
  await locked;
}

export const overloaded: Trial = {
  name: 'overload',
  title:
    '1,000 clients send cheap and expensive queries: each gets rows or a time to retry, no user starves another, memory stays stable, and clients that stall or disconnect hold no resources',
  // One try per client.
  tries: 1_000,
  async run(_dice: Dice, report, scale) {
    const installation = await createInstallation(SETTINGS);
    try {
      const server = await installation.serve();
      const sites = await installation.run(['sites', 'apply', '-'], {}, SITES);
      const imported = await installation.run(['import', 'allpv', '--site', 'shop', '-'], {}, views);
      if (sites.code !== 0 || imported.code !== 0) throw new Error(`${sites.err}${imported.err}`);
      const keys = await makeUsers(installation, [...LOGINS, QUIET_LOGIN]);
      const key = keys.get(LOGINS[1]) ?? '';
      const large = (await send(server.url, key, LARGE, new Agent())).text.length;
      const work = async () => {
        const end = new AbortController();
        const quiet = askQuietly(server, keys.get(QUIET_LOGIN) ?? '', end.signal, report);
        const tallies = await overload(server, keys, scale, report);
        end.abort();
        await quiet;
        const shed = [...tallies.values()].flatMap((tally) => tally.shed);
        report.note(
          `${shed.length} refused because of overload, p50 ${quantile(shed, 0.5)}, p99 ${quantile(shed, 0.99)} ms`,
        );
        for (const [login, { answered, refused, byTenth }] of tallies) {
          report.note(`${login}: ${answered} answered, ${refused} refused`);
          // Expensive queries may take longer than a tenth of the run.
          const idle = Array.from({ length: 10 }, (_, tenth) => byTenth[tenth] ?? 0).indexOf(0);
          if (login !== LOGINS[0] && idle >= 0)
            report.fault('unanswered', `${login} got no rows in tenth ${idle + 1} of the run`);
        }
      };
      await watch(server, work, report);
      const since = performance.now();
      const stalled = openStalled(server, key);
      await expectCutOff(stalled, since, large, report);
      server.child.kill('SIGTERM');
      if ((await server.ended) !== 0) report.fault('wrong', 'the server did not exit cleanly');
      const rows = await installation.serve({ QAL_COLUMNS: 'off' });
      await leave(installation, rows, key, report);
    } finally {
      await installation.remove();
    }
  },
};
