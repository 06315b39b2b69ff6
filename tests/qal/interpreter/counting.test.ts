// Random queries that count: the program, with and without the rewrites of groups and counts, against the interpreter.
import fc from 'fast-check';
import { planTraced } from '../../../extension/qal/plan/plan-query';
import { prepareQuery } from '../../../extension/run-query';
import { createTestDatabase } from '../../support/database';
import { createContext } from '../query-setup';
import { expected, holdAgainst, textOf } from './hold-against';
import { loadData } from './load-data';
import { countingQuery } from './random/counting-query';
import { randomData } from './random/random-data';
import { samplesOf } from './random/random-values';

const SEED = 20_261_121;
const DATA_SETS = 2;
const QUERIES = 200;
const PASSES = [
  'merge-groups',
  'drop-unread-joins',
  'aggregate-before-join',
  'group-by-id',
  'ungroup-single-rows',
  'distinct-first',
];
/** Kept counts would answer before most of them are asked. */
const RAW = 'read-rollups';
const WAYS = [[], [RAW], ...PASSES.map((name) => [RAW, name]), [RAW, ...PASSES]].map((withoutPasses) => ({
  ...{ alwaysCount: true, withoutPasses },
}));

test.each(Array.from({ length: DATA_SETS }, (_, index) => SEED + index))(
  'data and queries of seed %i',
  async (seed) => {
    const tables = randomData(seed);
    const database = await createTestDatabase();
    const fired = new Set<string>();
    try {
      await loadData(database.write, tables);
      const context = await createContext(database);
      const check = async (query: Parameters<typeof textOf>[0]): Promise<void> => {
        const answer = expected(query, tables);
        fc.pre(answer !== null);
        if (answer === null) return;
        await holdAgainst(query, answer, tables, context, WAYS);
        const sites = tables.site.map(({ tracking_id }) => tracking_id);
        const { resolved } = await prepareQuery(textOf(query, tables), { ...context, sites });
        for (const { name, did } of planTraced(resolved, { ...context, withoutPasses: [RAW] }).passes) {
          if (did === 'fired') fired.add(name);
        }
      };
      const queries = countingQuery(tables, samplesOf(tables));
      await fc.assert(fc.asyncProperty(queries, check), { seed, numRuns: QUERIES });
    } finally {
      await database.drop();
    }
    expect(PASSES.filter((name) => !fired.has(name))).toEqual([]);
  },
  300_000,
);
