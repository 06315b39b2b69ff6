// A funnel as one query. Each step is the first matching page view after the previous step's view, in the same
// visit. `pv` numbers a visit's views in order, so a view counts toward at most one step, and even views in
// the same second have an order.
import { chooseRows, joinOf, type View } from '../dashboard/chosen-rows';
import type { Conditions } from '../dashboard/dashboard-dimensions';
import { bodyOf, type DashboardQuery, type QueryScope } from '../dashboard/dashboard-query';
import type { FunnelStep } from '../shared-types/report-types';
import { isPath } from './funnel-step';

type Views = Readonly<Record<string, View>>;

interface StepViews {
  readonly views: Views;
  readonly dataset: string;
}

/** The column with the number of visits that reached a step. */
const visitsColumn = (step: number): string => `step_${step}`;

const SESSION = 'session_id';

function pageConditions(op: 'is' | 'contains' | 'prefix', value: string): Conditions {
  if (op === 'contains') return { url: { contains: value } };
  return { [isPath(value) ? 'url_path' : 'url']: { [op === 'is' ? 'eq' : op]: value } };
}

const OF_VIEW = ['allpv.session_id', 'allpv.pv'];

/** The page views that match a step, as the view `views_N`. */
function matchingViews(step: FunnelStep, number: number): StepViews {
  const name = `views_${number}`;
  if (step.kind === 'page')
    return {
      views: { [name]: { from: ['allpv'], filter: pageConditions(step.op, step.value), keep: OF_VIEW } },
      dataset: 'allpv',
    };
  if (step.kind === 'goal') {
    const dataset = `goal_${step.goal}`;
    const join = joinOf('allpv', 'pv_id', dataset);
    return { views: { [name]: { from: ['allpv'], join, keep: OF_VIEW } }, dataset };
  }
  const events: View = {
    from: ['datalayer_event'],
    filter: { event_name: { eq: step.value } },
    keep: ['datalayer_event.pv_id'],
    calc: { events: 'COUNT(datalayer_event.pv_id)' },
  };
  const join = joinOf('allpv', 'pv_id', `events_${number}`);
  return {
    views: { [`events_${number}`]: events, [name]: { from: ['allpv'], join, keep: OF_VIEW } },
    dataset: 'datalayer_event',
  };
}

/** `at_N` is the `pv` of a visit's first view that matches step N after the previous step's view; null if there is none. */
function stepViews(number: number): Views {
  const [before, pairs, name] = [`step_${number - 1}`, `pairs_${number}`, `step_${number}`];
  const reached = Array.from({ length: number - 1 }, (_unused, at) => `at_${at + 1}`);
  return {
    [pairs]: {
      from: [before],
      join: joinOf('allpv', SESSION, `views_${number}`, 'keep-left'),
      keep: [`${before}.${SESSION}`, ...reached.map((at) => `${before}.${at}`), `views_${number}.pv`],
    },
    [name]: {
      from: [pairs],
      keep: [`${pairs}.${SESSION}`],
      calc: {
        ...Object.fromEntries(reached.map((at) => [at, `MIN(${pairs}.${at})`])),
        [`at_${number}`]: {
          of: `MIN(${pairs}.pv)`,
          filter: { pv: { gt: { column: `at_${number - 1}` } } },
        },
      },
    },
  };
}

/** Filters select entire visits: those with a matching page view. */
function firstStep(chosen: ReturnType<typeof chooseRows>, isFiltered: boolean): Views {
  const first: View = {
    from: ['views_1'],
    join: isFiltered ? joinOf('allpv', SESSION, 'visits') : undefined,
    keep: [`views_1.${SESSION}`],
    calc: { at_1: 'MIN(views_1.pv)' },
  };
  if (!isFiltered) return { step_1: first };
  const visits: View = {
    from: ['allpv'],
    filter: Object.keys(chosen.filter).length > 0 ? chosen.filter : undefined,
    join: chosen.join,
    keep: [`allpv.${SESSION}`],
    calc: { views: 'COUNT(allpv.pv_id)' },
  };
  return { ...chosen.views, visits, step_1: first };
}

export function funnelQuery(steps: readonly FunnelStep[], scope: QueryScope): DashboardQuery {
  const chosen = chooseRows('allpv', scope.filters, true);
  const isFiltered = chosen.join !== undefined || Object.keys(chosen.filter).length > 0;
  const matching = steps.map((step, at) => matchingViews(step, at + 1));
  const last = `step_${steps.length}`;
  const make: Views = {
    ...Object.assign({}, ...matching.map(({ views }) => views)),
    ...firstStep(chosen, isFiltered),
    ...Object.assign({}, ...steps.slice(1).map((_step, at) => stepViews(at + 2))),
    funnel: {
      from: [last],
      keep: [],
      calc: Object.fromEntries(
        steps.map((_step, at) => [visitsColumn(at + 1), `COUNT(${last}.at_${at + 1})`]),
      ),
    },
  };
  const datasets = new Set(['allpv', ...matching.map(({ dataset }) => dataset), ...chosen.datasets]);
  return {
    query: bodyOf(scope, [...datasets], make, { use: 'funnel' }),
    unfiltered: chosen.unfiltered,
  };
}
