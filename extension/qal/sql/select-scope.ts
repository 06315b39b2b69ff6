// A SELECT that is still open: its clauses, and the columns that can be written in it. Plain data that is never changed;
// every function gives another scope. Aliases are ours, never the caller's names.
import type { Compilation } from './compilation';
import { ident, type JoinClause, join, type SelectClauses, type Sql, select, sql } from './sql';

export interface SelectScope extends SelectClauses {
  /** The SQL of a column of the plan inside this SELECT; throws for a column that it does not have. */
  readonly column: (name: string) => Sql;
  /** The aliases of the dimensions joined so far, each by a name of its own. */
  readonly lookups: ReadonlyMap<string, string>;
}

const openScope = (from: Sql, column: SelectScope['column']): SelectScope => ({
  ...{ from, joins: [], where: [], orderBy: [], limit: null },
  ...{ column, lookups: new Map() },
});

/** SELECT from a table under an alias; every field of it is a column. */
export const fromTable = (table: Sql, alias: string): SelectScope =>
  openScope(sql`${table} as ${ident(alias)}`, (field) => ident(alias, field));

/** SELECT from tables that are written out with their conditions; a sub-select computes these columns. */
export const fromColumns = (
  columns: ReadonlyMap<string, Sql>,
  from: Sql,
  where: readonly Sql[],
  compilation: Compilation,
): SelectScope => wrap({ ...openScope(from, columnsIn(columns)), where }, columns.keys(), compilation);

/** The scope with one more condition. */
export const filtered = (scope: SelectScope, conditions: readonly Sql[]): SelectScope => ({
  ...scope,
  where: [...scope.where, ...conditions],
});

/** The scope with another table joined to it. */
export const joined = (scope: SelectScope, clause: JoinClause): SelectScope => ({
  ...scope,
  joins: [...scope.joins, clause],
});

/** The scope with other SQL for some of its columns. */
export const withColumns = (scope: SelectScope, columns: ReadonlyMap<string, Sql>): SelectScope => ({
  ...scope,
  column: (name) => columns.get(name) ?? scope.column(name),
});

/** The scope as a sub-select that gives out the named columns. */
export function wrap(
  scope: SelectScope,
  names: Iterable<string>,
  compilation: Compilation,
  groupBy = 0,
): SelectScope {
  const { from, column } = subSelect(scope, names, compilation, groupBy);
  return openScope(from, column);
}

/** A sub-select of the first rows in the order of the scope, with all that are equal there to the last of them. */
export function wrapFirst(
  scope: SelectScope,
  count: number,
  names: Iterable<string>,
  compilation: Compilation,
): SelectScope {
  const { alias, columns, column } = outputOf(scope, names, compilation);
  return openScope(
    sql`${compilation.dialect.firstWithTies(scope, columns, count)} as ${ident(alias)}`,
    column,
  );
}

/** The rows of all scopes, each of which gives out the same columns. */
export function unionAll(
  scopes: readonly SelectScope[],
  names: readonly string[],
  compilation: Compilation,
): SelectScope {
  const alias = compilation.nextAlias('s');
  const selects = scopes.map((scope) => select(scope, { columns: selectList(scope, names) }));
  return openScope(
    sql`(${join(selects, sql` union all `)}) as ${ident(alias)}`,
    columnsIn(outputColumns(alias, names)),
  );
}

/** The scope run once for each row of a table, which gives one more column. */
export function perRow(
  from: Sql,
  scope: SelectScope,
  names: Iterable<string>,
  added: ReadonlyMap<string, Sql>,
  compilation: Compilation,
): SelectScope {
  const inner = subSelect(scope, names, compilation);
  return withColumns(openScope(sql`${from} cross join lateral ${inner.from}`, inner.column), added);
}

/** The scope as the table of a FROM or a JOIN, and its columns from outside. */
export function subSelect(
  scope: SelectScope,
  names: Iterable<string>,
  compilation: Compilation,
  groupBy = 0,
) {
  const { alias, columns, column } = outputOf(scope, names, compilation);
  return { from: sql`${select(scope, { columns, groupBy })} as ${ident(alias)}`, column };
}

function outputOf(scope: SelectScope, names: Iterable<string>, compilation: Compilation) {
  const alias = compilation.nextAlias('s');
  const unique = [...new Set(names)];
  return {
    alias,
    columns: selectList(scope, unique),
    column: columnsIn(outputColumns(alias, unique)),
  };
}

const selectList = (scope: SelectScope, names: readonly string[]): readonly Sql[] =>
  names.map((name, index) => sql`${scope.column(name)} as ${ident(`c${index + 1}`)}`);

const outputColumns = (alias: string, names: readonly string[]): ReadonlyMap<string, Sql> =>
  new Map(names.map((name, index) => [name, ident(alias, `c${index + 1}`)]));

const columnsIn =
  (columns: ReadonlyMap<string, Sql>) =>
  (name: string): Sql => {
    const column = columns.get(name);
    if (column === undefined) throw new Error(`The plan reads ${name}, which its input does not have.`);
    return column;
  };
