// Random queries about looked-up texts: the program, with and without the rewrites that put ids in the place of texts,
// against the interpreter.
import fc from 'fast-check';
import { planTraced } from '../../../extension/qal/plan/plan-query';
import { prepareQuery } from '../../../extension/run-query';
import { createTestDatabase } from '../../support/database';
import { createContext } from '../query-setup';
import { expected, holdAgainst, textOf } from './hold-against';
import { loadData } from './load-data';
import { byIdQuery } from './random/by-id-query';
import { randomData } from './random/random-data';
import { samplesOf } from './random/random-values';

const SEED = 20_261_129;
const DATA_SETS = 2;
const QUERIES = 200;
const PASSES = ['text-filters-to-ids', 'top-before-lookups'];
const WAYS = [[], ...PASSES.map((name) => [name]), [...PASSES, 'group-by-id']].map((withoutPasses) => ({
  ...{ alwaysCount: true, withoutPasses },
}));

test.each(Array.from({ length: DATA_SETS }, (_, index) => SEED + index))(
  'data and queries of seed %i',
  async (seed) => {
    const tables = randomData(seed);
    const database = await createTestDatabase();
    const fired = new Map<string, number>();
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
        for (const { name, did } of planTraced(resolved, context).passes) {
          if (did === 'fired') fired.set(name, (fired.get(name) ?? 0) + 1);
        }
      };
      const queries = byIdQuery(tables, samplesOf(tables));
      await fc.assert(fc.asyncProperty(queries, check), { seed, numRuns: QUERIES });
    } finally {
      await database.drop();
    }
    // Most of them are about these rewrites.
    expect(fired.get('text-filters-to-ids')).toBeGreaterThan(QUERIES / 4);
    expect(fired.get('top-before-lookups')).toBeGreaterThan(QUERIES / 10);
  },
  120_000,
);
