import type { Compared } from '../compare';
import { type FormName, LIMIT_MS } from '../forms';

/** A form's median time in milliseconds; undefined if it timed out or was not run. */
export const msOf = ({ times }: Compared, form: FormName): number | undefined => times[form]?.whole.median;

/** The other form's time divided by ours; uses the time limit if the other one timed out. */
export function timesAsFast(one: Compared, other: FormName, ours: FormName = 'columns'): number | undefined {
  const own = msOf(one, ours);
  if (own === undefined || one.times[other] === undefined) return undefined;
  return (msOf(one, other) ?? LIMIT_MS) / own;
}

/** The time of the rows engine's statement divided by that of the hand-written SQL. */
export const rowsOverHand = (one: Compared): number | undefined => statementOver(one, 'rows', 'by hand');

/** The time of the statement on the columnar copy divided by that of the optimized SQL in DuckDB. */
export const columnsOverBest = (one: Compared): number | undefined =>
  statementOver(one, 'columns', 'DuckDB best');

function statementOver(one: Compared, ours: FormName, other: FormName): number | undefined {
  const statement = one.times[ours]?.statement?.median;
  const theirs = msOf(one, other);
  return statement === undefined || theirs === undefined ? undefined : statement / theirs;
}
