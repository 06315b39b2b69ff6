import type { z } from 'zod';
import type { Contract } from '../types/contract';
import { filterListNamed, isListOfFilters } from '../types/filter-lists';
import type { JsonObject, JsonValue } from '../types/json';
import {
  CLAUSES,
  COMPARISONS,
  isListTest,
  ORDER_TESTS,
  type ParsedCalc,
  type ParsedCondition,
  type ParsedFilterPart,
  type ParsedJoin,
  type ParsedQuery,
  type ParsedSort,
  type ParsedTest,
  type ParsedView,
  type QualifiedName,
  type Scalar,
} from '../types/parsed-query';
import type { Path } from '../types/path';
import type { Steps } from '../types/steps';
import type { filterValueSchema } from './filter-schema';
import { type CheckedPage, type Clauses, QUALIFIED_NAME, type querySchema } from './query-schema';
import type { QueryDocument } from './read-document';
import type { CheckedSort } from './sort-schema';

export type CheckedQuery = z.output<ReturnType<typeof querySchema>>;
type CheckedView = CheckedQuery['make'][string] & Clauses;
type Calcs = NonNullable<CheckedView['calc']>;
type CheckedJoin = NonNullable<CheckedView['join']>;
type FilterValue = z.infer<ReturnType<typeof filterValueSchema>>;

/**
 * Reads a query whose shape has been checked. The objects in `raw` must be those in `document`, which records the order of
 * their keys; `checked` contains the calcs as trees.
 */
export function* readQuery(
  raw: JsonObject,
  checked: CheckedQuery,
  document: QueryDocument,
  contract: Contract,
): Steps<ParsedQuery> {
  const query = raw as unknown as CheckedQuery;
  const { offset, data_version }: CheckedPage = query.result as CheckedPage;
  const views: ParsedView[] = [];
  for (const name of document.keysOf(query.make)) {
    const { calc = {} } = checked.make[name] as CheckedView;
    views.push(readView(name, query.make[name] as CheckedView, calc, document));
    yield;
  }
  return {
    trackingId: query.tracking_id as JsonValue,
    materials: query.materials.map(({ name }) => name),
    time: query.time,
    views,
    result: {
      use: query.result.use,
      limit: query.result.limit ?? contract.rules.limits.default_rows,
      offset: offset ?? null,
      dataVersion: data_version ?? null,
      countOnly: query.result.count_only ?? false,
    },
  };
}

function readView(name: string, view: CheckedView, trees: Calcs, document: QueryDocument): ParsedView {
  const filter = view.filter ?? {};
  const calc = view.calc ?? {};
  return {
    name,
    clauses: document.keysOf(view).flatMap((key) => CLAUSES.find((clause) => clause === key) ?? []),
    from: view.from[0],
    time: view.time ?? null,
    keep: view.keep.map(qualifiedName),
    filter: readFilter(filter, ['make', name, 'filter'], document),
    join: view.join === undefined ? null : readJoin(view.join),
    calc: document
      .keysOf(calc)
      .map((key) => parsedCalc(key, calc[key], trees[key], ['make', name, 'calc', key], document)),
    sort: view.sort === undefined ? null : readSort(view.sort),
    fillPeriods: view.fill_periods ?? null,
  };
}

const readSort = ({ by, order, then = [], top, per = [] }: CheckedSort): ParsedSort => ({
  keys: [{ by, order }, ...then],
  top: top ?? null,
  per,
});

const readFilter = (filter: JsonObject, around: Path, document: QueryDocument): readonly ParsedFilterPart[] =>
  document.keysOf(filter).flatMap((key): readonly ParsedFilterPart[] => {
    const place = [...around, key];
    const value = filter[key];
    const list = filterListNamed(key);
    if (list === undefined || !isListOfFilters(value))
      return conditions(key, place, value as FilterValue, document);
    const anyOf = value.map((entry, index) => readFilter(entry, [...place, index], document));
    return [{ anyOf, except: list === 'none' }];
  });

const readJoin = ({
  with: other,
  on,
  'if not match': mode = 'keep-left',
  nulls,
  fill = null,
}: CheckedJoin): ParsedJoin => ({
  with: other,
  on: on.map(({ left, right }) => ({ left: qualifiedName(left), right: qualifiedName(right) })),
  mode,
  nullsMatch: nulls !== undefined,
  fill,
});

function qualifiedName(text: string): QualifiedName {
  const [, prefix = '', column = ''] = QUALIFIED_NAME.exec(text) ?? [];
  return { prefix, column };
}

/** `raw` is the calc as written, and `checked` contains its expression as a tree. */
function parsedCalc(
  name: string,
  raw: unknown,
  checked: Calcs[string] | undefined,
  place: Path,
  document: QueryDocument,
): ParsedCalc {
  if (checked === undefined) throw new Error(`The schema accepted the calc ${name}, but did not parse it.`);
  if (!('of' in checked)) return { name, written: raw as string, path: place, value: checked, filter: [] };
  const { of: written, filter } = raw as { readonly of: string; readonly filter: JsonObject };
  const parts = readFilter(filter, [...place, 'filter'], document);
  return { name, written, path: [...place, 'of'], value: checked.of, filter: parts };
}

function conditions(
  column: string,
  place: Path,
  value: FilterValue,
  document: QueryDocument,
): readonly ParsedCondition[] {
  if (value === null || typeof value !== 'object')
    return [{ column, place, path: place, operator: 'eq', value }];
  if (Array.isArray(value)) return [{ column, place, path: place, operator: 'in', values: value }];
  return document.keysOf(value).map((operator) => {
    const operand = (value as Record<string, unknown>)[operator];
    return { column, place, path: [...place, operator], ...readTest(operator, operand) };
  });
}

function readTest(operator: string, operand: unknown): ParsedTest {
  if (isListTest(operator)) return { operator, values: operand as Scalar[] };
  if (operator === 'between') {
    const [low, high] = operand as [Scalar, Scalar];
    return { operator, low, high };
  }
  const order = ORDER_TESTS.find((known) => known === operator);
  if (order !== undefined && operand !== null && typeof operand === 'object')
    return { operator: order, other: (operand as { readonly column: string }).column };
  const comparison = COMPARISONS.find((known) => known === operator);
  if (comparison === undefined) throw new Error(`The schema accepted the unknown operator ${operator}.`);
  return { operator: comparison, value: operand as Scalar };
}
