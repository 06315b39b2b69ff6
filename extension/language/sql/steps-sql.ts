import type { StepsNode } from '../types/plan';
import type { Compilation } from './compilation';
import { fromTable, type SelectScope, withColumns, wrap } from './select-scope';
import { ident, join, select, sql } from './sql';

const KEY = 'c1';
const AT = 'c2';
const MATCHED = 'c3';

/** Groups the rows of all inputs by key, and counts the steps that each group takes in order. */
export function stepsScope(
  { key, at, matched, count, taken }: StepsNode,
  inputs: readonly SelectScope[],
  compilation: Compilation,
): SelectScope {
  const { dialect, nextAlias } = compilation;
  if (dialect.stepsInOrder === null) throw new Error('Only the columnar copy counts steps.');
  const selects = inputs.map((input) =>
    select(input, [
      sql`${input.column(key)} as ${ident(KEY)}`,
      sql`${input.column(at)} as ${ident(AT)}`,
      sql`${input.column(matched)} as ${ident(MATCHED)}`,
    ]),
  );
  const rows = fromTable(sql`(${join(selects, sql` union all `)})`, nextAlias('u'));
  const columns = new Map([
    [key, rows.column(KEY)],
    [taken, dialect.stepsInOrder(rows.column(AT), rows.column(MATCHED), count)],
  ]);
  return wrap({ ...withColumns(rows, columns), groupBy: 1 }, columns.keys(), compilation);
}
