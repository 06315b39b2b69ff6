// The memory and CPU time of a server process.
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../../installation';

/** Loaded into the server. On SIGUSR2, it collects garbage and prints the size of the heap. */
export const REPORT_HEAP = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  process.on('SIGUSR2', () => {
    runInNewContext('gc')();
    process.stderr.write('in use: ' + process.memoryUsage().heapUsed + '\\n');
  });`;

export interface Memory {
  readonly all: number;
  readonly inUse: number;
}

/** Returns the memory in MB. The server must be running REPORT_HEAP. */
export async function memoryOf({ child, text }: Server): Promise<Memory> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
  const reported = () => [...text.err.matchAll(/^in use: (\d+)$/gm)];
  const before = reported().length;
  child.kill('SIGUSR2');
  while (reported().length === before) await pause(50);
  const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
  return {
    all: megabytes(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024),
    inUse: megabytes(Number(reported().at(-1)?.[1] ?? 0)),
  };
}

/** The CPU time of the server process so far. */
export async function processorMs({ child }: Server): Promise<number> {
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => '');
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (user + system) * 10;
}
