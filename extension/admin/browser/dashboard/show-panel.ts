// Puts the answer of a panel into the page: a number, lines by day, or a list.
// Titles and sources are whatever visitors and pages sent: they are set as text, never as HTML.
import { type DrawnChart, drawChart, formatNumber } from '../shared/draw-chart';
import { bar, button, element, headCell, row, scrollingTable } from '../shared/elements';
import type { QueryAnswer, TableAnswer } from '../shared/query-answer';
import { sentenceOf } from '../shared/rest';
import { type DailyCounts, dailyCountsOf, displayName, listRowsOf, type Panel, totalOf } from './panel-data';

const charts = new WeakMap<Element, DrawnChart>();

const numberCell = (value: number) => element('td', formatNumber(value), 'number');
const nothing = () => element('p', 'No page views in this range.', 'empty');

/** The numbers behind the lines. */
function tableOf({ days, series }: DailyCounts): HTMLElement {
  const head = row([headCell('Day'), ...series.map(({ name }) => headCell(name, 'number'))]);
  const rows = days.map((day, at) =>
    row([element('td', day), ...series.map(({ values }) => numberCell(values[at] ?? 0))]),
  );
  const table = scrollingTable('Numbers by day', head, element('tbody', rows));
  return element('details', [element('summary', 'As a table'), table]);
}

function showDays(into: HTMLElement, panel: Panel, table: TableAnswer): void {
  const counts = dailyCountsOf(panel, table);
  if (counts === undefined) {
    into.append(nothing());
    return;
  }
  const names = counts.series.map(({ name }) => name.toLowerCase()).join(', ');
  const description = `Lines of ${names} by day, ${panel.first} to ${panel.last}. The left and right arrow keys move by day.`;
  charts.set(into, drawChart(into, { labels: counts.days, series: counts.series, description }));
  into.append(tableOf(counts));
}

function nameCell(id: string, names: readonly (string | null)[], nameless: string, share: number) {
  const [first = null, second = null] = names;
  const language = document.documentElement.lang || 'en';
  const cell = element('th', [
    first === null ? element('span', nameless, 'muted') : element('bdi', displayName(id, first, language)),
    ...(second === null ? [] : [element('br'), element('bdi', second, 'small muted')]),
    bar(share),
  ]);
  cell.scope = 'row';
  return cell;
}

function showList(into: HTMLElement, id: string, panel: Panel, table: TableAnswer): void {
  const rows = listRowsOf(panel, table);
  if (rows.length === 0) {
    into.append(nothing());
    return;
  }
  const head = row([headCell('Name'), headCell(panel.counts[0]?.label ?? '', 'number tight')]);
  const body = rows.map(({ names, count, share }) =>
    row([nameCell(id, names, panel.nameless ?? 'unknown', share), numberCell(count)]),
  );
  into.append(element('table', [element('thead', head), element('tbody', body)], 'list'));
}

export function clearPanel(into: HTMLElement): void {
  charts.get(into)?.remove();
  charts.delete(into);
  into.replaceChildren();
}

/** Replaces what the panel shows. `again` repeats the query. */
export function showAnswer(
  into: HTMLElement,
  id: string,
  panel: Panel,
  answer: QueryAnswer,
  again: () => void,
): void {
  clearPanel(into);
  if (answer.kind === 'error') {
    const { hint } = answer.error;
    const words = [...sentenceOf(answer.error), ...(hint === undefined ? [] : [` ${hint}`])];
    into.append(element('p', words, 'fault'), button('Try again', 'quiet', again));
  } else if (panel.kind === 'total')
    into.append(element('p', formatNumber(totalOf(panel, answer)), 'figure'));
  else if (panel.kind === 'days') showDays(into, panel, answer);
  else showList(into, id, panel, answer);
}
