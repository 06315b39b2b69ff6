// Ratios of the times of one question: how many times as long another form takes.
import type { Compared } from '../compare';
import { type FormName, LIMIT_MS } from '../forms';

/** Milliseconds of a form; undefined when it was given up or never asked. */
export const msOf = ({ times }: Compared, form: FormName): number | undefined => times[form]?.whole.median;

/** The other's time divided by ours; at least the time limit's where the other was given up. */
export function timesAsFast(one: Compared, other: FormName, ours: FormName = 'columns'): number | undefined {
  const own = msOf(one, ours);
  if (own === undefined || one.times[other] === undefined) return undefined;
  return (msOf(one, other) ?? LIMIT_MS) / own;
}

/** Our statement over rows divided by the SQL by hand. */
export function rowsOverHand(one: Compared): number | undefined {
  const statement = one.times.rows?.statement?.median;
  const hand = msOf(one, 'by hand');
  return statement === undefined || hand === undefined ? undefined : statement / hand;
}
