// Loaded before the program. At exit, writes the process's peak memory in kilobytes to file descriptor 3.
import { writeSync } from 'node:fs';

const MEMORY_PIPE = 3;

process.once('exit', () => {
  writeSync(MEMORY_PIPE, String(process.resourceUsage().maxRSS));
});
