import { type Plane, ticksBetween } from '../shared/axis';
import { drawChart, svg } from '../shared/chart-frame';
import { exactNumber, roundNumber } from '../shared/exact-number';
import type { Chart, Series, ShownSeries } from './chart-data';

const HEIGHT = 320;
/** The share of a step's width that its bars cover. */
const FILLED = 0.8;
const MIN_BAR = 1;

/** Start and end of each value: stacked values start at the sum of the values with the same sign below them. */
export function stackOf(series: readonly Pick<Series, 'values'>[], isStacked: boolean) {
  const above: number[] = [];
  const below: number[] = [];
  return series.map(({ values }) =>
    values.map((value, at) => {
      if (value === null) return null;
      if (!isStacked) return { from: 0, to: value };
      const sums = value < 0 ? below : above;
      const from = sums[at] ?? 0;
      sums[at] = from + value;
      return { from, to: from + value };
    }),
  );
}

type Stack = ReturnType<typeof stackOf>;

/** Round numbers that enclose every value and zero. */
export function ticksOf(stack: Stack, series: readonly Pick<Series, 'values'>[]): readonly number[] {
  let [low, high] = [0, 0];
  for (const end of stack.flat()) {
    low = Math.min(low, end?.to ?? 0);
    high = Math.max(high, end?.to ?? 0);
  }
  return ticksBetween(
    low,
    high,
    series.every(({ values }) => values.every((one) => Number.isInteger(one ?? 0))),
  );
}

/** A path that is interrupted where a step is missing. `isolated`: points without a neighbor. */
function pathOf({ points, isInstant }: Chart, { values }: Series, { x, y }: Plane) {
  let d = '';
  let last: number | undefined;
  const isolated = new Set<number>();
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const step = (points[at]?.place ?? 0) - (points[last ?? at]?.place ?? 0);
    const follows = last !== undefined && (isInstant || step < 1.5);
    d += `${follows ? 'L' : 'M'}${x(at)} ${y(value)}`;
    if (follows && last !== undefined) isolated.delete(last);
    else isolated.add(at);
    last = at;
  }
  return { d, isolated: [...isolated] };
}

function linesOf(chart: Chart, shown: readonly ShownSeries[], plane: Plane): readonly SVGElement[] {
  return shown.flatMap(({ className, ...series }) => {
    const { d, isolated } = pathOf(chart, series, plane);
    return [
      svg('path', { class: `series-line ${className}`, d }),
      ...isolated.map((at) =>
        svg('circle', {
          class: `series-dot ${className}`,
          cx: plane.x(at),
          cy: plane.y(series.values[at] ?? 0),
          r: 3,
        }),
      ),
    ];
  });
}

function barsOf(
  { points, step }: { readonly points: Chart['points']; readonly step: number },
  shown: readonly ShownSeries[],
  stack: Stack,
  isStacked: boolean,
  { x, y }: Plane,
): readonly SVGElement[] {
  const [first, last] = [points[0]?.place ?? 0, points.at(-1)?.place ?? 0];
  const perUnit = last > first ? (x(points.length - 1) - x(0)) / (last - first) : 60 / step;
  const room = Math.max(MIN_BAR, perUnit * step * FILLED);
  const width = isStacked ? room : Math.max(MIN_BAR, room / shown.length);
  return shown.flatMap(({ className }, index) =>
    (stack[index] ?? []).flatMap((ends, at) => {
      if (ends === null) return [];
      const left = x(at) - room / 2 + (isStacked ? 0 : index * width);
      const top = y(Math.max(ends.from, ends.to));
      const height = y(Math.min(ends.from, ends.to)) - top;
      return [svg('rect', { class: `series-bar ${className}`, x: left, y: top, width, height })];
    }),
  );
}

/** The shortest distance between two neighboring points: 1, except for instants. */
const stepOf = ({ points, isInstant }: Chart): number =>
  isInstant
    ? points.reduce((shortest, { place }, at) => {
        const step = place - (points[at - 1]?.place ?? Number.NEGATIVE_INFINITY);
        return step > 0 ? Math.min(shortest, step) : shortest;
      }, Number.POSITIVE_INFINITY)
    : 1;

export function drawSeries(
  container: HTMLElement,
  chart: Chart,
  shown: readonly ShownSeries[],
  form: 'line' | 'bar' | 'stacked',
): void {
  const { points } = chart;
  const stack = stackOf(shown, form === 'stacked');
  const found = stepOf(chart);
  const step = Number.isFinite(found) ? found : 1;
  drawChart(container, {
    height: HEIGHT,
    places: points.map(({ place }) => place),
    margin: form === 'line' ? 0 : step / 2,
    axis: points.map(({ axis }) => axis),
    ticks: ticksOf(stack, shown),
    onAxis: roundNumber,
    description: `${chart.title}. The left and right arrow keys move along its points; the "Table" tab has the numbers.`,
    marks: (plane) =>
      form === 'line'
        ? linesOf(chart, shown, plane)
        : barsOf({ points, step }, shown, stack, form === 'stacked', plane),
    dots: (at) =>
      form !== 'line'
        ? []
        : shown.flatMap(({ values, className }) => {
            const value = values[at] ?? null;
            return value === null ? [] : [{ value, className: `series-dot ${className}` }];
          }),
    words: (at) => [
      points[at]?.name ?? '',
      ...shown.flatMap(({ name, values }) => {
        const value = values[at] ?? null;
        return value === null ? [] : [`${name}: ${exactNumber(value)}`];
      }),
    ],
  });
}
