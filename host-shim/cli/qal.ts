#!/usr/bin/env node
import './check-node';
import { setFlagsFromString } from 'node:v8';
import { listenToSignals } from './stop-signals';

const signals = listenToSignals();
// By default, garbage may grow to four times the memory in use, which adds 110 MB for the first large response.
setFlagsFromString('--heap-growing-percent=100');
// Only this account may read the files that the program writes, including those that DuckDB writes.
process.umask(0o077);
void loadAndRun();

async function loadAndRun(): Promise<void> {
  const { runCommandLine } = await import('./command-line.js');
  const { PRODUCT } = await import('../main.js');
  // Otherwise, the young generation grows to 134 MB, and garbage to as much memory as is in use; neither makes commands faster.
  if (process.argv[2] !== 'serve')
    setFlagsFromString('--semi-space-growth-factor=1 --heap-growing-percent=50');
  await runCommandLine(PRODUCT, process.env, signals);
}
