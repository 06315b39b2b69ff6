// A separate installation for a trial: the built program with its own data directory, in memory if there is enough room.
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type QueryResultRow } from 'pg';
import { SUPERUSER } from '../../db/embedded/cluster';
import { DATABASE } from '../../db/embedded/host-lock';
import { readPostmaster } from '../../db/embedded/postmaster';
import { SOCKET_PORT, socketPlace } from '../../db/embedded/socket';
import { isUnavailable } from '../../db/unavailable';
import { type Environment, type ProgramProcess, readyUrl, startProgram } from '../support/program-process';
import { throwawayFolder } from '../support/throwaway-postgres';

export const PROGRAM = join(__dirname, '../../bin/qal');
/** How long a server may take to print its address, including the recovery of its database. */
const START_MS = 60_000;

export interface Server extends ProgramProcess {
  readonly url: string;
  /** The application password of the first administrator (`admin`). Empty on later starts. */
  readonly secret: string;
}

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Installation {
  readonly dataDir: string;
  /** Starts a command and keeps its standard input open. */
  start(args: readonly string[], environment?: Environment): ProgramProcess;
  run(args: readonly string[], environment?: Environment, input?: string): Promise<Outcome>;
  /** Starts a server without rate limits on a free port. Rejects if it does not start within a minute. */
  serve(environment?: Environment): Promise<Server>;
  /** Runs a statement on the embedded database as the superuser. Waits up to a minute while the database recovers. */
  sql<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** The process id of the embedded server, if it is running. */
  postmasterPid(): Promise<number | undefined>;
  /** Kills everything that is still running and removes the directory. */
  remove(): Promise<void>;
}

const NO_LIMITS = { QAL_RATE_PER_HOUR: '0', QAL_RATE_PER_MINUTE: '0' };

const installations = new Set<Installation>();

let isAborted = false;

/** Removes all installations when a run is interrupted. After that, trials cannot start anything. */
export async function removeInstallations(): Promise<void> {
  isAborted = true;
  await Promise.allSettled([...installations].map((one) => one.remove()));
}

/** `environment` applies to all commands and servers of the installation. The data directory is created in `folder`. */
export async function createInstallation(
  environment: Environment = {},
  folder?: string,
): Promise<Installation> {
  const root = await mkdtemp(join(folder ?? throwawayFolder(), 'qal-torture-'));
  const dataDir = join(root, 'data');
  const running = new Set<ProgramProcess>();

  function start(args: readonly string[], more: Environment = {}): ProgramProcess {
    if (isAborted) throw new Error('The run was interrupted.');
    const program = startProgram([PROGRAM, ...args], { DATA_DIR: dataDir, ...environment, ...more });
    running.add(program);
    program.ended.finally(() => running.delete(program));
    program.child.stdin?.on('error', () => undefined);
    return program;
  }

  async function ask<Row extends QueryResultRow>(text: string, values: readonly unknown[]) {
    const host = socketPlace(join(dataDir, 'postgres')).directory;
    const client = new Client({ host, port: SOCKET_PORT, user: SUPERUSER, database: DATABASE, ssl: false });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<Row>(text, [...values]);
      return rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  // A killed server leaves its pid file behind, and another program may reuse its process id.
  async function postmasterPid(): Promise<number | undefined> {
    const cluster = join(dataDir, 'postgres');
    const pid = (await readPostmaster(cluster))?.pid;
    const folder = pid === undefined ? undefined : await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    return folder === cluster ? pid : undefined;
  }

  const installation: Installation = {
    dataDir,
    start,
    async run(args, more, input = '') {
      const program = start(args, more);
      program.child.stdin?.end(input);
      return { code: await program.ended, ...program.text };
    },
    async serve(more) {
      const server = start(['serve', '--port', '0'], { ...NO_LIMITS, ...more });
      const url = await Promise.race([readyUrl(server), pause(START_MS, undefined, { ref: false })]);
      if (url === undefined)
        throw new Error(`The server did not start: ${server.text.out}${server.text.err}`);
      const secret = /Application password +(.+)/.exec(server.text.out)?.[1] ?? '';
      return { ...server, url, secret };
    },
    async sql<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) {
      for (const before = Date.now(); ; await pause(100)) {
        try {
          return await ask<Row>(text, values);
        } catch (error) {
          if (!isUnavailable(error) || Date.now() - before > START_MS) throw error;
        }
      }
    },
    postmasterPid,
    async remove() {
      for (const { child } of running) child.kill('SIGKILL');
      await Promise.all([...running].map(({ ended }) => ended));
      // SIGQUIT is PostgreSQL's immediate shutdown.
      for (let pid = await postmasterPid(); pid !== undefined; pid = await postmasterPid()) {
        process.kill(pid, 'SIGQUIT');
        await pause(100);
      }
      await rm(root, { recursive: true, force: true });
      installations.delete(installation);
    },
  };
  installations.add(installation);
  return installation;
}
