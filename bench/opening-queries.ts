import { figuresOf } from '../extension/pages/dashboard/dashboard-figures';
import { PANELS } from '../extension/pages/dashboard/dashboard-panels';
import {
  type DashboardQuery,
  figureQuery,
  listQuery,
  type QueryScope,
} from '../extension/pages/dashboard/dashboard-query';
import { defaultStep } from '../extension/pages/dashboard/dashboard-range';

const ROWS = 8;

interface OpeningQuery extends Pick<DashboardQuery, 'query'> {
  readonly title: string;
}

/** The queries for the totals of all figures, the chart, and the first list of each panel. */
export function openingQueries(scope: QueryScope, goals: readonly number[] = []): readonly OpeningQuery[] {
  const figures = Object.entries(figuresOf(goals));
  const totals = figures.map(([id, figure]) => ({
    title: `Total ${id}`,
    ...figureQuery(figure, null, scope),
  }));
  const [first] = figures;
  const chart = first && { title: 'Chart', ...figureQuery(first[1], defaultStep(scope.range), scope) };
  const lists = PANELS.flatMap(({ tabs: [tab] }) =>
    tab === undefined || tab.kind === 'goals'
      ? []
      : [{ title: tab.title, ...listQuery(tab, { limit: ROWS }, scope) }],
  );
  return [...totals, ...(chart ? [chart] : []), ...lists];
}
