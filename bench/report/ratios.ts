// Ratios of the times of one question: how much longer one form takes than another.
import type { Compared, Spread } from '../compare';
import type { FormName } from '../forms';

/** The time limit of one execution. */
export const LIMIT_MS = 60_000;

export interface Ratio {
  readonly name: string;
  readonly other: FormName;
  /** Which of our times it is compared with. */
  readonly ours: 'whole' | 'query';
}

export const RATIOS: readonly Ratio[] = [
  { name: 'hand : query', other: 'by hand', ours: 'query' },
  { name: 'DuckDB same : ours', other: 'DuckDB same', ours: 'whole' },
  { name: 'DuckDB best : ours', other: 'DuckDB best', ours: 'whole' },
];

/** The other's time divided by ours; undefined when one of them has none. */
export function ratioOf({ times }: Compared, ratio: Ratio, which: keyof Spread): number | undefined {
  const other = times.get(ratio.other)?.whole[which];
  const ours = times.get('ours')?.[ratio.ours]?.[which];
  return other === undefined || ours === undefined ? undefined : other / ours;
}

/** The ratio of the medians; at least the time limit's where the other took too long. Undefined when it was not asked. */
export function leastRatio(one: Compared, ratio: Ratio): number | undefined {
  const known = ratioOf(one, ratio, 'median');
  if (known !== undefined || !one.times.has(ratio.other)) return known;
  const ours = one.times.get('ours')?.[ratio.ours]?.median;
  return ours === undefined ? undefined : LIMIT_MS / ours;
}

/** Milliseconds of our statement. */
export const statementMs = ({ times }: Compared): number | undefined => times.get('ours')?.query?.median;
