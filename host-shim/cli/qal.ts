#!/usr/bin/env node
// The program.
import './check-node';
import { setFlagsFromString } from 'node:v8';
import { listenToSignals } from './stop-signals';

const signals = listenToSignals();
// Otherwise garbage grows to four times the memory in use: 110 MB more for the first large answer.
setFlagsFromString('--heap-growing-percent=100');
// Only its own account can read the files that it writes, through DuckDB too.
process.umask(0o077);
void loadAndRun();

async function loadAndRun(): Promise<void> {
  const { runCommandLine } = await import('./command-line.js');
  const { PRODUCT } = await import('../main.js');
  await runCommandLine(PRODUCT, process.env, signals);
}
