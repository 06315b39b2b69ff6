// Draws an answer: lines by the chart module, which is loaded when it is first needed; bars as a table with a bar in each row.
// The table of the answer is the form of it that can be read aloud.
import type { DrawnChart } from '../charts/draw-chart';
import type { Chart } from './chart-data';
import { element, scrolling } from './elements';

const HEIGHT = 320;

let drawn: DrawnChart | undefined;
/** A chart that is still being loaded must not be drawn over a newer one. */
let turn = 0;

/** Removes the chart that is drawn; one that is still being loaded is not drawn any more. */
export function clearChart(container: HTMLElement): void {
  turn += 1;
  drawn?.remove();
  drawn = undefined;
  container.replaceChildren();
}

/**
 * Fills the container, which must be visible: lines are as wide as it is. Says whether the chart is there, which it is
 * not when a newer one has taken its place. Rejects when the module that draws cannot be loaded.
 */
export async function showChart(container: HTMLElement, chart: Chart): Promise<boolean> {
  clearChart(container);
  const mine = turn;
  if (chart.kind === 'none') {
    container.append(element('p', chart.reason, 'empty'));
    return true;
  }
  if (chart.note !== '') container.append(element('p', chart.note, 'muted'));
  if (chart.kind === 'bars') {
    container.append(barTable(chart));
    return true;
  }
  const { drawChart } = await import('../charts/draw-chart');
  if (mine !== turn) return false;
  const names = chart.series.map(({ name }) => name).join(', ');
  drawn = drawChart(container, {
    labels: chart.labels,
    series: chart.series,
    description: `${names} by ${chart.label}. The tab "Table" has the numbers.`,
    height: HEIGHT,
  });
  return true;
}

function barTable({ label, value, bars }: Extract<Chart, { kind: 'bars' }>): HTMLElement {
  const most = Math.max(0, ...bars.map((bar) => bar.value));
  const head = element('tr');
  const number = element('th', value, 'number');
  const share = element('th', '', '');
  share.append(element('span', 'As a bar', 'visually-hidden'));
  head.append(element('th', label), number, share);
  const rows = bars.map((bar) => {
    const meter = element('meter', '', 'bar');
    meter.max = most > 0 ? most : 1;
    meter.value = Math.max(0, bar.value);
    meter.setAttribute('aria-hidden', 'true');
    const cell = element('td');
    cell.append(meter);
    const row = element('tr');
    row.append(element('td', bar.label), element('td', bar.value.toLocaleString('en'), 'number'), cell);
    return row;
  });
  const thead = element('thead');
  thead.append(head);
  const tbody = element('tbody');
  tbody.append(...rows);
  const table = element('table');
  table.append(thead, tbody);
  return scrolling(table, `${value} by ${label}`);
}
