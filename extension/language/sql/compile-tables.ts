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
import { type Compilation, materialTable } from './compilation';
import { isInSites } from './condition-sql';
import { filtered, fromTable, type SelectScope, withColumns } from './select-scope';
import { ident, integer, join, type Sql, select, sql, table, value } from './sql';

/** The alias for the periods that scans inside a per-period node refer to. */
export const PERIOD = 'period';

export function compileScan(
  node: ScanNode,
  wanted: ReadonlySet<string>,
  compilation: Compilation,
): SelectScope {
  return node.isOncePerVisit ? oncePerVisit(node, wanted, compilation) : everyRow(node, compilation);
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

/** The fields that hold a row's visit, and its number within the visit. */
const VISIT = 'session_id';
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
  const read = (rows: SelectScope, condition: Sql): Sql =>
    select(
      filtered(rows, [condition]),
      fields.map((field) => sql`${rows.column(field)} as ${ident(field)}`),
    );
  const [first, rest] = [everyRow(node, compilation), everyRow(early, compilation)];
  const rows = [
    read(first, sql`${first.column(NUMBER)} = 1`),
    read(rest, sql`${rest.column(id)} in ${begun}`),
  ];
  return fromTable(sql`(${join(rows, sql` union all `)})`, nextAlias('t'));
}

const monthNumber = (date: Sql): Sql => sql`(extract(year from ${date}) * 12 + extract(month from ${date}))`;

/** Reads the columnar copy's unique counts. Counts each value only in its first quarter hour of the range or period. */
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
    // Numbers of months are compared in half the time of their text.
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
    sql`(${join(isFirst, sql` or `)}) is not false`,
  ];
  return withColumns(filtered(scope, conditions), new Map(parts.map(({ name, current }) => [name, current])));
}
