// What uPlot is told of a chart: its axes, its lines, and where colours come from.
// Colours are read when something is painted, so that a change of the theme needs a repaint only.
import UPlot from 'uplot';
import type { ChartData } from './draw-chart';

export interface ChartSurroundings {
  readonly width: number;
  readonly height: number;
  /** The value of a custom property such as `--series-1`. */
  colorOf(name: string): string;
  formatNumber(value: number): string;
  /** Told which point is under the cursor; null = none. */
  onPoint(index: number | null): void;
}

/** Letters of a label that the axis shows; the caption has all of them. */
const LONGEST_LABEL = 16;
const LETTER_WIDTH = 7;
const MOST_POINTS_MARKED = 40;
/** Steps between labels that the axis shows. */
const STEPS = [1, 2, 5, 7, 10, 14, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000];

/** The custom property that holds the colour of a series; after the sixth they repeat. */
export const seriesColor = (index: number): string => `--series-${(index % 6) + 1}`;

const shortened = (label: string): string => {
  const letters = [...label];
  return letters.length <= LONGEST_LABEL ? label : `${letters.slice(0, LONGEST_LABEL - 1).join('')}…`;
};

const FONT = '12px system-ui, sans-serif';

/** An answer may have more labels than a function takes arguments. */
const longestOf = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, text.length), 0);

/** In CSS pixels, about. */
const labelWidth = ({ labels }: ChartData): number =>
  Math.min(LONGEST_LABEL, longestOf(labels)) * LETTER_WIDTH;

function labelAxis(chart: ChartData, around: ChartSurroundings): UPlot.Axis {
  return {
    stroke: () => around.colorOf('--quiet'),
    grid: { show: false },
    ticks: { stroke: () => around.colorOf('--line'), width: 1 },
    font: FONT,
    incrs: STEPS,
    space: labelWidth(chart) + 12,
    values: (_plot, splits) =>
      splits.map((at) => (Number.isInteger(at) ? shortened(chart.labels[at] ?? '') : '')),
  };
}

function numberAxis(around: ChartSurroundings): UPlot.Axis {
  return {
    stroke: () => around.colorOf('--quiet'),
    grid: { stroke: () => around.colorOf('--line'), width: 1 },
    ticks: { show: false },
    font: FONT,
    size: (_plot, values) => (longestOf(values ?? []) + 1) * LETTER_WIDTH + 12,
    space: 36,
    values: (_plot, splits) => splits.map((value) => around.formatNumber(value)),
  };
}

function seriesOf(chart: ChartData, around: ChartSurroundings): UPlot.Series[] {
  return chart.series.map(({ name }, index) => {
    const color = () => around.colorOf(seriesColor(index));
    const points = { show: chart.labels.length <= MOST_POINTS_MARKED, size: 5, fill: color };
    return { label: name, stroke: color, width: 2, points };
  });
}

/** From zero, or from below it where there is something below. */
function numberRange(_plot: UPlot, least: number, most: number): UPlot.Range.MinMax {
  const bottom = Math.min(0, least ?? 0);
  const top = Math.max(0, most ?? 0);
  return UPlot.rangeNum(bottom, top === bottom ? bottom + 1 : top, {
    min: { pad: bottom < 0 ? 0.1 : 0, soft: 0, mode: 1 },
    max: { pad: 0.1, soft: 0, mode: 1 },
  });
}

/** The options of one chart. */
export function chartOptions(chart: ChartData, around: ChartSurroundings): UPlot.Options {
  const last = Math.max(0, chart.labels.length - 1);
  // A single point stands in the middle.
  const half = last === 0 ? 0.5 : 0;
  return {
    width: around.width,
    height: around.height,
    // Half of the last label stands beyond the last point.
    padding: [null, labelWidth(chart) / 2, null, null],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false },
    scales: { x: { time: false, range: () => [-half, last + half] }, y: { range: numberRange } },
    axes: [labelAxis(chart, around), numberAxis(around)],
    series: [{}, ...seriesOf(chart, around)],
    hooks: { setCursor: [(plot) => around.onPoint(plot.cursor.idx ?? null)] },
  };
}
