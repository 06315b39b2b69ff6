// Reads postmaster.pid, in which a running server describes itself, and removes a stale one.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './errors';

export interface Postmaster {
  readonly pid: number;
  readonly ready: boolean;
}

const STATUS_LINE = 7;

/** The server that the pid file names, whether it still runs or not. */
export async function readPostmaster(clusterDir: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(ignoreMissing);
  const lines = text?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, ready: lines[STATUS_LINE]?.trim() === 'ready' };
}

/**
 * After a crash of the machine or container the pid in the file may belong to another program, or to a zombie: PostgreSQL
 * would refuse to start. Removes the file only where the system says so.
 */
export async function clearStalePostmaster(clusterDir: string): Promise<void> {
  const postmaster = await readPostmaster(clusterDir);
  if (postmaster === undefined) return;
  const status = await readFile(`/proc/${postmaster.pid}/status`, 'utf8').catch(() => undefined);
  if (status === undefined) return;
  const isPostgres = /^Name:\s+postgres$/m.test(status);
  const isDead = /^State:\s+[ZX]/m.test(status);
  if (!isPostgres || isDead) await rm(join(clusterDir, 'postmaster.pid'), { force: true });
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}
