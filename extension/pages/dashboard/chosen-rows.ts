// How dashboard filters select rows of a dataset. A filter selects page views and the visits they belong to. Dimensions that are
// constant within a visit are filtered in the view itself. Filters on other dimensions first select visits in views that are then
// joined: an entry page belongs to one page view, but a filter on it selects the whole visit.
import { GOAL, PARAMETER, type RequestedFilter } from '../shared-types/dashboard-types';
import {
  type Conditions,
  type DatasetName,
  DIMENSIONS,
  type Dimension,
  type DimensionId,
  isDimension,
} from './dashboard-dimensions';
import { readParameter } from './event-parameter';

export interface View {
  readonly from: readonly [string];
  readonly filter?: Conditions | undefined;
  readonly join?: object | undefined;
  readonly keep: readonly string[];
  readonly calc?: Readonly<Record<string, string | { readonly of: string; readonly filter: Conditions }>>;
  readonly sort?: object;
}

interface ChosenRows {
  readonly views: Readonly<Record<string, View>>;
  readonly join: object | undefined;
  readonly filter: Conditions;
  readonly datasets: readonly string[];
  /** Filters that the dataset does not support. */
  readonly unfiltered: readonly DimensionId[];
}

interface KnownFilter extends RequestedFilter, Dimension {
  readonly id: DimensionId;
  readonly conditions: Conditions;
}

interface Step {
  readonly from: string;
  readonly filter: Conditions;
  /** Selects visits that have no row matching the filter. */
  readonly not?: boolean;
}

type Value = string | number | null;

const isOperators = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const overlap = (one: object, other: object): boolean =>
  Object.keys(one).some((operator) => Object.hasOwn(other, operator));

/** Combines conditions. Throws if two conditions on the same column have the same operator: one would replace the other. */
export function allOf(conditions: readonly Conditions[]): Conditions {
  const all: Record<string, unknown> = {};
  for (const one of conditions) {
    for (const [column, value] of Object.entries(one)) {
      const before = all[column];
      if (before === undefined) all[column] = value;
      else if (column === NONE && isList(before) && isList(value)) all[column] = [...before, ...value];
      else if (column === ANY && isList(before) && isList(value))
        all[column] = before.flatMap((first) => value.map((second) => allOf([first, second])));
      else if (isOperators(before) && isOperators(value) && !overlap(before, value))
        all[column] = { ...before, ...value };
      else throw new Error(`Two conditions on ${column} conflict.`);
    }
  }
  return all;
}

const ANY = 'any';
const NONE = 'none';
const isList = (value: unknown): value is readonly Conditions[] => Array.isArray(value);

/** `null` combined with other values requires `any`, as do several partial values; excluding partial values requires `none`. */
function conditionsOn(
  column: string,
  { op, not, values }: Pick<RequestedFilter, 'op' | 'not'> & { readonly values: readonly Value[] },
): Conditions {
  const texts = values.filter((value) => value !== null);
  if (op !== undefined) {
    const each = texts.map((text) => ({ [column]: { [op]: text } }));
    if (not) return { [NONE]: each };
    return each.length === 1 ? allOf(each) : { [ANY]: each };
  }
  const [only] = texts;
  const hasNull = texts.length < values.length;
  if (not) {
    if (!hasNull) return { [column]: texts.length === 1 ? { neq: only } : { not_in: texts } };
    return { [column]: { neq: null, ...(texts.length === 0 ? {} : { not_in: texts }) } };
  }
  const given = { [column]: texts.length === 1 ? { eq: only } : { in: texts } };
  if (!hasNull) return given;
  const none = { [column]: { eq: null } };
  return texts.length === 0 ? none : { any: [given, none] };
}

/** A visit must have one of the values of each parameter or, with `not`, none of the values. */
function parameterSteps({ not, values }: RequestedFilter): readonly Step[] {
  const known = values.flatMap((value) => {
    const read = readParameter(value);
    return read === undefined ? [] : [read];
  });
  const byParameter = Map.groupBy(known, ([event, parameter]) => `${event} ${parameter}`);
  return [...byParameter.values()].flatMap((group): readonly Step[] => {
    const [first] = group;
    if (first === undefined) return [];
    const [event, parameter] = first;
    return [
      {
        from: `events.${event}`,
        filter: conditionsOn(parameter, { not: false, values: group.map(([, , value]) => value) }),
        not,
      },
    ];
  });
}

/** Each goal is a column. The visit must have converted on one of the goals or, with `not`, on none. */
function goalConditions({ not, values }: RequestedFilter): Conditions {
  const each = values.map((goal) => ({ [`is_goal_${goal}`]: { [not ? 'neq' : 'eq']: 1 } }));
  return not || each.length === 1 ? allOf(each) : { any: each };
}

const knownFilters = (filters: readonly RequestedFilter[]): readonly KnownFilter[] =>
  filters.flatMap((filter) => {
    const { dimension: id } = filter;
    if (!isDimension(id)) return [];
    const dimension: Dimension = DIMENSIONS[id];
    const conditions = id === GOAL ? goalConditions(filter) : conditionsOn(dimension.column, filter);
    return [{ ...filter, ...dimension, id, conditions }];
  });

export const joinOf = (from: string, key: string, to: string, otherwise: 'drop' | 'keep-left' = 'drop') => ({
  with: to,
  on: [{ left: `${from}.${key}`, right: `${to}.${key}` }],
  'if not match': otherwise,
});

/**
 * Returns views, each of which selects from the visits of the previous one, and the join with the last view. A view filters before
 * it joins, so excluding visits takes two more views: one counts each visit's matching rows, and one keeps visits without any.
 */
function chained(
  dataset: DatasetName,
  key: string,
  steps: readonly Step[],
): Pick<ChosenRows, 'views' | 'join'> {
  const views: Record<string, View> = {};
  let before: string | undefined;
  /** The dataset behind the visits selected so far; joins refer to it instead of the view. */
  let source: string = VIEWS;
  for (const [at, { from, filter, not = false }] of steps.entries()) {
    const isLast = at === steps.length - 1;
    const name = isLast ? 'chosen' : `chosen_${at + 1}`;
    if (not) {
      const [excluded, counted] = [`excluded_${at + 1}`, `counted_${at + 1}`];
      const visits = before ?? VIEWS;
      views[excluded] = foundIn(from, VISIT, { filter });
      views[counted] = {
        from: [visits],
        join: joinOf(source, VISIT, excluded, 'keep-left'),
        keep: [`${visits}.${VISIT}`],
        calc: { excluded: `COUNT(${excluded}.found)` },
      };
      views[name] = { from: [counted], filter: { excluded: 0 }, keep: [`${counted}.${VISIT}`] };
    } else {
      const join = before === undefined ? undefined : joinOf(from, VISIT, before);
      views[name] = foundIn(from, isLast ? key : VISIT, { filter, join });
      source = from;
    }
    before = name;
  }
  return { views, join: before === undefined ? undefined : joinOf(dataset, key, before) };
}

const VIEWS = 'allpv';
const VISIT = 'session_id';

const foundIn = (from: string, key: string, more: Pick<View, 'filter' | 'join'>): View => ({
  from: [from],
  ...more,
  keep: [`${from}.${key}`],
  calc: { found: `COUNT(${from}.${key})` },
});

const rowsOf = (filters: readonly KnownFilter[]): Conditions =>
  allOf(filters.map(({ conditions }) => conditions));

/** Search rows have a page and a keyword, but do not belong to a visit. */
function chooseSearches(filters: readonly KnownFilter[]): ChosenRows {
  const isSupported = ({ dataset, column, level }: KnownFilter) =>
    dataset === 'gsc' || (column === 'url' && level === 'view');
  return {
    views: {},
    join: undefined,
    filter: rowsOf(filters.filter(isSupported)),
    datasets: ['gsc'],
    unfiltered: filters.filter((filter) => !isSupported(filter)).map(({ id }) => id),
  };
}

/** A visit has one entry and one exit, so `not` is a condition on that row. A visit can have many events, so `not` excludes visits. */
function stepOf({ dataset, column, of, op, not, values, conditions }: KnownFilter): Step {
  if (dataset === 'datalayer_event' && not)
    return { from: dataset, filter: conditionsOn(column, { op, not: false, values }), not };
  return { from: dataset, filter: allOf([of ?? {}, conditions]) };
}

/** `oncePerVisit`: the query counts one row per visit, so filters on page views also select visits. */
export function chooseRows(
  dataset: DatasetName,
  requested: readonly RequestedFilter[],
  oncePerVisit: boolean,
): ChosenRows {
  const known = knownFilters(requested);
  if (dataset === 'gsc') return chooseSearches(known);
  const isUnsupported = (filter: KnownFilter) => filter.dataset === 'gsc';
  const filters = known.filter((filter) => !isUnsupported(filter));
  const isRowFilter = ({ level, op, conditions, dataset: of }: KnownFilter) =>
    of === 'allpv' &&
    level !== 'edge' &&
    (!(ANY in conditions) || (op !== undefined && level === 'view')) &&
    !(oncePerVisit && level === 'view');
  const rowFilters = filters.filter(isRowFilter);
  const eventFilters = filters.filter(
    (filter) => dataset === 'datalayer_event' && filter.dataset === dataset && filter.id !== PARAMETER,
  );
  const steps = filters
    .filter((filter) => !rowFilters.includes(filter) && !eventFilters.includes(filter))
    .flatMap((filter) => (filter.id === PARAMETER ? parameterSteps(filter) : [stepOf(filter)]))
    // Exclusions come last, so that fewer visits are compared with the excluded ones.
    .toSorted((one, other) => Number(one.not ?? false) - Number(other.not ?? false));
  const unfiltered = known.filter(isUnsupported).map(({ id }) => id);
  if (dataset === 'allpv') {
    const datasets = [...new Set<string>([VIEWS, ...steps.map(({ from }) => from)])];
    return { ...chained(VIEWS, VISIT, steps), filter: rowsOf(rowFilters), datasets, unfiltered };
  }
  const isPlain = steps.length === 0 && rowFilters.length === 0;
  const views: readonly Step[] = isPlain ? [] : [...steps, { from: VIEWS, filter: rowsOf(rowFilters) }];
  const datasets = [...new Set<string>([dataset, ...views.map(({ from }) => from)])];
  return { ...chained(dataset, 'pv_id', views), filter: rowsOf(eventFilters), datasets, unfiltered };
}
