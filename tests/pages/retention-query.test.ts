// The retention queries on random data: both engines, the interpreter, and a count over each visitor's views return the same
// numbers.

import { cohortsQuery, recognizedQuery } from '../../extension/pages/retention/retention-query';
import type { RequestedFilter } from '../../extension/pages/shared-types/dashboard-types';
import type { CohortStep } from '../../extension/pages/shared-types/report-types';
import { AS_PLANNED, compareWithInterpreter } from '../language/interpreter/compare-with-interpreter';
import { loadData } from '../language/interpreter/load-data';
import { randomData } from '../language/interpreter/random/random-data';
import { readQuery } from '../language/interpreter/read-query';
import { interpret } from '../language/interpreter/reading/interpret';
import type { PageView } from '../language/interpreter/reading/tables';
import { createContext } from '../language/query-setup';
import { openTestColumns } from '../support/columns';
import { createTestDatabase } from '../support/database';
import { IS_LONG_RUN } from '../support/long-run';

const SEEDS = IS_LONG_RUN ? [20_261_129, 3] : [20_261_129];
const RANGE = { first: '2026-01-01', last: '2027-01-31' };
const DAY = 86_400_000;
const DESKTOP: RequestedFilter = { dimension: 'device', not: false, values: ['PC'] };

function periodOf(step: CohortStep, at: number): string {
  const date = new Date(at * 1000);
  if (step === 'month') return date.toISOString().slice(0, 7);
  const monday = date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY;
  return new Date(monday).toISOString().slice(0, 10);
}

/** Rows of [cohort, period, visitors] in order, counted visitor by visitor. */
function countCohorts(views: readonly PageView[], step: CohortStep, isChosen: (view: PageView) => boolean) {
  const counts = new Map<string, number>();
  for (const ofVisitor of Map.groupBy(views, ({ reader_id }) => reader_id).values()) {
    const firsts = ofVisitor.filter((view) => view.is_newuser && view.pv === 1 && isChosen(view));
    const [cohort] = firsts.map(({ at }) => periodOf(step, at)).toSorted();
    if (cohort === undefined) continue;
    const begun = ofVisitor.filter(({ pv }) => pv === 1);
    for (const period of new Set(begun.map(({ at }) => periodOf(step, at)))) {
      const key = JSON.stringify([cohort, period]);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].map(([key, visitors]) => [...JSON.parse(key), visitors]).toSorted();
}

test.each(SEEDS)("the numbers for seed %d match the interpreter's and the count by visitor", async (seed) => {
  const tables = randomData(seed);
  const database = await createTestDatabase();
  await loadData(database.write, tables);
  const columns = await openTestColumns(database);
  try {
    const context = await createContext(database, { columns });
    const checkedRows = async (query: { readonly qal: object }) => {
      const parsed = readQuery(JSON.stringify(query.qal), tables);
      const answer = interpret(parsed, tables);
      await compareWithInterpreter(parsed, answer, tables, context, AS_PLANNED);
      return answer.rows;
    };
    for (const { site_id, tracking_id } of tables.site) {
      const views = tables.page_view.filter((view) => view.site_id === site_id);
      const scope = { site: { trackingId: tracking_id, timezone: 'UTC' }, range: RANGE };
      for (const step of ['week', 'month'] as const) {
        const all = await checkedRows(cohortsQuery(step, { ...scope, filters: [] }).query);
        expect(all).toEqual(countCohorts(views, step, () => true));
        const some = await checkedRows(cohortsQuery(step, { ...scope, filters: [DESKTOP] }).query);
        expect(some).toEqual(countCohorts(views, step, ({ device_id }) => device_id === 1));
      }
      const longer = [...Map.groupBy(views, ({ reader_id }) => reader_id).values()].filter((ofVisitor) => {
        const times = ofVisitor.map(({ at }) => at);
        return Math.max(...times) - Math.min(...times) > 90_000;
      });
      const visitors = new Set(views.map(({ reader_id }) => reader_id)).size;
      expect(await checkedRows(recognizedQuery({ ...scope, filters: [] }).query)).toEqual([
        [visitors, longer.length],
      ]);
    }
  } finally {
    await columns.stop();
    await database.drop();
  }
});
