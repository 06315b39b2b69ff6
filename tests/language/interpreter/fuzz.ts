// Compares the program with the interpreter until the first difference. Each round has new data and queries of each kind: any,
// groups by dimension, looked-up texts, and counts. Arguments: --rounds=N for N rounds, the first seed (default: random, printed),
// then the materials to query (default: all).
import fc from 'fast-check';
import beforeTests from '../../support/before-tests';
import { openTestColumns, type TestColumns } from '../../support/columns';
import { createTestDatabase } from '../../support/database';
import globalTeardown from '../../support/global-teardown';
import { createContext } from '../query-setup';
import { expected, holdAgainst } from './hold-against';
import { loadData } from './load-data';
import { byIdQuery } from './random/by-id-query';
import { countingQuery } from './random/counting-query';
import { groupedQuery } from './random/grouped-query';
import { randomData } from './random/random-data';
import { EVERYTHING, type Reach, randomQuery } from './random/random-query';
import { samplesOf } from './random/random-values';
import type { Query } from './reading/query';

const QUERIES = 300;

/** Compares many queries on the data for a seed. Returns the report of a difference. */
async function fuzzData(seed: number, reach: Reach): Promise<string | null> {
  const tables = randomData(seed);
  const database = await createTestDatabase();
  let columns: TestColumns | undefined;
  try {
    await loadData(database.write, tables);
    columns = await openTestColumns(database);
    const context = await createContext(database, { columns });
    const samples = samplesOf(tables);
    const check = async (queries: fc.Arbitrary<Query>): Promise<string | null> => {
      const property = fc.asyncProperty(queries, async (query) => {
        const answer = expected(query, tables);
        fc.pre(answer !== null);
        if (answer === null) return;
        await holdAgainst(query, answer, tables, context);
      });
      const result = await fc.check(property, { seed, numRuns: QUERIES });
      return result.failed ? String(result.errorInstance ?? 'Too many queries were too large.') : null;
    };
    const kinds = [randomQuery(tables, samples, reach)];
    if (reach === EVERYTHING)
      kinds.push(...[groupedQuery, byIdQuery, countingQuery].map((queries) => queries(tables, samples)));
    for (const queries of kinds) {
      const difference = await check(queries);
      if (difference !== null) return difference;
    }
    return null;
  } finally {
    await columns?.stop();
    await database.drop();
  }
}

const ROUNDS = '--rounds=';

function readArguments(): readonly [rounds: number, others: readonly string[]] {
  const given = process.argv.slice(2).filter((argument) => argument !== '');
  const rounds = given.find((argument) => argument.startsWith(ROUNDS))?.slice(ROUNDS.length);
  const others = given.filter((argument) => !argument.startsWith(ROUNDS));
  return [rounds === undefined ? Number.POSITIVE_INFINITY : Number(rounds), others];
}

async function fuzz(): Promise<void> {
  const [rounds, [given, ...materials]] = readArguments();
  const first = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  const reach =
    materials.length === 0
      ? EVERYTHING
      : { ...EVERYTHING, materials: (name: string) => materials.includes(name) };
  await beforeTests();
  try {
    for (let seed = first; seed < first + rounds; seed += 1) {
      process.stdout.write(`FUZZ_SEED=${seed}: ${QUERIES} queries ...\n`);
      const difference = await fuzzData(seed, reach);
      if (difference === null) continue;
      process.stdout.write(`${difference}\nRepeat it with: make fuzz FUZZ_SEED=${seed}\n`);
      process.exitCode = 1;
      return;
    }
  } finally {
    await globalTeardown();
  }
}

void fuzz();
