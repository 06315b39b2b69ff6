// What a server uses of its machine, as the system and the server itself tell.
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../../installation';

/** Run by a server before its own code: a signal then makes it collect its garbage and say how much is in use. */
export const TELL_HEAP = `
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

/** The server's, in MB; it must run TELL_HEAP. */
export async function memoryOf({ child, text }: Server): Promise<Memory> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
  const told = () => [...text.err.matchAll(/^in use: (\d+)$/gm)];
  const before = told().length;
  child.kill('SIGUSR2');
  while (told().length === before) await pause(50);
  const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
  return {
    all: megabytes(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024),
    inUse: megabytes(Number(told().at(-1)?.[1] ?? 0)),
  };
}

/** Milliseconds for which the server's process has used a processor. */
export async function processorMs({ child }: Server): Promise<number> {
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => '');
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (user + system) * 10;
}
