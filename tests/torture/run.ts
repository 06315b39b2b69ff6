// `make torture`: runs all trials, or those given as arguments, and writes their counts to docs/reliability.md. SEED repeats a
// run, TRIES sets the number of tries, and MINUTES sets the duration of trials that run for a fixed time.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { newDice } from '../language/interpreter/random/dice';
import { removeInstallations } from './installation';
import { updateTable } from './reliability-page';
import { type Counts, FAULTS, type Fault, type Report, type Trial } from './trial';
import { TRIALS } from './trials';

const PAGE = join(__dirname, '../../docs/reliability.md');
const MINUTES = 2;
const MAX_PRINTED_FAULTS = 20;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function setting(name: string, fallback: number, min = 1): number {
  const number = Number(process.env[name] || fallback);
  if (!(number >= min)) throw new Error(`${name} must be a number of at least ${min}.`);
  return number;
}

async function runTrial(trial: Trial, seed: number): Promise<Counts> {
  const scale = { tries: setting('TRIES', trial.tries), minutes: setting('MINUTES', MINUTES, 0) };
  const count: Record<Fault, number> = { lost: 0, duplicated: 0, wrong: 0, unanswered: 0 };
  const notes: string[] = [];
  let tries = 0;
  let faults = 0;
  const report: Report = {
    tried(more = 1) {
      tries += more;
    },
    fault(kind, what) {
      count[kind] += 1;
      faults += 1;
      if (faults <= MAX_PRINTED_FAULTS) print(`  ${kind.toUpperCase()} in try ${tries}: ${what}`);
    },
    note(text) {
      notes.push(text);
      print(`  ${text}`);
    },
  };
  print(`${trial.name} (SEED=${seed}): ${trial.title} ...`);
  const started = performance.now();
  try {
    await trial.run(newDice(seed), report, scale);
    if (tries < scale.tries) report.fault('unanswered', `only ${tries} of ${scale.tries} tries were made`);
  } catch (error) {
    report.fault('unanswered', `the trial aborted: ${error instanceof Error ? error.stack : String(error)}`);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  print(`  ${tries} tries, ${FAULTS.map((kind) => `${count[kind]} ${kind}`).join(', ')}, ${seconds} s`);
  return { ...count, tries, seconds, notes };
}

function circumstances(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version.slice(1)}`;
  return `${new Date().toISOString().slice(0, 10)}, ${commit}, ${machine}`;
}

async function torture(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !TRIALS.some((trial) => trial.name === name));
  if (unknown.length > 0) {
    const known = TRIALS.map(({ name }) => name).join(', ');
    process.stderr.write(`There is no trial ${unknown.join(' or ')}; the trials are ${known}.\n`);
    process.exitCode = 2;
    return;
  }
  const seed = setting('SEED', Math.floor(Math.random() * 2 ** 31), 0);
  const where = circumstances();
  for (const trial of TRIALS) {
    if (names.length > 0 && !names.includes(trial.name)) continue;
    const counts = await runTrial(trial, seed);
    if (FAULTS.some((kind) => counts[kind] > 0)) {
      print(`  To repeat it:  make torture ARGS=${trial.name} SEED=${seed}`);
      process.exitCode = 1;
    }
    writeFileSync(PAGE, updateTable(readFileSync(PAGE, 'utf8'), TRIALS, trial, counts, where));
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void removeInstallations().finally(() => process.exit(1)));
torture(process.argv.slice(2).filter((argument) => argument !== '')).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
