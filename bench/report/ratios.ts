// Ratios of the times of one question: how much longer one form takes than another.
import type { Compared, Spread } from '../compare';
import type { FormName } from '../forms';

/** The time limit of one execution. */
export const LIMIT_MS = 60_000;

export interface Ratio {
  readonly name: string;
  readonly other: FormName;
  /** Which of our times it is compared with: that of a form, or of its longest statement alone. */
  readonly ours: { readonly form: FormName; readonly part: 'whole' | 'query' };
}

const FROM_ROWS = { form: 'from rows', part: 'query' } as const;
const OURS = { form: 'ours', part: 'whole' } as const;

export const RATIOS: readonly Ratio[] = [
  { name: 'hand : from rows', other: 'by hand', ours: FROM_ROWS },
  { name: 'DuckDB same : ours', other: 'DuckDB same', ours: OURS },
  { name: 'DuckDB best : ours', other: 'DuckDB best', ours: OURS },
];

/** The other's time divided by ours; undefined when one of them has none. */
export function ratioOf({ times }: Compared, ratio: Ratio, which: keyof Spread): number | undefined {
  const other = times.get(ratio.other)?.whole[which];
  const ours = times.get(ratio.ours.form)?.[ratio.ours.part]?.[which];
  return other === undefined || ours === undefined ? undefined : other / ours;
}

/** The ratio of the medians; at least the time limit's where the other took too long. Undefined when it was not asked. */
export function leastRatio(one: Compared, ratio: Ratio): number | undefined {
  const known = ratioOf(one, ratio, 'median');
  if (known !== undefined || !one.times.has(ratio.other)) return known;
  const ours = one.times.get(ratio.ours.form)?.[ratio.ours.part]?.median;
  return ours === undefined ? undefined : LIMIT_MS / ours;
}

/** Milliseconds of our statement over rows. */
export const statementMs = ({ times }: Compared): number | undefined => times.get('from rows')?.query?.median;
