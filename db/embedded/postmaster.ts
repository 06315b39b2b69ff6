// Reads what a running server says of itself in postmaster.pid, and clears one that no server stands behind.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './error-code';

export interface Postmaster {
  readonly pid: number;
  readonly ready: boolean;
}

const STATUS_LINE = 7;

/** The server that the directory's pid file names, whether it still lives or not. */
export async function readPostmaster(clusterDir: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(ignoreMissing);
  const lines = text?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, ready: lines[STATUS_LINE]?.trim() === 'ready' };
}

/**
 * After a crash of the whole machine or container the number in the file may belong to another program by now, or to
 * a dead process that nobody collected; PostgreSQL would refuse to start. Removed only where the system says so.
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
