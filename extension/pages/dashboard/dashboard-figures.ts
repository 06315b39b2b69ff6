// The dashboard's figures, as data. In expressions, `@` is replaced with the dataset's name and a dot.
import type { CardInfo, MeasureInfo } from '../shared-types/dashboard-types';
import { type Conditions, ENTRY } from './dashboard-dimensions';

export interface Measure extends MeasureInfo {
  readonly calc: string;
}

export const VISITORS = {
  column: 'visitors',
  label: 'Visitors',
  unit: 'count',
  calc: 'COUNTUNIQUE(@reader_id)',
} as const;
export const VISITS = {
  column: 'visits',
  label: 'Visits',
  unit: 'count',
  calc: 'COUNTUNIQUE(@session_id)',
} as const;
export const VIEWS = { column: 'views', label: 'Page views', unit: 'count', calc: 'COUNT(@pv_id)' } as const;
export const BOUNCE_RATE = {
  column: 'bounce_rate',
  label: 'Bounce rate',
  unit: 'percent',
  calc: '100 * SUM(@is_last) / COUNT(@pv_id)',
} as const;

/** Numbers that one query returns, in total or for each step of the chart. */
export interface Figure {
  readonly calc: Readonly<Record<string, string>>;
  /** Counts only matching page views. */
  readonly filter?: Conditions;
}

type FigureId = 'visitors' | 'visits' | 'entries';

/** The column with a goal's conversions. */
const goalColumn = (goal: number): string => `goal_${goal}`;

/** Visitors and visits are separate figures: two queries are faster than two COUNTUNIQUEs in one query. */
export function figuresOf(goals: readonly number[]): Readonly<Record<FigureId, Figure>> {
  const conversions = goals.map((goal) => [goalColumn(goal), `SUM(@is_goal_${goal})`] as const);
  const sum = conversions.map(([, calc]) => calc).join(' + ');
  return {
    visitors: { calc: { visitors: VISITORS.calc } },
    visits: {
      calc: {
        views: VIEWS.calc,
        visits: VISITS.calc,
        pages_per_visit: `${VIEWS.calc} / ${VISITS.calc}`,
        visit_duration: `SUM(@browse_sec) / ${VISITS.calc}`,
      },
    },
    // Counts one row per visit, since every page view has its visit's goals.
    entries: {
      filter: ENTRY,
      calc: {
        entries: VIEWS.calc,
        bounce_rate: BOUNCE_RATE.calc,
        ...Object.fromEntries(conversions),
        ...(sum === '' ? {} : { conversions: sum }),
      },
    },
  };
}

export const BEGUN = 'Share of visits that started in this period';

export const CARDS: readonly CardInfo[] = (
  [
    ['visitors', 'visitors', 'Visitors', 'count', 'Unique visitors'],
    ['visits', 'visits', 'Visits', 'count', 'With a page view in this range'],
    ['views', 'visits', 'Page views', 'count', 'Across all pages'],
    ['pages_per_visit', 'visits', 'Pages per visit', 'decimal', 'Page views divided by visits'],
    ['bounce_rate', 'entries', 'Bounce rate', 'percent', `${BEGUN} and had only one page view`],
    ['visit_duration', 'visits', 'Visit duration', 'seconds', 'Average time on pages'],
    ['conversions', 'entries', 'Conversions', 'count', 'Goals reached in visits that started in this period'],
  ] as const
).map(([column, figure, label, unit, about]) => ({
  column,
  figure,
  label,
  unit,
  about,
  lessIsBetter: column === 'bounce_rate',
}));
