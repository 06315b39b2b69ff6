// Puts a panel's answer into the page: a number, lines by day, or a list.
// Titles and sources are whatever visitors and pages said: they are set as text, never as HTML.
import { type DrawnChart, drawChart, formatNumber } from '../charts/draw-chart';
import { refusalLink } from '../data/refusal-link';
import type { Answer } from './panel-answer';
import {
  daysShown,
  type ListRow,
  listRows,
  type PanelData,
  spokenName,
  type Table,
  totalOf,
} from './panel-data';

const charts = new WeakMap<Element, DrawnChart>();

type Child = Node | string;

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  element.append(...children);
  return element;
}

function tableRow(cells: readonly HTMLElement[]): HTMLTableRowElement {
  return make('tr', '', ...cells);
}

function headCell(text: string, className = ''): HTMLTableCellElement {
  const cell = make('th', className, text);
  cell.scope = 'col';
  return cell;
}

const numberCell = (value: number) => make('td', 'number', formatNumber(value));

/** The days once more, as numbers: what the lines show, for whoever does not see them. */
function daysTable({ days, series }: NonNullable<ReturnType<typeof daysShown>>): HTMLElement {
  const head = tableRow([headCell('Day'), ...series.map(({ name }) => headCell(name, 'number'))]);
  const rows = days.map((day, at) =>
    tableRow([make('td', '', day), ...series.map(({ values }) => numberCell(values[at] ?? 0))]),
  );
  const scroll = make(
    'div',
    'scroll',
    make('table', '', make('thead', '', head), make('tbody', '', ...rows)),
  );
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', 'Numbers by day');
  return make('details', '', make('summary', '', 'As a table'), scroll);
}

function showDays(into: HTMLElement, panel: PanelData, table: Table): void {
  const shown = daysShown(panel, table);
  if (shown === undefined) {
    into.append(make('p', 'empty', 'No page views in this range.'));
    return;
  }
  const names = shown.series.map(({ name }) => name.toLowerCase()).join(', ');
  const description = `Lines of ${names} by day, ${panel.first} to ${panel.last}. Left and right move by days.`;
  const chart = drawChart(into, { labels: shown.days, series: shown.series, description });
  charts.set(into, chart);
  into.append(daysTable(shown));
}

function nameCell(id: string, row: ListRow, nameless: string): HTMLElement {
  const [first = null, second = null] = row.names;
  const cell = make('th', '');
  cell.scope = 'row';
  cell.style.fontWeight = 'normal';
  // An address without a place to break must not make the page wider than a narrow window.
  cell.style.overflowWrap = 'anywhere';
  const bar = make('meter', 'bar');
  bar.value = row.share;
  bar.setAttribute('aria-hidden', 'true');
  const language = document.documentElement.lang || 'en';
  cell.append(
    first === null ? make('span', 'muted', nameless) : make('bdi', '', spokenName(id, first, language)),
    ...(second === null ? [] : [make('br', ''), make('bdi', 'small muted', second)]),
    bar,
  );
  return cell;
}

function showList(into: HTMLElement, id: string, panel: PanelData, table: Table): void {
  const rows = listRows(panel, table);
  if (rows.length === 0) {
    into.append(make('p', 'empty', 'No page views in this range.'));
    return;
  }
  const head = tableRow([headCell('Name'), headCell(panel.counts[0]?.label ?? '', 'number tight')]);
  const body = rows.map((row) =>
    tableRow([nameCell(id, row, panel.nameless ?? 'unknown'), numberCell(row.count)]),
  );
  into.append(make('table', '', make('thead', '', head), make('tbody', '', ...body)));
}

/** Takes away what the panel shows. */
export function clearPanel(into: HTMLElement): void {
  charts.get(into)?.remove();
  charts.delete(into);
  into.replaceChildren();
}

/** Shows an answer in the place of what was there; `again` asks once more. */
export function showAnswer(
  into: HTMLElement,
  id: string,
  panel: PanelData,
  answer: Answer,
  again: () => void,
): void {
  clearPanel(into);
  if (answer.kind === 'fault') {
    const button = make('button', 'quiet', 'Try again');
    button.type = 'button';
    button.addEventListener('click', again);
    const [link] = refusalLink(answer);
    const words = link === undefined ? [answer.message] : [answer.message, ' ', link, '.'];
    into.append(make('p', 'fault', ...words), button);
    return;
  }
  if (panel.kind === 'total') into.append(make('p', 'figure', formatNumber(totalOf(panel, answer.table))));
  else if (panel.kind === 'days') showDays(into, panel, answer.table);
  else showList(into, id, panel, answer.table);
}
