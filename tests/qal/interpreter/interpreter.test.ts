// Random valid queries over awkward data: the program, with and without each rewrite of its plan, against the interpreter.
import fc from 'fast-check';
import { importRows } from '../../../db/import/import-rows';
import { PASSES } from '../../../extension/qal/plan/plan-query';
import type { QueryContext } from '../../../extension/qal/types/query-context';
import { runQuery } from '../../../extension/run-query';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { createContext, manifest } from '../query-setup';
import { interpret, type RandomQuery, type RandomView, type ViewRow } from './interpret';
import { randomQuery, randomRows } from './random-query';

const SEED = 20_261_121;
const DATA_SETS = 4;
const QUERIES = 150;

const bodyOf = ({ sites, all, time, views, use, limit }: RandomQuery): string =>
  JSON.stringify({
    tracking_id: all ? 'all' : `s${sites[0]}`,
    materials: [{ name: 'allpv' }],
    time,
    make: Object.fromEntries(Object.entries(views).map(([name, view]) => [name, clausesOf(view)])),
    result: { use, limit },
  });

function clausesOf({ from, keep, filter, calc, sort }: RandomView): object {
  return {
    from: [from],
    keep: keep.map((column) => `${from}.${column}`),
    filter: Object.fromEntries(filter.map(({ column, operator, value }) => [column, { [operator]: value }])),
    ...(calc.length === 0
      ? {}
      : { calc: Object.fromEntries(calc.map((it) => [it.name, `${it.function}(${from}.${it.column})`])) }),
    ...(sort === null
      ? {}
      : { sort: { by: sort.by, order: sort.order, ...(sort.top === null ? {} : { top: sort.top }) } }),
  };
}

async function load(database: TestDatabase, rows: readonly ViewRow[]): Promise<void> {
  for (const site of [0, 1]) {
    const tracking_id = `s${site}`;
    await database
      .write('analytics.site')
      .insert({ tracking_id, domain: 'x', name: tracking_id, timezone: 'UTC' });
    const own = rows.filter((row) => row.site === site);
    await importRows(database.write, manifest, {
      material: 'allpv',
      site: tracking_id,
      rows: own.map(({ at, values: { tracking_id: _site, ...values } }) => ({ ...values, access_time: at })),
    });
  }
}

async function check(query: RandomQuery, rows: readonly ViewRow[], context: QueryContext): Promise<void> {
  const expected = interpret(query, rows);
  for (const without of [undefined, ...PASSES.map(({ name }) => name)]) {
    const answer = await runQuery(bodyOf(query), {
      ...context,
      alwaysCount: true,
      withoutPasses: without === undefined ? [] : [without],
    });
    expect({ columns: answer.columns, rows: answer.rows, total: answer.totalCount }).toEqual(expected);
  }
}

test.each(
  fc.sample(randomRows, { seed: SEED, numRuns: DATA_SETS }).map((rows, index) => [index, rows] as const),
)(
  'data set %i',
  async (index, rows) => {
    const database = await createTestDatabase();
    try {
      await load(database, rows);
      const context = await createContext(database);
      await fc.assert(
        fc.asyncProperty(randomQuery, (query) => check(query, rows, context)),
        { seed: SEED + index, numRuns: QUERIES },
      );
    } finally {
      await database.drop();
    }
  },
  120_000,
);
