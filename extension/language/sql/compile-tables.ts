// Compiles scans and unique counts, the only nodes that read sites' rows. Both are always restricted to sites and, except
// for `always`, to a time range.
import { SITE_FIELD } from '../types/plan';
import type { ScanNode } from '../types/scan-node';
import {
  MAX_PAUSE_SECONDS,
  QUARTER_HOUR,
  type UniqueCountsNode,
  uniqueCountsTable,
} from '../types/unique-counts';
import { VISIT, VISIT_VIEWS } from '../types/view-values';
import { type Compilation, materialTable } from './compilation';
import { isInSites } from './condition-sql';
import { filtered, fromTable, joined, type SelectScope, withColumns } from './select-scope';
import { ident, integer, join, type Sql, select, sql, table, value } from './sql';

/** The alias for the periods that scans inside a per-period node refer to. */
export const PERIOD = 'period';

export function compileScan(
  node: ScanNode,
  wanted: ReadonlySet<string>,
  compilation: Compilation,
): SelectScope {
  if (node.isOncePerVisit) return oncePerVisit(node, wanted, compilation);
  return node.visitViews ? withVisitViews(node, wanted, compilation) : everyRow(node, compilation);
}

function everyRow({ material, siteIds, bounds }: ScanNode, compilation: Compilation): SelectScope {
  const { dialect, nextAlias, storage } = compilation;
  const scope = fromTable(materialTable(material, storage), nextAlias('t'));
  const ofSites = isInSites(scope.column(SITE_FIELD), siteIds, dialect);
  const between = (field: string, start: Sql, end: Sql) =>
    filtered(scope, [ofSites, sql`${scope.column(field)} >= ${start}`, sql`${scope.column(field)} < ${end}`]);
  const { constant, instant } = dialect;
  switch (bounds.kind) {
    case 'always':
      return filtered(scope, [ofSites]);
    case 'range':
      return between(bounds.field, constant('datetime', bounds.start), constant('datetime', bounds.end));
    case 'days':
      return between(bounds.field, constant('date', bounds.first), constant('date', bounds.end));
    case 'period':
      return between(bounds.field, instant(ident(PERIOD, 'first')), instant(ident(PERIOD, 'last')));
  }
}

/** The field that holds the number of a row within its visit. */
const NUMBER = 'pv';

/** The first row of each visit that begins in the range and, for each visit that began earlier, one row in the range. */
function oncePerVisit(node: ScanNode, wanted: ReadonlySet<string>, compilation: Compilation): SelectScope {
  const { material, bounds } = node;
  const { nextAlias, storage } = compilation;
  const id = storage.materials.get(material)?.unique;
  if (bounds.kind !== 'range' || id === undefined)
    throw new Error(`The rows of ${material} do not belong to visits.`);
  const early = {
    ...node,
    bounds: { ...bounds, end: Math.min(bounds.end, bounds.start + MAX_PAUSE_SECONDS) },
  };
  const perVisit = everyRow(early, compilation);
  const values = select({ ...perVisit, groupBy: 1 }, [
    perVisit.column(VISIT),
    sql`min(${perVisit.column(id)}) as id`,
    sql`min(${perVisit.column(NUMBER)}) as number`,
  ]);
  const begun = sql`(select id from ${values} as ${ident(nextAlias('v'))} where number > 1)`;
  const fields = wanted.size === 0 ? [id] : [...wanted];
  const read = (rows: SelectScope, condition: Sql): Sql => selectFields(filtered(rows, [condition]), fields);
  const [first, rest] = [everyRow(node, compilation), everyRow(early, compilation)];
  const rows = [
    read(first, sql`${first.column(NUMBER)} = 1`),
    read(rest, sql`${rest.column(id)} in ${begun}`),
  ];
  return fromTable(sql`(${join(rows, sql` union all `)})`, nextAlias('t'));
}

const monthNumber = (date: Sql): Sql => sql`(extract(year from ${date}) * 12 + extract(month from ${date}))`;

const selectFields = (rows: SelectScope, fields: readonly string[]): Sql =>
  select(
    rows,
    fields.map((field) => sql`${rows.column(field)} as ${ident(field)}`),
  );

/**
 * Uses the stored number of page views for rows whose whole visit is in the bounds, and counts the page views of visits that may
 * cross the start or the end.
 */
function withVisitViews(node: ScanNode, wanted: ReadonlySet<string>, compilation: Compilation): SelectScope {
  const { siteIds, bounds, visitViews } = node;
  if (visitViews === undefined || bounds.kind !== 'range') throw new Error('These rows have no range.');
  const { material, bounds: views, reach } = visitViews;
  const fields = [...new Set([...wanted, VISIT_VIEWS])];
  const between = (start: number, end: number): SelectScope =>
    everyRow(
      {
        ...node,
        bounds: { ...bounds, start: Math.max(bounds.start, start), end: Math.min(bounds.end, end) },
      },
      compilation,
    );
  /** The rows within reach of the start or end of the bounds. */
  const near = (edge: number): Sql => {
    const rows = between(edge - reach, edge + reach);
    const start = Math.max(views.start, edge - 2 * reach);
    const end = Math.min(views.end, edge + 2 * reach);
    const seen = everyRow({ kind: 'scan', material, siteIds, bounds: { ...views, start, end } }, compilation);
    const counts = select({ ...seen, groupBy: 1 }, [
      sql`${seen.column(VISIT)} as ${ident(VISIT)}`,
      sql`count(*)::uinteger as ${ident(VISIT_VIEWS)}`,
    ]);
    const alias = compilation.nextAlias('v');
    const counted = joined(rows, {
      kind: 'inner',
      table: sql`${counts} as ${ident(alias)}`,
      on: sql`${ident(alias, VISIT)} = ${rows.column(VISIT)}`,
    });
    return selectFields(withColumns(counted, new Map([[VISIT_VIEWS, ident(alias, VISIT_VIEWS)]])), fields);
  };
  const whole = selectFields(between(views.start + reach, views.end - reach), fields);
  const parts = [near(views.start), whole, near(views.end)];
  return fromTable(sql`(${join(parts, sql` union all `)})`, compilation.nextAlias('t'));
}

/** Reads the columnar copy's unique counts. Counts each value only at its first quarter hour, or first repetition, in the range or period. */
export function compileUniqueCounts(
  { counts, siteIds, start, end, periods }: UniqueCountsNode,
  { dialect, nextAlias }: Compilation,
): SelectScope {
  const scope = fromTable(table(uniqueCountsTable(counts)), nextAlias('u'));
  const quarter = scope.column('quarter');
  const previous = scope.column('previous');
  const from = value(start / QUARTER_HOUR, 'int');
  const parts = periods.map(({ name, part, clock }) => {
    const partOf = (quarters: Sql, of = part) =>
      dialect.timePart(of, sql`(${quarters}::bigint * ${integer(QUARTER_HOUR)})`, clock);
    // Comparing the numbers of months takes half as long as comparing their text.
    const compared = (quarters: Sql) =>
      part === 'month' ? monthNumber(partOf(quarters, 'date')) : partOf(quarters);
    return { name, current: partOf(quarter), isNew: sql`${compared(previous)} <> ${compared(quarter)}` };
  });
  const isFirst = [sql`${previous} < ${from}`, ...parts.map(({ isNew }) => isNew)];
  // `is not false` instead of `is null or`, which takes DuckDB twice as long.
  const conditions = [
    isInSites(scope.column(SITE_FIELD), siteIds, dialect),
    sql`${quarter} >= ${from}`,
    sql`${quarter} < ${value(end / QUARTER_HOUR, 'int')}`,
    ...(counts.repeatedIn === null ? [] : [sql`${scope.column('since')} >= ${from}`]),
    sql`(${join(isFirst, sql` or `)}) is not false`,
  ];
  return withColumns(filtered(scope, conditions), new Map(parts.map(({ name, current }) => [name, current])));
}
