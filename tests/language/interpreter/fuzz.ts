// Compares the program with the interpreter, in rounds of new data and random queries of seven kinds, until they differ. Arguments:
// --rounds=N (default: no limit), --as-planned (only the normal plan on each engine), the first seed (default: a random one, which
// is printed), and the materials to query (default: all; with materials, only the queries from random-query.ts).
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import beforeTests from '../../support/before-tests';
import { openTestColumns, type TestColumns } from '../../support/columns';
import { createTestDatabase } from '../../support/database';
import globalTeardown from '../../support/global-teardown';
import { createContext } from '../query-setup';
import {
  AS_PLANNED,
  compareWithInterpreter,
  EVERY_WAY,
  expected,
  type Way,
  withSizes,
} from './compare-with-interpreter';
import { loadData } from './load-data';
import { byIdQuery } from './random/by-id-query';
import { clickQuery } from './random/click-query';
import { countingQuery } from './random/counting-query';
import { groupedQuery } from './random/grouped-query';
import { randomData } from './random/random-data';
import { EVERYTHING, type Reach, randomQuery } from './random/random-query';
import { samplesOf } from './random/random-values';
import { visitQuery } from './random/visit-query';
import { visitorQuery } from './random/visitor-query';
import type { Query } from './reading/query';

const QUERIES = 300;

/** The queries and plans that a run compares. */
interface Scope {
  readonly reach: Reach;
  readonly ways: readonly Way[];
}

/** Compares many queries on the data generated from a seed. Returns a report of the first difference, or null. */
async function fuzzData(seed: number, { reach, ways }: Scope): Promise<string | null> {
  const tables = randomData(seed);
  const database = await createTestDatabase();
  let columns: TestColumns | undefined;
  try {
    await loadData(database.write, tables);
    columns = await openTestColumns(database, { isCounted: true });
    const context = await createContext(database, { columns: withSizes(columns, seed) });
    const samples = samplesOf(tables);
    const check = async (queries: fc.Arbitrary<Query>): Promise<string | null> => {
      const property = fc.asyncProperty(queries, async (query) => {
        const answer = expected(query, tables);
        fc.pre(answer !== null);
        if (answer === null) return;
        await compareWithInterpreter(query, answer, tables, context, ways);
      });
      const result = await fc.check(property, { seed, numRuns: QUERIES });
      return result.failed ? String(result.errorInstance ?? 'Too many queries were too large.') : null;
    };
    const kinds = [randomQuery(tables, samples, reach)];
    if (reach === EVERYTHING)
      kinds.push(
        ...[groupedQuery, byIdQuery, countingQuery, visitQuery, visitorQuery, clickQuery].map((queries) =>
          queries(tables, samples),
        ),
      );
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

function readArguments() {
  const given = process.argv.slice(2).filter((argument) => argument !== '');
  const { values, positionals } = parseArgs({
    args: given,
    allowPositionals: true,
    options: { rounds: { type: 'string' }, 'as-planned': { type: 'boolean', default: false } },
  });
  return {
    rounds: Number(values.rounds ?? Number.POSITIVE_INFINITY),
    ways: values['as-planned'] ? AS_PLANNED : EVERY_WAY,
    others: positionals,
  };
}

async function fuzz(): Promise<void> {
  const {
    rounds,
    ways,
    others: [given, ...materials],
  } = readArguments();
  const first = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  const reach =
    materials.length === 0
      ? EVERYTHING
      : { ...EVERYTHING, materials: (name: string) => materials.includes(name) };
  await beforeTests();
  try {
    for (let seed = first; seed < first + rounds; seed += 1) {
      process.stdout.write(`FUZZ_SEED=${seed}: ${QUERIES} queries of each kind ...\n`);
      const difference = await fuzzData(seed, { reach, ways });
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
