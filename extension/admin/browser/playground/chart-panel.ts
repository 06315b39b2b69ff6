// The panel of the chart. The module that draws lines is loaded when it is first needed.
import type { DrawnChart } from '../shared/draw-chart';
import { bar, button, element, headCell, row, scrollingTable } from '../shared/elements';
import type { TableAnswer } from '../shared/query-answer';
import { type Bars, type Chart, type ChartColumn, chartOf } from './chart-data';

const HEIGHT = 320;
const NOT_DRAWN = 'The chart could not be drawn. If trying again does not help, reload the page. ';

export interface ChartPanel {
  /** Draws an answer, unless it is drawn already. The panel must be visible: lines are as wide as it is. */
  draw(answer: TableAnswer, columns: readonly ChartColumn[]): Promise<void>;
  clear(): void;
}

export function createChartPanel(panel: HTMLElement): ChartPanel {
  let drawn: DrawnChart | undefined;
  let shown: TableAnswer | undefined;
  /** Raised by each change, so that a chart that is still loading is not drawn over a newer one. */
  let turn = 0;

  function clear(): void {
    turn += 1;
    shown = undefined;
    drawn?.remove();
    drawn = undefined;
    panel.replaceChildren();
  }

  async function show(chart: Chart): Promise<void> {
    if (chart.kind === 'none') {
      panel.append(element('p', chart.reason, 'empty'));
      return;
    }
    if (chart.note !== '') panel.append(element('p', chart.note, 'muted'));
    if (chart.kind === 'bars') {
      panel.append(barTable(chart));
      return;
    }
    const mine = turn;
    const { drawChart } = await import('../shared/draw-chart');
    if (mine !== turn) return;
    const { labels, series, label } = chart;
    const names = series.map(({ name }) => name).join(', ');
    const description = `${names} by ${label}. The tab "Table" has the numbers.`;
    drawn = drawChart(panel, { labels, series, description, height: HEIGHT });
  }

  async function draw(answer: TableAnswer, columns: readonly ChartColumn[]): Promise<void> {
    if (answer === shown) return;
    clear();
    shown = answer;
    const mine = turn;
    try {
      await show(chartOf(columns, answer.rows));
    } catch {
      if (mine !== turn) return;
      clear();
      const again = () => {
        panel.focus();
        void draw(answer, columns);
      };
      panel.append(element('p', [NOT_DRAWN, button('Try again', 'quiet', again)], 'fault'));
    }
  }

  return { draw, clear };
}

function barTable({ label, value, bars }: Bars): HTMLElement {
  const most = Math.max(0, ...bars.map((one) => one.value)) || 1;
  const share = headCell(element('span', 'As a bar', 'visually-hidden'));
  const head = row([headCell(label), headCell(value, 'number'), share]);
  const rows = bars.map((one) =>
    row([
      element('td', one.label),
      element('td', one.value.toLocaleString('en'), 'number'),
      element('td', bar(Math.max(0, one.value / most))),
    ]),
  );
  return scrollingTable(`${value} by ${label}`, head, element('tbody', rows));
}
