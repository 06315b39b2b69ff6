// Owns the first plan of a query: the meaning of QAL spelled in relational nodes, without any cleverness.
// ResolvedQuery -> Plan. Cannot fail.
import type { ColumnType } from '../../../manifests/reader/schema';
import type { ComputedColumn, Expression, OrderKey, Plan, PlanNode } from '../types/plan';
import type { BoundColumn, Origin, ResolvedQuery, ResolvedView, Scope } from '../types/resolved-query';

/** The stored field that tells the sites apart. */
const SITE = 'site_id';
const TOTAL = 'total';

/** `alwaysCount`: count the rows of cut lists too. */
export function lowerQuery(query: ResolvedQuery, alwaysCount: boolean): Plan {
  const { use: view, range, limit, countOnly } = query;
  const top = view.sort?.top ?? null;
  const rows = viewRows(query, view);
  const output = {
    view: view.name,
    zone: range.zone,
    columns: view.output.map(({ name, type }) => ({ name, type, column: columnName(view, name) })),
    limit,
    top,
  };
  if (countOnly) {
    return { root: cut(rows, top), counted: null, output: { ...output, kind: 'count', total: null } };
  }
  const grouped = view.calc !== null;
  const whole = top !== null && top <= limit;
  // One row more than asked for tells whether the list was cut; groups are counted on the way.
  const count = whole ? top : grouped || alwaysCount ? limit : limit + 1;
  const countAs = grouped && !whole ? TOTAL : null;
  const ordered: PlanNode = { kind: 'order', input: rows, by: orderOf(view, query.scope) };
  const apart = alwaysCount && !grouped && !whole;
  return {
    root: { kind: 'limit', input: ordered, count, countAs },
    counted: apart ? cut(rows, top) : null,
    output: { ...output, kind: 'table', total: countAs ?? (apart ? TOTAL : null) },
  };
}

const cut = (input: PlanNode, top: number | null): PlanNode =>
  top === null ? input : { kind: 'limit', input, count: top, countAs: null };

/** All rows of a view, in no order. */
function viewRows(query: ResolvedQuery, view: ResolvedView): PlanNode {
  const { scope, range } = query;
  const { source, filter, keep, calc } = view;
  const scan: PlanNode = {
    kind: 'scan',
    material: source.material,
    siteIds: scope.siteIds,
    timeField: source.timeField,
    bounds: { kind: 'range', start: range.start, end: range.end },
  };
  const name = (column: BoundColumn) => `${source.material}.${column.name}`;
  const filterColumns = unique(filter.map(({ column }) => column));
  const wanted = unique([...keep, ...(calc === null ? source.order : calc.map(({ column }) => column))]);
  const filtered: PlanNode =
    filter.length === 0
      ? scan
      : {
          kind: 'filter',
          input: extend(scan, filterColumns, query, view),
          conditions: filter.map(({ column, test }) => ({ column: name(column), type: column.type, test })),
        };
  const known = new Set(filterColumns.map((column) => column.name));
  const rows = extend(
    filtered,
    wanted.filter((column) => !known.has(column.name)),
    query,
    view,
  );
  if (calc === null) return rows;
  return {
    kind: 'group',
    input: rows,
    keys: [...keep.map(name), ...(keepsSitesApart(view, scope) ? [SITE] : [])],
    aggregates: calc.map((entry) => ({
      name: columnName(view, entry.name),
      function: entry.function,
      // Counting a column that always has a value is counting rows, for which the column need not be read.
      column: entry.function === 'COUNT' && !entry.column.nullable ? null : name(entry.column),
      type: entry.column.type,
      within: scope.all && entry.column.type === 'id' ? [SITE] : [],
    })),
  };
}

/** Ids are unique within a site only, so groups by an id are groups within a site. */
const keepsSitesApart = (view: ResolvedView, scope: Scope): boolean =>
  scope.all && view.keep.some((column) => column.type === 'id');

const unique = (columns: readonly BoundColumn[]): readonly BoundColumn[] => [
  ...new Map(columns.map((column) => [column.name, column])).values(),
];

function columnName(view: ResolvedView, output: string): string {
  const isCalc = view.calc?.some((entry) => entry.name === output) ?? false;
  return isCalc ? `calc.${output}` : `${view.source.material}.${output}`;
}

/** The view's sort, then what makes the order total: time and id of rows, the kept columns of groups. */
function orderOf(view: ResolvedView, scope: Scope): readonly OrderKey[] {
  const key = (name: string, type: ColumnType, direction: 'asc' | 'desc' = 'asc'): OrderKey => ({
    column: columnName(view, name),
    type,
    direction,
  });
  const sorted = view.sort === null ? [] : [key(view.sort.by.name, view.sort.by.type, view.sort.order)];
  const ties = (view.calc === null ? view.source.order : view.keep).map(({ name, type }) => key(name, type));
  const bySite = scope.all && (view.calc === null || keepsSitesApart(view, scope));
  const site: readonly OrderKey[] = bySite ? [{ column: SITE, type: 'int', direction: 'asc' }] : [];
  const first = sorted[0]?.column;
  return [...sorted, ...ties.filter((tie) => tie.column !== first), ...site];
}

function extend(
  input: PlanNode,
  columns: readonly BoundColumn[],
  { scope, range }: ResolvedQuery,
  view: ResolvedView,
): PlanNode {
  if (columns.length === 0) return input;
  const siteId = scope.siteIds.length === 1 ? (scope.siteIds[0] ?? null) : null;
  const computed: readonly ComputedColumn[] = columns.map((column) => ({
    name: `${view.source.material}.${column.name}`,
    value: expressionOf(column.origin, column.type, range.zone, siteId),
  }));
  return { kind: 'extend', input, columns: computed };
}

function expressionOf(origin: Origin, type: ColumnType, zone: string, siteId: number | null): Expression {
  switch (origin.kind) {
    case 'field':
      return { kind: type === 'flag' ? 'flag' : 'column', column: origin.field };
    case 'lookup':
      return { ...origin, siteId };
    case 'time-part':
      return { kind: 'time-part', part: origin.part, column: origin.field, zone };
    case 'joined-texts':
      return {
        kind: 'joined-texts',
        parts: origin.parts.map((part) => expressionOf(part, 'text', zone, siteId)),
      };
  }
}
