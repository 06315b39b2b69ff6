// Funnel queries on random data: both engines (also with joins instead of the steps-in-order pass), the interpreter, and a
// step-by-step count over each visit's views return the same numbers.

import { funnelQuery } from '../../extension/pages/funnels/funnel-query';
import { isPath, MAX_STEPS, PAGE_OPS } from '../../extension/pages/funnels/funnel-step';
import type { RequestedFilter } from '../../extension/pages/shared-types/dashboard-types';
import type { FunnelStep } from '../../extension/pages/shared-types/report-types';
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
import type { PageView, Tables } from '../language/interpreter/reading/tables';
import { createContext } from '../language/query-setup';
import { openTestColumns } from '../support/columns';
import { createTestDatabase } from '../support/database';
import { tries } from '../support/long-run';

const SEEDS = [20_261_129, 7];
const FUNNELS = tries(15, 1_000);
const RANGE = { first: '2026-01-01', last: '2027-01-31' };
const SITES = [1, 2];

interface Visits {
  readonly tables: Tables;
  readonly site: number;
}

const urlOf = ({ tables, site }: Visits, view: PageView): string =>
  tables.page.find((it) => it.site_id === site && it.page_id === view.page_id)?.url ?? '';

/** The parts of a URL that `url_path` leaves out in the language: the scheme and host, and the query and fragment. */
const OUTSIDE_PATH = /^(?:[a-z]+:)?\/\/[^/?#]*|[?#].*$/g;

function matches(step: FunnelStep, view: PageView, visits: Visits): boolean {
  const { tables, site } = visits;
  const isOf = (row: { readonly site_id: number; readonly pv_id: number }) =>
    row.site_id === site && row.pv_id === view.pv_id;
  if (step.kind === 'goal') return tables.conversion.some((row) => isOf(row) && row.goal_no === step.goal);
  if (step.kind === 'event') {
    const names = tables.event_name.filter((it) => it.site_id === site && it.event_name === step.value);
    return names.some(({ event_name_id }) =>
      tables.event.some((row) => isOf(row) && row.event_name_id === event_name_id),
    );
  }
  const url = urlOf(visits, view);
  const text = step.op !== 'contains' && isPath(step.value) ? url.replace(OUTSIDE_PATH, '') || '/' : url;
  if (step.op === 'is') return text === step.value;
  return step.op === 'contains' ? text.includes(step.value) : text.startsWith(step.value);
}

/** The number of visits that reach each step. */
function countByStep(
  steps: readonly FunnelStep[],
  visits: Visits,
  isChosen: (visit: readonly PageView[]) => boolean,
) {
  const ofSite = visits.tables.page_view.filter(({ site_id }) => site_id === visits.site);
  const bySession = Map.groupBy(ofSite, ({ session_id }) => session_id);
  const reached = steps.map(() => 0);
  for (const views of bySession.values()) {
    if (!isChosen(views)) continue;
    let step = 0;
    for (const view of views.toSorted((one, other) => one.pv - other.pv)) {
      const wanted = steps[step];
      if (wanted === undefined) break;
      if (!matches(wanted, view, visits)) continue;
      reached[step] = (reached[step] ?? 0) + 1;
      step += 1;
    }
  }
  return reached;
}

/** Usually a step with an existing page, so that visits also reach later steps. */
function randomStep(dice: Dice, { tables, site }: Visits): FunnelStep {
  const goals = tables.goal.filter(({ site_id }) => site_id === site);
  const events = tables.event_name.filter(({ site_id }) => site_id === site);
  const kind = dice.below(8);
  if (kind === 0) return { kind: 'goal', goal: dice.pick(goals).goal_no };
  if (kind === 1) return { kind: 'event', value: dice.pick(events).event_name };
  const { url } = dice.pick(tables.page.filter(({ site_id }) => site_id === site));
  const op = dice.pick(PAGE_OPS);
  if (op === 'is') return { kind: 'page', op, value: isPath(url) ? url.replace(/[?#].*/, '') : url };
  return {
    kind: 'page',
    op,
    value: dice.pick(['/', 'a', '?', [...url].slice(0, 2).join('')]).replace('?', '/'),
  };
}

const PASS = 'steps-in-order';
const WAYS: readonly Way[] = [...AS_PLANNED, { alwaysCount: true, withoutPasses: [PASS], onColumns: true }];

const DESKTOP: RequestedFilter = { dimension: 'device', not: false, values: ['PC'] };
const withPage = (value: string): RequestedFilter => ({ dimension: 'page', not: false, values: [value] });

test.each(SEEDS)('the numbers for seed %d match the interpreter and the step-by-step count', async (seed) => {
  const tables = randomData(seed);
  const dice = newDice(seed);
  const database = await createTestDatabase();
  await loadData(database.write, tables);
  const columns = await openTestColumns(database);
  try {
    const context = await createContext(database, { columns });
    let completed = 0;
    for (let count = 0; count < FUNNELS; count += 1) {
      const visits = { tables, site: dice.pick(SITES) };
      const steps = Array.from({ length: 2 + dice.below(dice.pick([1, 2, MAX_STEPS - 1])) }, () =>
        randomStep(dice, visits),
      );
      const { url } = dice.pick(tables.page.filter(({ site_id }) => site_id === visits.site));
      const filter = dice.pick([null, DESKTOP, withPage(url)]);
      const isChosen = (visit: readonly PageView[]) =>
        filter === null ||
        visit.some((view) =>
          filter === DESKTOP ? view.device_id === 1 : urlOf(visits, view) === filter.values[0],
        );
      const site = tables.site.find(({ site_id }) => site_id === visits.site);
      const { query } = funnelQuery(steps, {
        site: { trackingId: site?.tracking_id ?? '', timezone: 'UTC' },
        range: RANGE,
        filters: filter === null ? [] : [filter],
      });
      const parsed = readQuery(JSON.stringify(query.qal), tables);
      const answer = interpret(parsed, tables);
      const { fired } = await compareWithInterpreter(parsed, answer, tables, context, WAYS);
      expect({ steps, fired: [...fired] }).toEqual({ steps, fired: [PASS] });
      expect({ steps, filter, rows: answer.rows }).toEqual({
        steps,
        filter,
        rows: [countByStep(steps, visits, isChosen)],
      });
      if (Number(answer.rows[0]?.at(-1)) > 0) completed += 1;
    }
    expect(completed).toBeGreaterThan(FUNNELS / 10);
  } finally {
    await columns.stop();
    await database.drop();
  }
});
