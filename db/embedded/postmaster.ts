// Reads postmaster.pid, in which a running server describes itself, and stops servers.

import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf, EmbeddedServerError, ignoreMissing } from './errors';

const STATUS_LINE = 7;

/** The server that the pid file describes, whether or not it is running. The status is `starting`, `ready`, `stopping` or empty. */
export async function readPostmaster(clusterDir: string) {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(ignoreMissing);
  const lines = text?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, status: lines[STATUS_LINE]?.trim() ?? '' };
}

/**
 * After a crash of the machine or container, the pid in the file may belong to a zombie or a different program, and PostgreSQL
 * would not start. Removes the file only if the system confirms this.
 */
export async function clearStalePostmaster(clusterDir: string): Promise<void> {
  const postmaster = await readPostmaster(clusterDir);
  if (postmaster === undefined) return;
  const status = await processStatus(postmaster.pid);
  if (status === undefined) return;
  if (!isPostgres(status) || isDead(status)) await rm(join(clusterDir, 'postmaster.pid'), { force: true });
}

/** Whether the process is alive and, if the system shows its name, is PostgreSQL. A server in another container cannot be seen. */
export async function mayBePostgres(pid: number): Promise<boolean> {
  const status = await processStatus(pid);
  if (status !== undefined) return isPostgres(status) && !isDead(status);
  return !existsSync('/proc/self/status') && isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

const processStatus = (pid: number): Promise<string | undefined> =>
  readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);

const isPostgres = (status: string): boolean => /^Name:\s+postgres$/m.test(status);
const isDead = (status: string): boolean => /^State:\s+[ZX]/m.test(status);

export interface RunningServer {
  readonly clusterDir: string;
  readonly pid: number;
  /** undefined if another process launched the server. */
  readonly child: ChildProcess | undefined;
}

type StopSignal = 'SIGINT' | 'SIGQUIT' | 'SIGKILL';

/** Signals of increasing force, with their timeouts in ms. None of them loses committed data. */
const STEPS: readonly (readonly [StopSignal, number])[] = [
  // "Fast": ends sessions, writes everything and exits. A full cache takes time.
  ['SIGINT', 20_000],
  // "Immediate": exits immediately; the next start runs recovery. PostgreSQL kills its own processes after 5 s.
  ['SIGQUIT', 8_000],
  ['SIGKILL', 5_000],
];
const POLL_MS = 3;

/** `isImmediate` starts with SIGQUIT. Throws an EmbeddedServerError if every signal fails. */
export async function stopServer(server: RunningServer, { isImmediate = false } = {}): Promise<void> {
  for (const [signal, timeoutMs] of STEPS.slice(isImmediate ? 1 : 0)) {
    if (!(await hasStopped(server))) signalProcess(server.pid, signal);
    if (await endsWithin(server, timeoutMs)) return;
  }
  throw new EmbeddedServerError(
    `PostgreSQL (process ${server.pid}) in ${server.clusterDir} cannot be stopped.`,
  );
}

async function endsWithin(server: RunningServer, timeoutMs: number): Promise<boolean> {
  const before = performance.now();
  while (!(await hasStopped(server))) {
    if (performance.now() - before > timeoutMs) return false;
    await wait(POLL_MS);
  }
  return true;
}

export async function hasStopped({ clusterDir, pid, child }: RunningServer): Promise<boolean> {
  if (child?.pid === pid) return hasEnded(child);
  const postmaster = await readPostmaster(clusterDir);
  // A killed server leaves its pid file behind.
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
