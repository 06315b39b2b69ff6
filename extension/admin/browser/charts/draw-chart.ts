// Draws lines over uPlot, for the dashboard and the playground: labels and numbers in -> a figure in a container.
// Labels and names may be hostile text: they reach the page as text of a canvas or of a node, never as HTML.
import UPlot from 'uplot';
import { chartOptions, seriesColor } from './chart-options';

export interface ChartSeries {
  readonly name: string;
  /** One for each label; null where there is none: the line has a gap there. */
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  /** What stands below the points, in their order; the axis shows as many as fit. */
  readonly labels: readonly string[];
  readonly series: readonly ChartSeries[];
  /** What the chart shows, in words, for whoever does not see it. */
  readonly description: string;
  /** In CSS pixels, 220 unless said. */
  readonly height?: number;
}

export interface DrawnChart {
  /** Removes the figure and its listeners. */
  remove(): void;
}

const LEAST_WIDTH = 120;

const numbers = new Intl.NumberFormat(document.documentElement.lang || undefined, {
  maximumFractionDigits: 2,
});

/** Numbers as the pages print them: in the language of the page. */
export const formatNumber = (value: number): string => numbers.format(value);

function element<Name extends keyof HTMLElementTagNameMap>(name: Name, className: string) {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

/** One key for each series, and the place that tells the values under the cursor. */
function makeCaption(chart: ChartData) {
  const caption = document.createElement('figcaption');
  const place = element('span', 'chart-place');
  place.setAttribute('aria-live', 'polite');
  const values = chart.series.map(({ name }, index) => {
    const key = element('span', 'chart-key');
    key.style.setProperty('--chart-color', `var(${seriesColor(index)})`);
    const label = element('span', 'chart-name');
    label.textContent = name;
    const value = element('output', 'chart-value');
    key.append(label, value);
    caption.append(key);
    return value;
  });
  caption.append(place);
  return {
    caption,
    /** Shows the values of one point; null = none. */
    tell(index: number | null) {
      place.textContent = index === null ? '' : (chart.labels[index] ?? '');
      for (const [number, output] of values.entries()) {
        const value = index === null ? undefined : chart.series[number]?.values[index];
        output.textContent = typeof value === 'number' ? formatNumber(value) : '';
      }
    },
  };
}

/** Left and right, Home and End move the cursor; Escape takes it away. */
function followKeys(plot: HTMLElement, count: number, show: (index: number | null) => void): void {
  let at: number | null = null;
  const moves: Record<string, () => number | null> = {
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

/** Draws into the container, after what is there. Call remove() before it is drawn anew. */
export function drawChart(container: HTMLElement, chart: ChartData): DrawnChart {
  const height = chart.height ?? 220;
  const figure = element('figure', 'chart');
  const plot = element('div', 'chart-plot');
  plot.tabIndex = 0;
  plot.setAttribute('role', 'img');
  plot.setAttribute('aria-label', chart.description);
  const { caption, tell } = makeCaption(chart);
  figure.append(plot, caption);
  figure.dataset.points = String(chart.labels.length);
  container.append(figure);

  const width = () => Math.max(LEAST_WIDTH, Math.floor(plot.clientWidth));
  const data: UPlot.AlignedData = [
    chart.labels.map((_label, index) => index),
    ...chart.series.map(({ values }) => chart.labels.map((_label, index) => values[index] ?? null)),
  ];
  const options = chartOptions(chart, {
    width: width(),
    height,
    colorOf: (name) => getComputedStyle(figure).getPropertyValue(name).trim(),
    formatNumber,
    onPoint: tell,
  });
  const drawn = new UPlot(options, data, plot);

  followKeys(plot, chart.labels.length, (index) => {
    if (index === null) drawn.setCursor({ left: -10, top: -10 });
    else drawn.setCursor({ left: drawn.valToPos(index, 'x'), top: 0 });
    tell(index);
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
