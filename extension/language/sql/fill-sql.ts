import type { FillNode } from '../types/plan';
import type { Compilation } from './compilation';
import { fromTable, type SelectScope, withColumns, wrap } from './select-scope';
import { ident, integer, join, type Sql, select, sql, value } from './sql';

/** The error that the statement raises: this text, the name of the view, and the number of combinations. */
export const TOO_MANY_CELLS = 'too many periods to fill';

/**
 * Adds a row with null values for every combination, and groups these rows with the original ones. A group with an original row
 * keeps its values. Unlike a join, grouping treats null as a value.
 */
export function fillScope(
  { column, within, zeros, max, view }: FillNode,
  { rows, calendar }: { readonly rows: SelectScope; readonly calendar: SelectScope },
  values: Iterable<string>,
  compilation: Compilation,
): SelectScope {
  const { dialect, nextAlias } = compilation;
  const keys = [...within, column];
  const names = [...keys, ...values];
  const fields = new Map(names.map((name, index) => [name, ident(`c${index + 1}`)]));
  const fieldOf = (name: string): Sql => fields.get(name) ?? sql`null`;
  const named = (scope: SelectScope, columns: readonly string[]): Sql =>
    select(
      scope,
      columns.map((name) => sql`${scope.column(name)} as ${fieldOf(name)}`),
    );
  const grouped = ident(nextAlias('g'));
  const others = ident(nextAlias('o'));
  const periods = ident(nextAlias('p'));
  const combinations =
    within.length === 0
      ? sql`(select 1)`
      : sql`(select distinct ${join(within.map(fieldOf))} from ${grouped})`;
  const tables = [
    sql`${grouped} as materialized ${named(rows, names)}`,
    sql`${others} as materialized ${combinations}`,
    sql`${periods} as materialized ${named(calendar, [column])}`,
  ];
  const cells = sql`(select count(*) from ${others}) * (select count(*) from ${periods})`;
  const text = sql`concat(${value(`${TOO_MANY_CELLS}: ${view} `, 'text')}, cells)`;
  const isAllowed = sql`(select case when cells > ${integer(max)} then ${dialect.fail(text)} else 0 end from (select ${cells} as cells) as counted) = 0`;
  const combined = names.map((name) => (keys.includes(name) ? fieldOf(name) : sql`null`));
  const all = sql`(with ${join(tables)} select ${join([...fields.values()])} from ${grouped} union all select ${join(combined)} from ${others} cross join ${periods} where ${isAllowed})`;
  const scope = fromTable(all, nextAlias('u'));
  const columns = names.map((name, index) => {
    const field = scope.column(`c${index + 1}`);
    if (keys.includes(name)) return [name, field] as const;
    return [name, zeros.includes(name) ? sql`coalesce(max(${field}), 0)` : sql`max(${field})`] as const;
  });
  return wrap({ ...withColumns(scope, new Map(columns)), groupBy: keys.length }, names, compilation);
}
