import {
  type DashboardHead,
  type DayRange,
  GOAL,
  PARAMETER,
  type PinnedSegment,
  type RequestedFilter,
  type Step,
} from '../../shared-types/dashboard-types';
import { kindOf } from '../../shared-types/filter-kinds';
import { missingInWords, rangeInWords } from '../shared/dates-in-words';
import { button, byId, element, replaceKeepingFocus } from '../shared/elements';
import { isPinned, type View, withFilter } from './address';
import { parameterInWords } from './event-parameter';
import { localizedName, withUnit } from './in-words';
import { daysIn, daysLater } from './month-grid';
import { withDays } from './range-choice';

const STEP_NAMES: Readonly<Record<Step, string>> = {
  hour: 'By hour',
  day: 'By day',
  week: 'By week',
  month: 'By month',
};

const lengthOf = (range: DayRange): string => withUnit(daysIn(range), 'count');

/** A warning if the changes compare the totals of ranges with different lengths. */
function lengthsInWords({ range, before, chartBefore, data }: DashboardHead): readonly string[] {
  if (before === null || data === null || daysIn(before) === daysIn(range)) return [];
  const isCut = chartBefore !== null && chartBefore.days.last < before.last;
  const chart = isCut ? `; the dashed line shows the first ${lengthOf(chartBefore.days)}` : '';
  const days = daysIn(range) === 1 ? 'day' : 'days';
  return [` Changes compare ${lengthOf(range)} ${days} with ${lengthOf(before)}${chart}.`];
}

export function openControls(current: () => View, go: (view: View) => void) {
  const by = byId('by', HTMLSelectElement);
  const about = byId('range', HTMLElement);
  const legend = byId('chart-legend', HTMLElement);
  by.addEventListener('change', () => go({ ...current(), by: by.value }));

  return {
    /** Shows the days that the answer covers, and the possible steps of the chart. */
    showHead(head: DashboardHead): void {
      const { range: days, before, unfinished, sameHours, site: shown, step, steps, data } = head;
      by.replaceChildren(...steps.map((one) => new Option(STEP_NAMES[one], one)));
      by.value = step;
      const outside = data !== null && (days.last < data.first || days.first > data.last);
      const missing = missingInWords(head);
      const latest = button('Show the latest days with data', 'plain', () => {
        if (data === null) return;
        const first = daysLater(data.last, -27);
        go(withDays(current(), { first: first > data.first ? first : data.first, last: data.last }));
      });
      legend.replaceChildren(
        element('li', rangeInWords(days)),
        // Without data, there is no line.
        ...(before === null || data === null || before.last < data.first
          ? []
          : [element('li', rangeInWords(before), 'before')]),
      );
      about.replaceChildren(
        element('strong', rangeInWords(days)),
        `, ${shown.timezone} time`,
        ...(before === null ? [] : [`, compared with ${rangeInWords(before)}`]),
        '.',
        ...(unfinished
          ? [
              ` Today is incomplete: it is drawn as a dashed line${sameHours ? ' and compared with the same hours of the earlier period' : ''}.`,
            ]
          : []),
        ...lengthsInWords(head),
        ...(outside ? [' There is no data for these days. ', latest] : []),
        ...(outside || missing === undefined ? [] : [` ${missing}`]),
      );
    },
  };
}

interface ChipContext {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly pinned: PinnedSegment | undefined;
  goalName(id: string): string;
}

/** "Country is Germany or Austria". */
function filterInWords(
  { dimension, values, ...compared }: RequestedFilter,
  { dimensions, goalName }: ChipContext,
): string {
  const names = values.map((value) => {
    if (value === null) return 'unknown';
    if (dimension === PARAMETER) return parameterInWords(value);
    return dimension === GOAL ? goalName(value) : localizedName(dimension, value);
  });
  return `${dimensions[dimension] ?? dimension} ${kindOf(compared).words} ${names.join(' or ')}`;
}

/** Shows the filters as chips that can be inverted and removed. */
export function showChips(view: View, context: ChipContext, go: (view: View) => void): void {
  const list = byId('chips', HTMLElement);
  const without = (filter: RequestedFilter) => view.filters.filter((one) => one !== filter);
  const inverted = (filter: RequestedFilter) => withFilter(without(filter), { ...filter, not: !filter.not });
  const { pinned } = context;
  const fixed = (pinned?.filters ?? []).map((filter) =>
    element('li', filterInWords(filter, context), filter.not ? 'chip not' : 'chip', {
      title: pinned?.name ?? '',
    }),
  );
  const free = view.filters.filter(({ dimension }) => !isPinned(pinned, dimension));
  const chips = free.map((filter) => {
    const words = filterInWords(filter, context);
    const invert = button(words, 'plain', () => go({ ...view, filters: inverted(filter) }), {
      'data-key': `turn ${filter.dimension} ${filter.op ?? ''}`,
      title: filter.not ? 'Show only these' : 'Leave these out',
    });
    const remove = button('×', 'plain chip-remove', () => go({ ...view, filters: without(filter) }), {
      'aria-label': `Remove the filter: ${words}`,
    });
    return element('li', [invert, remove], filter.not ? 'chip not' : 'chip');
  });
  const all = button('Remove all', 'plain small', () => go({ ...view, filters: [] }));
  if (chips.length + fixed.length === 0)
    replaceKeepingFocus(list, [element('li', list.dataset.hint ?? '', 'muted')]);
  else replaceKeepingFocus(list, [...fixed, ...chips, ...(chips.length > 1 ? [element('li', all)] : [])]);
}

interface Shortcuts {
  choosePeriod(period: string): void;
  removeFilters(): void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('select, textarea, input:not([type="checkbox"])'));

const isSomethingOpen = (): boolean => document.querySelector('dialog[open], :popover-open') !== null;

export function listenForShortcuts({ choosePeriod, removeFilters }: Shortcuts): void {
  const list = byId('shortcuts', HTMLDialogElement);
  const periods = new Map(
    [...document.querySelectorAll<HTMLElement>('[data-keys]')].flatMap(({ dataset }) =>
      (dataset.keys ?? '').split(' ').map((key) => [key, dataset.period ?? ''] as const),
    ),
  );
  byId('shortcuts-open', HTMLButtonElement).addEventListener('click', () => list.showModal());
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (isTyping(event.target) || isSomethingOpen()) return;
    const period = periods.get(event.key.toLowerCase());
    if (period !== undefined) choosePeriod(period);
    else if (event.key === '?') list.showModal();
    else if (event.key === 'Escape') removeFilters();
  });
}
