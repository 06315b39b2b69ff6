import { laterDate } from '../../language/time/calendar';
import type { DayRange, RequestedFilter, Step } from '../shared-types/dashboard-types';
import { allOf, chooseRows, type View } from './chosen-rows';
import { type Conditions, type DatasetName, type DimensionId, isDimension } from './dashboard-dimensions';
import type { Figure } from './dashboard-figures';
import type { Tab } from './dashboard-panels';
import { type LocalNow, STEP_COLUMNS } from './dashboard-range';
import type { LimitedFilter, Part } from './requested-dashboard';

export interface QueryScope {
  readonly site: { readonly trackingId: string; readonly timezone: string };
  readonly range: DayRange;
  /** Limits the last day to the time up to this minute; by default, the whole day is included. */
  readonly until?: LocalNow | undefined;
  readonly filters: readonly LimitedFilter[];
  /** Replaces the days: UTC epoch seconds, with an exclusive `end`. */
  readonly seconds?: { readonly first: number; readonly end: number };
}

export interface DashboardQuery {
  readonly query: { readonly qal: object };
  /** Dimensions of filters that the dataset does not support. */
  readonly unfiltered: readonly DimensionId[];
}

/** Selects rows of a list: those whose name contains `search` as typed, in lower case or capitalized, or is one of `names`. */
type ListPage = Omit<Part, 'id'>;

/** Enough for a daily chart of ten years, and within every contract's limit. */
const MAX_POINTS = 5_000;

const MINUTES_OF_DAY = 1_440;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

const inUtc = (second: number): string => new Date(second * 1000).toISOString().slice(0, 19);

function timeOf({ site, range, until, seconds }: QueryScope) {
  if (seconds !== undefined) return { start: inUtc(seconds.first), end: inUtc(seconds.end), tz: 'UTC' };
  const minutes = until === undefined ? MINUTES_OF_DAY : 60 * until.hour + until.minute + 1;
  const day = laterDate(range.last, Math.floor(minutes / MINUTES_OF_DAY));
  const end = `${day}T${twoDigits(Math.floor(minutes / 60) % 24)}:${twoDigits(minutes % 60)}:00`;
  return { start: `${range.first}T00:00:00`, end, tz: site.timezone };
}

const qualified = (dataset: DatasetName, columns: readonly string[]): readonly string[] =>
  columns.map((column) => `${dataset}.${column}`);

const calcOf = (
  dataset: DatasetName,
  calc: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(calc).map(([name, text]) => [name, text.replaceAll('@', () => `${dataset}.`)]),
  );

interface Reading {
  readonly dataset: DatasetName;
  readonly names: readonly string[];
  readonly filter: Conditions;
  readonly oncePerVisit: boolean;
  readonly calc: Readonly<Record<string, string>>;
}

/** The views that read rows; the last one is named `name`. */
function readingViews(name: string, reading: Reading, filters: readonly RequestedFilter[]) {
  const { dataset, names, calc, oncePerVisit } = reading;
  const chosen = chooseRows(dataset, filters, oncePerVisit);
  const filter = allOf([chosen.filter, reading.filter]);
  const view: View = {
    from: [dataset],
    filter: Object.keys(filter).length === 0 ? undefined : filter,
    join: chosen.join,
    keep: qualified(dataset, names),
    calc: calcOf(dataset, calc),
  };
  return { ...chosen, views: { ...chosen.views, [name]: view }, view };
}

export const bodyOf = (
  scope: QueryScope,
  datasets: readonly string[],
  make: Readonly<Record<string, View>>,
  result: object,
) => ({
  qal: {
    tracking_id: scope.site.trackingId,
    materials: datasets.map((name) => ({ name })),
    time: timeOf(scope),
    make,
    result,
  },
});

export function figureQuery({ calc, filter }: Figure, step: Step | null, scope: QueryScope): DashboardQuery {
  const names = step === null ? [] : STEP_COLUMNS[step];
  const reading = {
    dataset: 'allpv',
    names,
    calc,
    filter: filter ?? {},
    oncePerVisit: filter !== undefined,
  } as const;
  const name = step === null ? 'total' : `by_${step}`;
  const { views, datasets, unfiltered } = readingViews(name, reading, scope.filters);
  return { query: bodyOf(scope, datasets, views, { use: name, limit: MAX_POINTS }), unfiltered };
}

/** As typed, in lower case, and capitalized: comparisons are case-sensitive. */
function spellings(text: string): readonly string[] {
  const lower = text.toLowerCase();
  return [...new Set([text, lower, lower.charAt(0).toUpperCase() + lower.slice(1)])];
}

function namedRows(names: readonly string[], { search = '', names: chosen }: ListPage): Conditions {
  const [first = ''] = names;
  if (chosen !== undefined) return { [first]: { in: chosen } };
  if (search === '') return {};
  return {
    any: names.flatMap((name) => spellings(search).map((text) => ({ [name]: { contains: text } }))),
  };
}

/** Largest first, ties by name, so that the order is always the same. */
const sortedBy = (by: string, names: readonly string[]) => ({
  by,
  order: 'desc',
  // biome-ignore lint/suspicious/noThenProperty: the language uses this name
  then: names.map((name) => ({ by: name, order: 'asc' })),
});

/**
 * The rows of a list, or only those with certain names. Rows are selected by name after grouping, so this never widens what the filters
 * select. A filter by the list's own dimension does not hide the other rows, so that the user can choose one of them.
 */
export function listQuery(tab: Tab, page: ListPage, scope: QueryScope): DashboardQuery {
  const { dataset, names, measures, dimension, filter = {}, least } = tab;
  const filters = scope.filters.filter(
    (one) => one.isPinned || one.not || one.op !== undefined || one.dimension !== dimension,
  );
  // A link that is limited to some pages must not reveal other pages, even if the same visits began or ended on them.
  const isLimitedToPages = filters.some(({ isPinned, dimension: of }) => isPinned && of === 'page');
  const reading: Reading = {
    dataset,
    names,
    filter,
    oncePerVisit: !isLimitedToPages && ('pv' in filter || 'is_last' in filter),
    calc: Object.fromEntries(measures.map(({ column, calc }) => [column, calc])),
  };
  const [main] = measures;
  const name = tab.id;
  const picked = allOf([namedRows(names, page), least ? { [least.column]: { gte: least.value } } : {}]);
  const isWhole = Object.keys(picked).length === 0;
  const rows = isWhole ? name : 'measured';
  const { views, view, datasets, unfiltered } = readingViews(rows, reading, filters);
  const sort = sortedBy(main?.column ?? '', names);
  const columns = [...names, ...measures.map(({ column }) => column)];
  const last: View = isWhole
    ? { ...view, sort }
    : { from: [rows], filter: picked, keep: columns.map((column) => `${rows}.${column}`), sort };
  const make = { ...views, [name]: last };
  const { limit, offset, version } = page;
  const result = { use: name, limit, offset, data_version: version };
  return { query: bodyOf(scope, datasets, make, result), unfiltered };
}

/** How often each value of a parameter was sent with an event. */
export function parameterQuery(
  { event, parameter }: { readonly event: string; readonly parameter: string },
  { limit }: ListPage,
  scope: QueryScope,
): DashboardQuery {
  const dataset = `events.${event}`;
  const view: View = {
    from: [dataset],
    keep: [`${dataset}.${parameter}`],
    calc: { events: `COUNT(${dataset}.pv_id)` },
    sort: sortedBy('events', [parameter]),
  };
  const isOfEvent = ({ dimension: of, op, not, values }: RequestedFilter) =>
    of === 'event' && op === undefined && !not && values.length === 1 && values[0] === event;
  const ignored = scope.filters.filter((filter) => !isOfEvent(filter)).map(({ dimension: of }) => of);
  return {
    query: bodyOf(scope, [dataset], { parameter: view }, { use: 'parameter', limit }),
    unfiltered: [...new Set(ignored)].filter(isDimension),
  };
}
