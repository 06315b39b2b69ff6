// Changes one operator or number in the program at a time, and runs the related tests. A change that no test detects reveals a
// gap. Arguments: the seed (default 1) and the number of changes (default 40). `make mutants SEED=2 COUNT=20`. Requires a clean
// working tree.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import fc from 'fast-check';

interface Area {
  readonly folder: string;
  /** The tests to run, starting with those that detect the most changes. Each stage runs only if the previous one passes. */
  readonly stages: readonly string[];
}

const CASES = 'tests/language/(cases|refusals).test';
const LANGUAGE = ['tests/language/(?!interpreter/every)', 'tests/query/(?!columns)'];
const AREAS: readonly Area[] = [
  { folder: 'extension/language/plan', stages: [`${CASES}|tests/language/plan`, ...LANGUAGE] },
  { folder: 'extension/language/resolve', stages: [`${CASES}|tests/language/resolve`, ...LANGUAGE] },
  { folder: 'extension/language/sql', stages: [`${CASES}|tests/language/sql`, ...LANGUAGE] },
  {
    folder: 'extension/data',
    stages: ['tests/data/(?!import/killed)', `${CASES}|tests/(api|commands)/|tests/pages/(?!browser)`],
  },
  {
    folder: 'host-shim/auth',
    stages: ['tests/host-shim/(?!program)', 'tests/(api|security)/|tests/pages/(?!browser)'],
  },
];

const OTHER_OPERATOR: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};
/** The time limit for mutants that make the tests run forever. */
const TIMEOUT_MS = 1_800_000;

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly was: string;
  readonly becomes: string;
  /** The text of the whole file. */
  readonly text: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly span: Span };

const isNode = (it: unknown): it is Node =>
  typeof it === 'object' && it !== null && 'type' in it && 'span' in it;

function* nodesIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) yield value;
  for (const child of Object.values(value)) yield* nodesIn(child);
}

/** All changes that can be made to a file. */
function mutantsOf(file: string): readonly Mutant[] {
  const source = readFileSync(file);
  const tree = parseSync(source.toString(), { syntax: 'typescript', target: 'es2022' });
  // Spans count bytes across all files parsed so far. The tree's span ends before the last line break.
  const base = tree.span.end - Buffer.byteLength(source.toString().trimEnd());
  const change = (from: number, to: number, becomes: string): Mutant => ({
    file,
    line: source.subarray(0, from).toString().split('\n').length,
    was: source.subarray(from, to).toString().trim(),
    becomes,
    text: source.subarray(0, from).toString() + becomes + source.subarray(to).toString(),
  });
  return [...nodesIn(tree)].flatMap((node) => {
    if (node.type === 'NumericLiteral')
      return [change(node.span.start - base, node.span.end - base, String(Number(node.value) + 1))];
    const { left, right, operator } = node;
    const other = typeof operator === 'string' ? OTHER_OPERATOR[operator] : undefined;
    if (node.type !== 'BinaryExpression' || other === undefined || !isNode(left) || !isNode(right)) return [];
    return [change(left.span.end - base, right.span.start - base, ` ${other} `)];
  });
}

/** Whether the tests with matching paths pass. */
function testsPass({ file }: Mutant, paths: string, environment: NodeJS.ProcessEnv): boolean {
  const jest = ['node_modules/jest/bin/jest.js', '--bail', '--silent', '--findRelatedTests', file];
  const others = ['--testPathIgnorePatterns', `^(?!.*(${paths}))`, '--passWithNoTests'];
  const { status } = spawnSync(process.execPath, [...jest, ...others], {
    env: { ...process.env, ...environment },
    stdio: 'ignore',
    timeout: TIMEOUT_MS,
  });
  return status === 0;
}

function survives(mutant: Mutant, { stages }: Area): boolean {
  const original = readFileSync(mutant.file);
  writeFileSync(mutant.file, mutant.text);
  try {
    return (
      stages.every((paths) => testsPass(mutant, paths, {})) &&
      stages.every((paths) => testsPass(mutant, paths, { QAL_TEST_LONG: '1' }))
    );
  } finally {
    writeFileSync(mutant.file, original);
  }
}

const [seed = 1, count = 40] = process.argv.slice(2).map(Number);
const perArea = Math.ceil(count / AREAS.length);
let survivors = 0;
for (const area of AREAS) {
  const files = readdirSync(area.folder, { recursive: true, encoding: 'utf8' }).filter(
    // The numbers in the demo are data.
    (path) => path.endsWith('.ts') && !path.startsWith('demo/'),
  );
  const all = files.sort().flatMap((file) => mutantsOf(join(area.folder, file)));
  const sample = fc.sample(fc.shuffledSubarray(all, { minLength: perArea, maxLength: perArea }), {
    seed,
    numRuns: 1,
  });
  for (const mutant of sample.flat()) {
    const outcome = survives(mutant, area) ? 'SURVIVED' : 'killed';
    if (outcome === 'SURVIVED') survivors += 1;
    const { file, line, was, becomes } = mutant;
    process.stdout.write(`${outcome.padEnd(9)}${file}:${line} ${was} -> ${becomes.trim()}\n`);
  }
}
process.stdout.write(`${survivors} of ${perArea * AREAS.length} survived.\n`);
