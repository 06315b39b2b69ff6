// Words and tables of the comparison in docs/performance.md.
import type { Compared, Spread } from '../compare';
import { FORM_NAMES } from '../forms';
import { table } from '../page';
import { RANGES } from '../queries';
import { geometricMean } from '../statistics';
import { LIMIT_MS, leastRatio, RATIOS, type Ratio, ratioOf, statementMs } from './ratios';

const ABOUT = `Milliseconds, medians of up to 7 executions: as many as fit into two seconds (half a second for the plain plan), one of
what takes longer, and a form that took more than ${LIMIT_MS / 1000} s is not asked for a longer range. All forms of a question
by turns in one run; what takes up to 200 ms runs once more before each measured execution, so that it is warm.
All answered the same rows in the same order. No result cache.

- *ours* is the whole request over HTTP with authentication and JSON, answered from the column copy; *database* is the part
  of it in which PostgreSQL was asked anything.
- The others have no HTTP. *from rows* is ours in the process, answered by PostgreSQL; *without passes* the same with the
  plain plan.
- *by hand* is the best SQL over rows that we know for our tables, over the same driver and settings.
- DuckDB is a sorted native file in the process: *same* as one would write it (joined to texts, grouped by texts),
  *best* by ids first.

Ratios are the other's time divided by ours, so above 1 ours is the faster.`;

/** Tables by range, then the means and the statements that read rows. */
export function comparisonSections(all: readonly Compared[]): readonly string[] {
  return [
    ABOUT,
    ...RANGES.flatMap((days) => [`### ${days} days`, rangeTable(all.filter((one) => one.days === days))]),
    '### Geometric means of the ratios',
    meansTable(all),
    ...rawSections(all),
  ];
}

const [, ...OTHERS] = FORM_NAMES;
const HEAD = ['question', 'rows', 'ours', 'database', ...OTHERS, ...RATIOS.map(({ name }) => name)];

function rangeTable(compared: readonly Compared[]): string {
  const rows = compared.map((one) => {
    const ours = one.times.get('ours');
    return [
      one.query,
      String(one.rows),
      ...[ours?.whole, ours?.database].map(shownMs),
      ...OTHERS.map((name) => (one.times.has(name) ? shownMs(one.times.get(name)?.whole) : '')),
      ...RATIOS.map((ratio) => shownRatio(one, ratio)),
    ];
  });
  return table(HEAD, rows);
}

const shownMs = (spread: Spread | undefined): string => spread?.median.toFixed(1) ?? `> ${LIMIT_MS / 1000} s`;

function shownRatio(one: Compared, ratio: Ratio): string {
  const least = leastRatio(one, ratio);
  if (least === undefined) return '';
  return ratioOf(one, ratio, 'median') === undefined ? `> ${least.toFixed(0)}` : least.toFixed(2);
}

function meansTable(all: readonly Compared[]): string {
  const kinds = { median: 'medians', least: 'quickest executions' } as const;
  const rows = RANGES.flatMap((days) =>
    (['median', 'least'] as const).map((which) => [
      `${days} days, ${kinds[which]}`,
      ...RATIOS.map((ratio) => {
        const known = all.flatMap((one) => (one.days === days ? (ratioOf(one, ratio, which) ?? []) : []));
        return known.length === 0 ? '' : geometricMean(known).toFixed(2);
      }),
    ]),
  );
  return table(['range', ...RATIOS.map(({ name }) => name)], rows);
}

/** Our statement beside the SQL by hand. */
function rawSections(all: readonly Compared[]): readonly string[] {
  const names = [...new Set(all.map(({ query }) => query))];
  const rows = names.map((name) => {
    const own = all.filter(({ query }) => query === name);
    return [
      name,
      ...RANGES.flatMap((days) => {
        const one = own.find((each) => each.days === days);
        const statement = one && statementMs(one);
        const hand = one?.times.get('by hand')?.whole.median;
        if (one === undefined || statement === undefined || hand === undefined) return ['', '', ''];
        const each = one.views === undefined ? '' : Math.round((statement * 1e6) / one.views).toString();
        return [statement.toFixed(1), (statement / hand).toFixed(2), each];
      }),
    ];
  });
  const head = RANGES.flatMap((days) => [`${days} days, ms`, 'query : hand', 'ns per row']);
  return [
    '### From rows alone\n\nOur statement, how much longer it takes than the SQL by hand (below 1 it is quicker), and nanoseconds for each page view in range where all of them are counted.',
    table(['question', ...head], rows),
  ];
}
