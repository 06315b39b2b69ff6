// Owns what is told from the times of one question: how long a form took, and how much longer than another.
import type { Compared, Spread } from '../compare';
import type { FormName } from '../forms';

/** One execution may take so long. */
export const LIMIT_MS = 60_000;

export interface Ratio {
  readonly name: string;
  readonly other: FormName;
  /** What of ours it is held against. */
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

/** The medians' ratio; of what took too long the least that it can be. Undefined when that form was not asked. */
export function leastRatio(one: Compared, ratio: Ratio): number | undefined {
  const known = ratioOf(one, ratio, 'median');
  if (known !== undefined || !one.times.has(ratio.other)) return known;
  const ours = one.times.get('ours')?.[ratio.ours]?.median;
  return ours === undefined ? undefined : LIMIT_MS / ours;
}

/** The statement that reads rows, in milliseconds: ours where nothing kept can answer, else that without rollups. */
export const rawStatement = ({ raw, times }: Compared): number | undefined =>
  times.get(raw ? 'ours' : 'without rollups')?.query?.median;

export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
