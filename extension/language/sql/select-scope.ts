// A SELECT under construction: its clauses, and the columns that its expressions may use. Scopes are immutable. Aliases are
// generated, never names of the caller.
import type { Compilation } from './compilation';
import { ident, type JoinClause, type SelectClauses, type Sql, select, sql } from './sql';

export interface SelectScope extends SelectClauses {
  /** The SQL of a plan column inside this SELECT; throws for an unknown column. */
  readonly column: (name: string) => Sql;
  /** The lookups joined so far: name -> alias. */
  readonly lookups: ReadonlyMap<string, string>;
}

const openScope = (from: Sql, column: SelectScope['column']): SelectScope => ({
  ...{ from, joins: [], where: [], groupBy: 0, orderBy: [], limit: null, offset: 0 },
  ...{ column, lookups: new Map() },
});

/** A scope over a table; every field of the table is a column. */
export const fromTable = (table: Sql, alias: string): SelectScope =>
  openScope(sql`${table} as ${ident(alias)}`, (field) => ident(alias, field));

/** Adds conditions. */
export const filtered = (scope: SelectScope, conditions: readonly Sql[]): SelectScope => ({
  ...scope,
  where: [...scope.where, ...conditions],
});

/** Joins another table. */
export const joined = (scope: SelectScope, clause: JoinClause): SelectScope => ({
  ...scope,
  joins: [...scope.joins, clause],
});

/** Replaces the SQL of some columns. */
export const withColumns = (scope: SelectScope, columns: ReadonlyMap<string, Sql>): SelectScope => ({
  ...scope,
  column: (name) => columns.get(name) ?? scope.column(name),
});

/** The scope as a sub-select with the named columns. */
export const wrap = (scope: SelectScope, names: Iterable<string>, compilation: Compilation): SelectScope =>
  nest(names, compilation, (columnsOf) => select(scope, columnsOf(scope)));

/** A sub-select of the first rows in the order of the scope, including rows that tie with the last one. */
export const wrapFirst = (
  scope: SelectScope,
  count: number,
  names: Iterable<string>,
  compilation: Compilation,
): SelectScope =>
  nest(names, compilation, (columnsOf) => compilation.dialect.firstWithTies(scope, columnsOf(scope), count));

/** A scope over a sub-select of columns c1, c2 .. */
function nest(
  names: Iterable<string>,
  { nextAlias }: Compilation,
  write: (columnsOf: (scope: SelectScope) => readonly Sql[]) => Sql,
): SelectScope {
  const alias = nextAlias('s');
  const numbers = new Map([...new Set(names)].map((name, index) => [name, `c${index + 1}`]));
  const inner = write(({ column }) =>
    [...numbers].map(([name, number]) => sql`${column(name)} as ${ident(number)}`),
  );
  const columns = new Map([...numbers].map(([name, number]) => [name, ident(alias, number)]));
  return openScope(sql`${inner} as ${ident(alias)}`, columnsIn(columns));
}

/** Runs the scope once for each row of a table, and adds the columns of the table. */
export const perRow = (from: Sql, scope: SelectScope, added: ReadonlyMap<string, Sql>): SelectScope =>
  withColumns(openScope(sql`${from} cross join lateral ${scope.from}`, scope.column), added);

const columnsIn =
  (columns: ReadonlyMap<string, Sql>) =>
  (name: string): Sql => {
    const column = columns.get(name);
    if (column === undefined) throw new Error(`The plan reads ${name}, which its input does not have.`);
    return column;
  };
