// Processor time of this process and of all processes of a PostgreSQL server, from /proc.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

export interface Cost {
  readonly seconds: number;
  /** Processor seconds of this process, and of the server. */
  readonly node: number;
  readonly server: number;
}

/** The cost of a piece of work. */
export async function costOf(postmaster: number, work: () => Promise<unknown>): Promise<Cost> {
  const [node, server, begun] = [nodeSeconds(), serverSeconds(postmaster), performance.now()];
  await work();
  return {
    seconds: (performance.now() - begun) / 1000,
    node: nodeSeconds() - node,
    server: serverSeconds(postmaster) - server,
  };
}

function nodeSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** For the postmaster, its children that have ended, and those still running. */
function serverSeconds(postmaster: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statOf(name);
    // Fields from the third on: state, ppid, ... utime (12th here), stime, cutime, cstime.
    if (Number(name) === postmaster)
      ticks += [11, 12, 13, 14].reduce((sum, place) => sum + Number(fields[place] ?? 0), 0);
    else if (Number(fields[1]) === postmaster) ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }
  return ticks / TICKS_PER_SECOND;
}

/** For a single process of the server. */
export function backendSeconds(pid: number): number {
  const fields = statOf(String(pid));
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

function statOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
  } catch {
    // The process has ended in the meantime.
    return [];
  }
}
