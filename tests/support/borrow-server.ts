// Finds or starts the server for test databases: the one that this run announced, or one for this process. An embedded server
// runs until the process ends. On the server at TEST_DATABASE_URL, everything is removed when its last user returns it.
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { threadId } from 'node:worker_threads';
import { type RunningTestServer, startTestServer, type TestServer } from './test-server';
import { throwawayDirectories } from './throwaway-postgres';

/** The environment variable in which a run announces its server: a TestServer as JSON. */
export const TEST_SERVER_VARIABLE = 'QAL_TEST_SERVER';

export interface BorrowedServer {
  readonly server: TestServer;
  giveBack(): Promise<void>;
}

let own: Promise<RunningTestServer> | undefined;
let borrowers = 0;

/** Every borrowed server must be returned. */
export async function borrowServer(): Promise<BorrowedServer> {
  const server = announcedServer() ?? serverOfThisProcess();
  if (server !== undefined) return { server, giveBack: async () => undefined };
  borrowers += 1;
  own ??= startOwnServer();
  try {
    const running = await own;
    return { server: running.server, giveBack: () => release(running) };
  } catch (error) {
    borrowers -= 1;
    own = undefined;
    throw error;
  }
}

async function release(running: RunningTestServer): Promise<void> {
  borrowers -= 1;
  if (borrowers > 0 || running.postgres !== undefined) return;
  own = undefined;
  await running.stop();
}

function announcedServer(): TestServer | undefined {
  const text = process.env[TEST_SERVER_VARIABLE];
  return text === undefined ? undefined : JSON.parse(text);
}

// Jest loads this module separately for each test file, so files cannot share a variable. Instead, they share the server through
// a file in the server's directory, which is written when the server is ready.
const PREFIX = `qal-test-${process.pid}-${threadId}-${Math.round(performance.timeOrigin)}-`;
const ANNOUNCEMENT = 'server.json';

function serverOfThisProcess(): TestServer | undefined {
  const [found] = throwawayDirectories(PREFIX)
    .map((directory) => join(directory, ANNOUNCEMENT))
    .filter((path) => existsSync(path));
  return found === undefined ? undefined : JSON.parse(readFileSync(found, 'utf8'));
}

async function startOwnServer(): Promise<RunningTestServer> {
  const running = await startTestServer(process.env.TEST_DATABASE_URL || undefined, PREFIX);
  const { postgres, server } = running;
  if (postgres !== undefined)
    await writeFile(join(postgres.dataDir, ANNOUNCEMENT), JSON.stringify(server), { mode: 0o600 });
  return running;
}
