// The data for a report: the results by size, and where and when they were measured.

import type { Size } from '../data/shape';
import type { LoadCost } from '../import-by';
import type { LoaderCosts } from '../loader';
import type { Results } from '../results';

export interface Run {
  /** One sentence: date, commit, machine. */
  readonly about: string;
  readonly size: Size;
  readonly results: Results;
  /** Smaller sizes for comparison. */
  readonly growth: Readonly<Partial<Record<Size, Results>>>;
  readonly loader: LoaderCosts | undefined;
}

/** The total cost of importing a material into all sites; undefined before the first import. */
export function loadOf({ loads }: Results, material: string): LoadCost | undefined {
  const all = Object.entries(loads).flatMap(([name, cost]) => (name.endsWith(` ${material}`) ? [cost] : []));
  if (all.length === 0) return undefined;
  const sum = (of: (cost: LoadCost) => number) => all.reduce((total, cost) => total + of(cost), 0);
  return {
    rows: sum(({ rows }) => rows),
    seconds: sum(({ seconds }) => seconds),
    peakMegabytes: Math.max(...all.map(({ peakMegabytes }) => peakMegabytes)),
  };
}

export const speedOf = ({ rows, seconds }: LoadCost): number => rows / seconds;

/** The p99 of 16 clients divided by the p50 of one client. */
export function clientsRatio({
  served,
}: Results): { readonly ratio: number; readonly errors: number } | undefined {
  const one = served?.throughput.find(({ clients }) => clients === 1);
  const many = served?.throughput.find(({ clients }) => clients === 16);
  if (one === undefined || many === undefined) return undefined;
  return { ratio: many.p99 / one.p50, errors: many.errors };
}
