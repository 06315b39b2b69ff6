/** Pixel positions in the chart. */
export interface Plane {
  /** The position of a point, by its index. */
  x(at: number): number;
  y(value: number): number;
}

const ROUND = [1, 2, 2.5, 5, 10];

/**
 * Round numbers from min(lowest, 0) to max(highest, 0), at most five on the longer side. The step is a value of `nice` times a
 * power of ten, rounded up if `isWhole`.
 */
export function ticksBetween(
  lowest: number,
  highest: number,
  isWhole = false,
  nice: (rough: number) => readonly number[] = () => ROUND,
): readonly number[] {
  const reach = Math.max(-lowest, highest);
  if (!(reach > 0)) return [0, 1];
  const rough = reach / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = nice(rough)
    .map((one) => one * power)
    .find((one) => one >= rough);
  const exact = round ?? 10 * power;
  const step = isWhole ? Math.ceil(exact) : exact;
  const below = lowest < 0 ? Math.ceil(-lowest / step) : 0;
  const above = highest > 0 ? Math.ceil(highest / step) : 0;
  return Array.from({ length: below + above + 1 }, (_unused, at) => (at - below) * step);
}
