#!/usr/bin/env node
// The program.
import './check-node';
import { setFlagsFromString } from 'node:v8';
import { PRODUCT } from '../main';
import { runCommandLine } from './command-line';

// Else garbage grows to four times of what is in use: 110 MB more for the first large answer.
setFlagsFromString('--heap-growing-percent=100');
// Whatever it writes, here or through DuckDB, only its own account can read.
process.umask(0o077);
runCommandLine(PRODUCT, process.env);
