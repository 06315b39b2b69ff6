// A PostgreSQL server behind a proxy, and all the ways in which it can fail and recover.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type EmbeddedServer, startEmbeddedServer } from '../../../../db/embedded/server';
import type { Dice } from '../../../language/interpreter/random/dice';
import { type DatabaseProxy, openDatabaseProxy } from '../../../support/database-proxy';
import { throwawayFolder } from '../../../support/throwaway-postgres';

const SILENCE_MS = 20_000;
const MAX_CONNECTIONS = 30;

export interface Stage {
  readonly proxy: DatabaseProxy;
  folder: string;
  postgres: EmbeddedServer;
}

const launch = (dataDir: string) =>
  startEmbeddedServer({
    dataDir,
    onError: () => undefined,
    settings: { max_connections: String(MAX_CONNECTIONS) },
  });

const urlOf = ({ connection: { host, port, user, database } }: EmbeddedServer): string =>
  `postgresql://${user}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`;

async function connect(stage: Stage): Promise<Client> {
  const client = new Client({ connectionString: urlOf(stage.postgres) });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const SESSIONS = `FROM pg_stat_activity WHERE application_name IN ('qal read', 'qal write') AND pid <> pg_backend_pid()`;

/** Runs `work` on a separate connection that bypasses the proxy. */
export async function onDatabase<T>(stage: Stage, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(stage);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export type Disturbance = (stage: Stage, dice: Dice) => Promise<void>;

/** Kills the process of a session. PostgreSQL reacts by ending all other sessions and recovering. */
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

/** Moves the data to a new server at a different address. */
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

/** Uses up all of the server's connections. */
async function takeConnections(stage: Stage): Promise<void> {
  const taken: Client[] = [];
  try {
    await onDatabase(stage, (client) => client.query(`SELECT pg_terminate_backend(pid) ${SESSIONS}`));
    for (let count = 0; count < MAX_CONNECTIONS; count++) taken.push(await connect(stage));
  } catch {
    // All connections are taken.
  }
  await pause(3_000);
  await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
}

export const DISTURBANCES: readonly Disturbance[] = [
  killBackend,
  endSessions,
  restart,
  failOver,
  refuse,
  takeConnections,
  fallSilent,
];

const newFolder = async () => mkdtemp(join(throwawayFolder(), 'qal-torture-'));

export async function openStage(): Promise<Stage> {
  const folder = await newFolder();
  const postgres = await launch(folder);
  return { proxy: await openDatabaseProxy(urlOf(postgres)), folder, postgres };
}

export const urlThroughProxy = ({ proxy, postgres }: Stage): string => proxy.through(urlOf(postgres));

export async function closeStage({ proxy, folder, postgres }: Stage): Promise<void> {
  await proxy.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
