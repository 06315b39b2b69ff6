// Stops a server, even one that hangs: PostgreSQL 18 waits forever if it is stopped during crash recovery.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf, EmbeddedServerError } from './errors';
import { mayBePostgres, readPostmaster } from './postmaster';

export interface RunningServer {
  readonly clusterDir: string;
  readonly pid: number;
  /** undefined if another process launched the server. */
  readonly child: ChildProcess | undefined;
}

type StopSignal = 'SIGINT' | 'SIGQUIT' | 'SIGKILL';

/** Signal and timeout in ms, with increasing force. None of them loses committed data. */
const STEPS: readonly (readonly [StopSignal, number])[] = [
  // "Fast": ends sessions, writes everything and exits. A full cache takes time.
  ['SIGINT', 20_000],
  // "Immediate": exits at once; the next start recovers. PostgreSQL kills its own processes after 5 s.
  ['SIGQUIT', 8_000],
  ['SIGKILL', 5_000],
];
const POLL_MS = 3;

/** `isStopping`: another process has already sent SIGINT. Throws an EmbeddedServerError if every signal fails. */
export async function stopServer(server: RunningServer, { isStopping = false } = {}): Promise<void> {
  for (const [signal, patienceMs] of STEPS.slice(isStopping ? 1 : 0)) {
    if (!(await hasStopped(server))) signalProcess(server.pid, signal);
    if (await endsWithin(server, patienceMs)) return;
  }
  throw new EmbeddedServerError(
    `PostgreSQL (process ${server.pid}) in ${server.clusterDir} cannot be stopped.`,
  );
}

async function endsWithin(server: RunningServer, patienceMs: number): Promise<boolean> {
  const before = performance.now();
  while (!(await hasStopped(server))) {
    if (performance.now() - before > patienceMs) return false;
    await wait(POLL_MS);
  }
  return true;
}

export async function hasStopped({ clusterDir, pid, child }: RunningServer): Promise<boolean> {
  if (child?.pid === pid) return hasEnded(child);
  const postmaster = await readPostmaster(clusterDir);
  // A killed server leaves its pid file.
  return postmaster?.pid !== pid || !(await mayBePostgres(pid));
}

export function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

function signalProcess(pid: number, signal: StopSignal): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
