// Loaded before the program: tells at its end how much memory it had at most, in kilobytes, on the fourth of its pipes.
import { writeSync } from 'node:fs';

const MEMORY_PIPE = 3;

process.once('exit', () => {
  writeSync(MEMORY_PIPE, String(process.resourceUsage().maxRSS));
});
