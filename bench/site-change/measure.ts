// The CPU time of this process, and of a PostgreSQL server's processes as shown in /proc.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

export interface Cost {
  readonly seconds: number;
  /** CPU seconds of this process, and of the server. */
  readonly node: number;
  readonly server: number;
}

/** Runs `work` and returns its cost. */
export async function costOf(postmaster: number, work: () => Promise<unknown>): Promise<Cost> {
  // Reading /proc costs this process milliseconds of CPU time, which are not counted.
  const [server, node, started] = [serverSeconds(postmaster), nodeSeconds(), performance.now()];
  await work();
  return {
    seconds: (performance.now() - started) / 1000,
    node: nodeSeconds() - node,
    server: serverSeconds(postmaster) - server,
  };
}

function nodeSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The CPU time of the postmaster, of its children that have ended, and of those still running. */
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
