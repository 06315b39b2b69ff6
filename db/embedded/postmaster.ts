// postmaster.pid, in which a running server describes itself.
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './errors';

const STATUS_LINE = 7;

/** The server in the pid file, running or not. The status is `starting`, `ready`, `stopping` or empty. */
export async function readPostmaster(clusterDir: string) {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(ignoreMissing);
  const lines = text?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, status: lines[STATUS_LINE]?.trim() ?? '' };
}

/**
 * After a crash of the machine or container, the pid may belong to another program or a zombie, and PostgreSQL would not start.
 * Removes the file only if the system confirms that.
 */
export async function clearStalePostmaster(clusterDir: string): Promise<void> {
  const postmaster = await readPostmaster(clusterDir);
  if (postmaster === undefined) return;
  const status = await processStatus(postmaster.pid);
  if (status === undefined) return;
  if (!isPostgres(status) || isDead(status)) await rm(join(clusterDir, 'postmaster.pid'), { force: true });
}

/** Whether the process is alive and, if the system shows its name, a server. The pid may belong to another container. */
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

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}
