#!/usr/bin/env node
// The program.
import './check-node';
import { setFlagsFromString } from 'node:v8';
import { listenToSignals } from './stop-signals';

const signals = listenToSignals();
// Else garbage grows to four times of what is in use: 110 MB more for the first large answer.
setFlagsFromString('--heap-growing-percent=100');
// Whatever it writes, here or through DuckDB, only its own account can read.
process.umask(0o077);
void loadAndRun();

async function loadAndRun(): Promise<void> {
  const { runCommandLine } = await import('./command-line.js');
  const { PRODUCT } = await import('../main.js');
  await runCommandLine(PRODUCT, process.env, signals);
}
