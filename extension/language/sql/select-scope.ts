import { SITE_FIELD } from '../types/plan';
import type { Compilation } from './compilation';
import { ident, type JoinClause, type SelectClauses, type Sql, select, sql, value } from './sql';

/** An immutable SELECT under construction. All aliases are generated, and none comes from the caller. */
export interface SelectScope extends SelectClauses {
  /** The SQL of a plan column inside this SELECT. Throws for an unknown column. */
  readonly column: (name: string) => Sql;
  /** The aliases of the lookups joined so far, by name. */
  readonly lookups: ReadonlyMap<string, string>;
}

const openScope = (from: Sql, column: SelectScope['column']): SelectScope => ({
  from,
  joins: [],
  where: [],
  groupBy: 0,
  orderBy: [],
  limit: null,
  offset: 0,
  column,
  lookups: new Map(),
});

/** A scope over a table. Every field of the table is a column. */
export const fromTable = (table: Sql, alias: string): SelectScope =>
  openScope(sql`${table} as ${ident(alias)}`, (field) => ident(alias, field));

export const filtered = (scope: SelectScope, conditions: readonly Sql[]): SelectScope => ({
  ...scope,
  where: [...scope.where, ...conditions],
});

export const joined = (scope: SelectScope, clause: JoinClause): SelectScope => ({
  ...scope,
  joins: [...scope.joins, clause],
});

export const withColumns = (scope: SelectScope, columns: ReadonlyMap<string, Sql>): SelectScope => ({
  ...scope,
  column: (name) => columns.get(name) ?? scope.column(name),
});

/** The query's site, or the row's site if the query has several. */
export const siteSql = ({ column }: SelectScope, siteId: number | null): Sql =>
  siteId === null ? column(SITE_FIELD) : value(siteId, 'smallint');

/** The scope as a subquery with these columns. */
export const wrap = (scope: SelectScope, names: Iterable<string>, compilation: Compilation): SelectScope =>
  nest(names, compilation, (columnsOf) => select(scope, columnsOf(scope)));

/** A subquery of the first rows in the order of the scope, including rows that tie with the last one. */
export const wrapFirst = (
  scope: SelectScope,
  count: number,
  names: Iterable<string>,
  compilation: Compilation,
): SelectScope =>
  nest(names, compilation, (columnsOf) => compilation.dialect.firstWithTies(scope, columnsOf(scope), count));

/** A scope over a subquery with columns c1, c2, ... */
function nest(
  names: Iterable<string>,
  { nextAlias }: Compilation,
  write: (columnsOf: (scope: SelectScope) => readonly Sql[]) => Sql,
): SelectScope {
  const alias = nextAlias('s');
  const fields = new Map([...new Set(names)].map((name, index) => [name, `c${index + 1}`]));
  const inner = write(({ column }) =>
    [...fields].map(([name, field]) => sql`${column(name)} as ${ident(field)}`),
  );
  return openScope(sql`${inner} as ${ident(alias)}`, (name) => {
    const field = fields.get(name);
    if (field === undefined) throw new Error(`The plan reads ${name}, which its input does not have.`);
    return ident(alias, field);
  });
}

/** Runs the scope once for each row of a table, and adds the table's columns. */
export const perRow = (from: Sql, scope: SelectScope, added: ReadonlyMap<string, Sql>): SelectScope =>
  withColumns(openScope(sql`${from} cross join lateral ${scope.from}`, scope.column), added);
