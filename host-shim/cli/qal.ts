#!/usr/bin/env node
// The program.
import { PRODUCT } from '../main';
import { runCommandLine } from './command-line';

runCommandLine(PRODUCT, process.env);
