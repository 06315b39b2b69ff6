// Dashboard queries with excluded events, on random data: both engines return the same answers as the interpreter, with and
// without the passes for visits.
import { figuresOf } from '../../extension/pages/dashboard/dashboard-figures';
import { PANELS } from '../../extension/pages/dashboard/dashboard-panels';
import { figureQuery, listQuery, type QueryScope } from '../../extension/pages/dashboard/dashboard-query';
import type { RequestedFilter } from '../../extension/pages/shared-types/dashboard-types';
import {
  AS_PLANNED,
  compareWithInterpreter,
  type Way,
} from '../language/interpreter/compare-with-interpreter';
import { loadData } from '../language/interpreter/load-data';
import { type Dice, newDice } from '../language/interpreter/random/dice';
import { randomData } from '../language/interpreter/random/random-data';
import { readQuery } from '../language/interpreter/read-query';
import { interpret } from '../language/interpreter/reading/interpret';
import type { Tables } from '../language/interpreter/reading/tables';
import { createContext } from '../language/query-setup';
import { openTestColumns } from '../support/columns';
import { createTestDatabase } from '../support/database';
import { tries } from '../support/long-run';

const SEEDS = [20_261_130, 8];
const QUERIES = tries(10, 600);
const RANGES = [
  { first: '2026-01-01', last: '2027-01-31' },
  { first: '2026-10-20', last: '2026-11-10' },
];
const SITES = [1, 2];
const PASSES = ['exclude-visits', 'one-row-per-visit'];
const WAYS: readonly Way[] = [
  ...AS_PLANNED,
  ...PASSES.flatMap((name): readonly Way[] => [
    { alwaysCount: true, withoutPasses: [name] },
    { alwaysCount: true, withoutPasses: [name], onColumns: true },
  ]),
];

const TABS = PANELS.flatMap(({ tabs }) => tabs).filter(
  ({ dataset, kind }) => dataset !== 'gsc' && kind === 'list',
);
const FIGURES = Object.values(figuresOf([2]));

/** Excludes an event, or an event with a certain parameter. Adds other filters at random. */
function randomFilters(dice: Dice, tables: Tables, site: number): readonly RequestedFilter[] {
  const names = tables.event_name.filter(({ site_id }) => site_id === site);
  const { event_name_id, event_name } = dice.pick(names.filter((it) => /^\w+$/.test(it.event_name)));
  const { params } = dice.pick(
    tables.event.filter((it) => it.site_id === site && it.event_name_id === event_name_id),
  );
  const note = typeof params.note === 'string' ? params.note : null;
  const excluded: RequestedFilter = dice.pick([
    { dimension: 'parameter', not: true, values: [JSON.stringify([event_name, 'note', note])] },
    { dimension: 'event', not: true, values: [event_name] },
  ]);
  const more: readonly RequestedFilter[] = [
    { dimension: 'device', not: false, values: ['PC'] },
    { dimension: 'utm_source', not: true, values: ['new'] },
    { dimension: 'event', not: false, values: [dice.pick(names).event_name] },
    {
      dimension: 'entry',
      not: false,
      values: [dice.pick(tables.page.filter((it) => it.site_id === site)).url],
    },
    { dimension: 'event', not: true, values: [dice.pick(names).event_name] },
  ];
  return [excluded, ...more.filter((filter) => filter.dimension !== excluded.dimension && dice.chance(4))];
}

function randomQuery(dice: Dice, tables: Tables): object {
  const site = dice.pick(SITES);
  const found = tables.site.find(({ site_id }) => site_id === site);
  const scope: QueryScope = {
    site: { trackingId: found?.tracking_id ?? '', timezone: found?.timezone ?? 'UTC' },
    range: dice.pick(RANGES),
    filters: randomFilters(dice, tables, site),
  };
  const { query } = dice.chance(3)
    ? figureQuery(dice.pick(FIGURES), dice.pick([null, null, 'day']), scope)
    : listQuery(dice.pick(TABS), { limit: 100 }, scope);
  return query.qal;
}

test.each(SEEDS)('all answers for seed %d are the same', async (seed) => {
  const tables = randomData(seed);
  const dice = newDice(seed);
  const database = await createTestDatabase();
  await loadData(database.write, tables);
  const columns = await openTestColumns(database, { isCounted: true });
  try {
    const context = await createContext(database, { columns });
    const fired = new Map<string, number>();
    for (let count = 0; count < QUERIES; count += 1) {
      const query = readQuery(JSON.stringify(randomQuery(dice, tables)), tables);
      const answer = interpret(query, tables);
      const compared = await compareWithInterpreter(query, answer, tables, context, WAYS);
      for (const pass of compared.fired) fired.set(pass, (fired.get(pass) ?? 0) + 1);
    }
    for (const pass of PASSES) expect([pass, Number(fired.get(pass)) > QUERIES / 10]).toEqual([pass, true]);
  } finally {
    await columns.stop();
    await database.drop();
  }
});
