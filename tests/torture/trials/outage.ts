// The database of a server goes away in every way, under clients that go on asking.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type EmbeddedServer, startEmbeddedServer } from '../../../db/embedded/server';
import type { Dice } from '../../qal/interpreter/random/dice';
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy';
import { sendRequest, type TestAnswer } from '../../support/send-request';
import { basicHeader } from '../../support/test-host';
import { throwawayFolder } from '../../support/throwaway-postgres';
import { createInstallation, type Server } from '../installation';
import type { Report, Trial } from '../trial';
import { isRaw } from '../words';

const CLIENTS = 8;
/** Our longest wait for a database that says nothing, and some. */
const ANSWER_MS = 40_000;
const RECOVERY_MS = 30_000;
const SILENCE_MS = 20_000;
const MOST_CONNECTIONS = 30;

/** A PostgreSQL of the trial's own behind the proxy. */
interface Stage {
  readonly proxy: DatabaseProxy;
  folder: string;
  postgres: EmbeddedServer;
}

const launch = (dataDir: string) =>
  startEmbeddedServer({
    dataDir,
    onError: () => undefined,
    settings: { max_connections: String(MOST_CONNECTIONS) },
  });

const urlOf = ({ connection: { host, port, user, database } }: EmbeddedServer): string =>
  `postgresql://${user}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`;

async function connect(stage: Stage): Promise<Client> {
  const client = new Client({ connectionString: urlOf(stage.postgres) });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The sessions of the program under trial. */
const SESSIONS = `FROM pg_stat_activity WHERE application_name IN ('qal read', 'qal write') AND pid <> pg_backend_pid()`;

async function onDatabase<T>(stage: Stage, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(stage);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

type Disturbance = (stage: Stage, dice: Dice) => Promise<void>;

/** PostgreSQL ends all sessions then, and recovers. */
async function killBackend(stage: Stage, dice: Dice): Promise<void> {
  const { rows } = await onDatabase(stage, (client) =>
    client.query<{ pid: number }>(`SELECT pid ${SESSIONS}`),
  );
  if (rows.length > 0) process.kill(dice.pick(rows).pid, 'SIGKILL');
}

async function endSessions(stage: Stage): Promise<void> {
  await onDatabase(stage, (client) => client.query(`SELECT pg_terminate_backend(pid) ${SESSIONS}`));
}

async function restart(stage: Stage): Promise<void> {
  await stage.postgres.stop();
  await pause(2_000);
  stage.postgres = await launch(stage.folder);
}

/** All that was committed is on another server, at another address. */
async function failOver(stage: Stage): Promise<void> {
  const before = stage.folder;
  await stage.postgres.stop();
  stage.folder = await newFolder();
  await cp(before, stage.folder, { recursive: true });
  await rm(before, { recursive: true });
  stage.postgres = await launch(stage.folder);
  stage.proxy.moveTo(urlOf(stage.postgres));
}

async function fallSilent({ proxy }: Stage): Promise<void> {
  proxy.fallSilent();
  await pause(SILENCE_MS);
  proxy.recover();
}

async function refuse({ proxy }: Stage): Promise<void> {
  proxy.refuse();
  await pause(2_000);
  proxy.recover();
}

/** Somebody else takes all connections that the server has. */
async function takeConnections(stage: Stage): Promise<void> {
  const taken: Client[] = [];
  try {
    await onDatabase(stage, (client) => client.query(`SELECT pg_terminate_backend(pid) ${SESSIONS}`));
    for (let count = 0; count < MOST_CONNECTIONS; count++) taken.push(await connect(stage));
  } catch {
    // There are no more.
  }
  await pause(3_000);
  await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
}

const DISTURBANCES: readonly Disturbance[] = [
  killBackend,
  endSessions,
  restart,
  failOver,
  refuse,
  takeConnections,
  fallSilent,
];

const newFolder = async () => mkdtemp(join(await throwawayFolder(), 'qal-torture-'));

const QUERY = JSON.stringify({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['allpv'], keep: ['allpv.url'] } },
  result: { use: 'v' },
});

interface Question {
  readonly path: string;
  readonly body?: string;
}

const QUESTIONS: readonly Question[] = [
  {
    path: '/wp-json/qa-platform/query?version=2026-05-11',
    body: QUERY,
  },
  {
    path: '/wp-json/qa-platform/query?version=2025-10-20',
    body: QUERY,
  },
  { path: '/wp-json/qa-platform/guide' },
  { path: '/wp-json/wp/v2/users/me' },
  { path: '/readyz' },
];

const send = (server: Server, authorization: string, { path, body }: Question) =>
  sendRequest({
    method: body === undefined ? 'GET' : 'POST',
    url: `${server.url}${path}`,
    headers: [['Authorization', authorization], ...(body === undefined ? [] : [JSON_BODY])],
    body,
  });
const JSON_BODY = ['Content-Type', 'application/json'] as const;

/** 200, or 503 with Retry-After in the form of its place. */
function judge({ status, headers, body, text }: TestAnswer, path: string, report: Report): void {
  const code = body?.error?.code ?? body?.code;
  const isRefusal =
    status === 503 &&
    (path === '/readyz' ||
      (Number(headers['retry-after']) > 0 && ['E_UNAVAILABLE', 'rest_unavailable'].includes(code)));
  if ((status !== 200 && !isRefusal) || isRaw(text))
    report.fault('wrong', `${path} was answered ${status}: ${text}`);
}

interface Asking {
  readonly stop: () => Promise<{ readonly answered: number; readonly refused: number }>;
}

function startClients(server: Server, authorization: string, report: Report): Asking {
  let isOver = false;
  let answered = 0;
  let refused = 0;
  const ask = async (client: number) => {
    for (let count = client; !isOver; count += CLIENTS) {
      const asked = QUESTIONS[count % QUESTIONS.length];
      if (asked === undefined) return;
      const answer = await Promise.race([
        send(server, authorization, asked).catch((error: unknown) => String(error)),
        pause(ANSWER_MS, 'none within its time', { ref: false }),
      ]);
      answered += 1;
      if (typeof answer === 'string') report.fault('unanswered', `${asked.path}: ${answer}`);
      else judge(answer, asked.path, report);
      if (typeof answer !== 'string' && answer.status === 503) refused += 1;
      await pause(20);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, client) => ask(client));
  return {
    async stop() {
      isOver = true;
      await Promise.all(clients);
      return { answered, refused };
    },
  };
}

/** How long until every kind of request is answered again, in milliseconds. */
async function recover(server: Server, authorization: string, report: Report): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < RECOVERY_MS) {
    const answers = await Promise.all(
      QUESTIONS.map((one) => send(server, authorization, one).catch(() => undefined)),
    );
    if (answers.every((answer) => answer?.status === 200)) return performance.now() - started;
    await pause(100);
  }
  if (server.child.exitCode !== null || server.child.signalCode !== null)
    throw new Error(`The server has ended: ${server.text.err}`);
  report.fault('unanswered', 'it did not recover by itself');
  return RECOVERY_MS;
}

/** A server that is told to stop answers what it has begun, and takes nothing more. */
async function stopWhileAsked(
  stage: Stage,
  server: Server,
  authorization: string,
  report: Report,
): Promise<void> {
  await onDatabase(stage, async (client) => {
    await client.query('BEGIN');
    await client.query('LOCK TABLE analytics.page_view');
    const asked = send(server, authorization, {
      path: '/wp-json/qa-platform/query',
      body: QUERY,
    });
    await pause(1_000);
    server.child.kill('SIGTERM');
    await pause(1_000);
    const later = await send(server, authorization, { path: '/readyz' }).catch(() => undefined);
    if (later !== undefined) report.fault('wrong', `a server that stops still answered ${later.status}`);
    await client.query('COMMIT');
    const { status } = await asked;
    if (status !== 200) report.fault('unanswered', `what was under way was answered ${status}`);
  });
  await holdEnd(server, report);
}

async function holdEnd(server: Server, report: Report): Promise<void> {
  const code = await Promise.race([server.ended, pause(RECOVERY_MS, 'not', { ref: false })]);
  if (code !== 0) report.fault('unanswered', `a server that was told to stop ended: ${code}`);
}

const SITES = 'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n';

export const outage: Trial = {
  name: 'outage',
  title:
    'While the database is killed, restarted, moved, silent, refusing or full of connections, 8 clients get answers or 503 with Retry-After, and the server recovers without a restart',
  tries: 2 * DISTURBANCES.length + 2,
  async run(dice, report, { tries }) {
    const folder = await newFolder();
    const postgres = await launch(folder);
    const proxy = await openDatabaseProxy(urlOf(postgres));
    const stage: Stage = { proxy, folder, postgres };
    // Without the column copy, so that every answer needs the database.
    const installation = await createInstallation({
      DATABASE_URL: proxy.through(urlOf(postgres)),
      QAL_COLUMNS: 'off',
      QAL_RESULT_CACHE_MB: '0',
    });
    try {
      const sites = await installation.run(['sites', 'apply', '-'], {}, SITES);
      if (sites.code !== 0) throw new Error(sites.err);
      const server = await installation.serve();
      const authorization = basicHeader({ login: 'admin', secret: server.secret });
      const clients = startClients(server, authorization, report);
      const times: number[] = [];
      const order = Array.from(
        { length: tries - 2 },
        (_, count) => DISTURBANCES[count % DISTURBANCES.length],
      );
      for (const disturb of dice.shuffled(order)) {
        if (disturb === undefined) continue;
        report.tried();
        const about: Report = {
          ...report,
          fault: (kind, what) => report.fault(kind, `${disturb.name}: ${what}`),
        };
        await disturb(stage, dice);
        times.push(await recover(server, authorization, about));
        await pause(500);
      }
      const { answered, refused } = await clients.stop();
      report.note(`${answered} answers, ${refused} of them 503`);
      report.note(`recovered after ${Math.round(Math.max(...times))} ms at most`);
      report.tried();
      await stopWhileAsked(stage, server, authorization, report);
      report.tried();
      const next = await installation.serve();
      proxy.fallSilent();
      next.child.kill('SIGTERM');
      await holdEnd(next, report);
    } finally {
      await installation.remove();
      await proxy.close();
      await stage.postgres.stop();
      await rm(stage.folder, { recursive: true, force: true });
    }
  },
};
