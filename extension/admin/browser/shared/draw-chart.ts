// Draws lines with uPlot. Labels and names may be hostile: they reach the page as canvas text or text nodes only.
import UPlot from 'uplot';
import { element } from './elements';

export interface ChartData {
  /** Stand below the points, in order; the axis shows as many as fit. */
  readonly labels: readonly string[];
  /** One value for each label; null leaves a gap. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  /** What the chart shows, for people who cannot see it. */
  readonly description: string;
  /** In CSS pixels; 220 unless given. */
  readonly height?: number;
}

export interface DrawnChart {
  /** Removes the figure and its listeners. */
  remove(): void;
}

/** Characters of a label on the axis; the caption shows the whole label. */
const LONGEST_LABEL = 16;
const CHARACTER_WIDTH = 7;
const MOST_MARKED_POINTS = 40;
const LEAST_WIDTH = 120;
const LABEL_STEPS = [1, 2, 5, 7, 10, 14, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000];
const FONT = '12px system-ui, sans-serif';

const numbers = new Intl.NumberFormat(document.documentElement.lang || undefined, {
  maximumFractionDigits: 2,
});

/** In the language of the page. */
export const formatNumber = (value: number): string => numbers.format(value);

/** The custom property with the colour of a series; after six they repeat. */
const seriesColor = (index: number): string => `--series-${(index % 6) + 1}`;

function shorten(label: string): string {
  const characters = [...label];
  if (characters.length <= LONGEST_LABEL) return label;
  return `${characters.slice(0, LONGEST_LABEL - 1).join('')}…`;
}

/** An answer may have more labels than a function takes arguments, so no Math.max(...). */
const longestOf = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, text.length), 0);

/** From zero, or from the lowest value below it. */
function valueRange(_plot: UPlot, least: number, most: number): UPlot.Range.MinMax {
  const bottom = Math.min(0, least ?? 0);
  const top = Math.max(0, most ?? 0);
  return UPlot.rangeNum(bottom, top === bottom ? bottom + 1 : top, {
    min: { pad: bottom < 0 ? 0.1 : 0, soft: 0, mode: 1 },
    max: { pad: 0.1, soft: 0, mode: 1 },
  });
}

/** Colours are read at each paint, so a change of theme only needs a repaint. */
function optionsOf(
  { labels, series }: ChartData,
  size: { readonly width: number; readonly height: number },
  colorOf: (property: string) => string,
  onPoint: (index: number | null) => void,
): UPlot.Options {
  const last = Math.max(0, labels.length - 1);
  // A single point stands in the middle.
  const margin = last === 0 ? 0.5 : 0;
  const labelWidth = Math.min(LONGEST_LABEL, longestOf(labels)) * CHARACTER_WIDTH;
  const quiet = () => colorOf('--quiet');
  const line = () => colorOf('--line');
  return {
    ...size,
    // Half of the last label stands to the right of the last point.
    padding: [null, labelWidth / 2, null, null],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false },
    scales: { x: { time: false, range: () => [-margin, last + margin] }, y: { range: valueRange } },
    axes: [
      {
        stroke: quiet,
        grid: { show: false },
        ticks: { stroke: line, width: 1 },
        font: FONT,
        incrs: LABEL_STEPS,
        space: labelWidth + 12,
        values: (_plot, splits) =>
          splits.map((at) => (Number.isInteger(at) ? shorten(labels[at] ?? '') : '')),
      },
      {
        stroke: quiet,
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        font: FONT,
        size: (_plot, values) => (longestOf(values ?? []) + 1) * CHARACTER_WIDTH + 12,
        space: 36,
        values: (_plot, splits) => splits.map(formatNumber),
      },
    ],
    series: [
      {},
      ...series.map(({ name }, index) => {
        const color = () => colorOf(seriesColor(index));
        const points = { show: labels.length <= MOST_MARKED_POINTS, size: 5, fill: color };
        return { label: name, stroke: color, width: 2, points };
      }),
    ],
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
  };
}

/** A key for each series, and the values under the cursor. */
function createCaption({ labels, series }: ChartData) {
  const place = element('span', [], 'chart-place');
  place.setAttribute('aria-live', 'polite');
  const values = series.map(() => element('output', [], 'chart-value'));
  const keys = series.map(({ name }, index) => {
    const key = element('span', [element('span', name, 'chart-name'), values[index] ?? ''], 'chart-key');
    key.style.setProperty('--chart-color', `var(${seriesColor(index)})`);
    return key;
  });
  return {
    caption: element('figcaption', [...keys, place]),
    showPoint(index: number | null) {
      place.textContent = index === null ? '' : (labels[index] ?? '');
      for (const [number, output] of values.entries()) {
        const value = index === null ? undefined : series[number]?.values[index];
        output.textContent = typeof value === 'number' ? formatNumber(value) : '';
      }
    },
  };
}

/** Left and right, Home and End move the cursor; Escape removes it. */
function followKeys(plot: HTMLElement, count: number, show: (index: number | null) => void): void {
  let at: number | null = null;
  const moves: Readonly<Record<string, () => number | null>> = {
    ArrowRight: () => Math.min(count - 1, at === null ? 0 : at + 1),
    ArrowLeft: () => Math.max(0, at === null ? count - 1 : at - 1),
    Home: () => 0,
    End: () => count - 1,
    Escape: () => null,
  };
  plot.addEventListener('keydown', (event) => {
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    at = move();
    show(at);
  });
  plot.addEventListener('blur', () => {
    at = null;
    show(null);
  });
}

/** Appends a figure to the container, which must be visible: the chart is as wide as it is. */
export function drawChart(container: HTMLElement, chart: ChartData): DrawnChart {
  const height = chart.height ?? 220;
  const plot = element('div', [], 'chart-plot');
  plot.tabIndex = 0;
  plot.setAttribute('role', 'img');
  plot.setAttribute('aria-label', chart.description);
  const { caption, showPoint } = createCaption(chart);
  const figure = element('figure', [plot, caption], 'chart');
  figure.dataset.points = String(chart.labels.length);
  container.append(figure);

  const width = () => Math.max(LEAST_WIDTH, Math.floor(plot.clientWidth));
  // A custom property may hold light-dark(), which a canvas does not understand: a color is always computed.
  const probe = figure.appendChild(element('span'));
  const colorOf = (property: string) => {
    probe.style.color = `var(${property})`;
    return getComputedStyle(probe).color;
  };
  const data: UPlot.AlignedData = [
    chart.labels.map((_label, index) => index),
    ...chart.series.map(({ values }) => chart.labels.map((_label, index) => values[index] ?? null)),
  ];
  const drawn = new UPlot(optionsOf(chart, { width: width(), height }, colorOf, showPoint), data, plot);

  followKeys(plot, chart.labels.length, (index) => {
    if (index === null) drawn.setCursor({ left: -10, top: -10 });
    else drawn.setCursor({ left: drawn.valToPos(index, 'x'), top: 0 });
    showPoint(index);
  });
  const resized = new ResizeObserver(() => {
    if (width() !== drawn.width) drawn.setSize({ width: width(), height });
  });
  resized.observe(plot);
  const theme = window.matchMedia('(prefers-color-scheme: dark)');
  const repaint = () => drawn.redraw(false, false);
  theme.addEventListener('change', repaint);
  return {
    remove() {
      resized.disconnect();
      theme.removeEventListener('change', repaint);
      drawn.destroy();
      figure.remove();
    },
  };
}
