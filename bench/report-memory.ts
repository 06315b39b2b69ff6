// Loaded before the program. At exit, writes the process's peak memory in kilobytes to file descriptor 3.
import { readFileSync, writeSync } from 'node:fs';

const MEMORY_PIPE = 3;

/** On Linux, maxRSS is at least the memory that the parent used when it started this process. */
const peakKilobytes = (): number =>
  process.platform === 'linux'
    ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
    : process.resourceUsage().maxRSS;

process.once('exit', () => {
  writeSync(MEMORY_PIPE, String(peakKilobytes()));
});
