// Rows as a table whose columns sort. Long answers are put on the page in parts, and sorted as a whole.
import { button, element, headCell, row, scrollingTable } from '../shared/elements';
import type { Cell, Row, TableAnswer } from '../shared/query-answer';
import { type Direction, sortRows } from './sort-rows';

/** Rows that are put on the page at once. */
const PART = 50;
/** Longer texts are cut; who points at them, or taps them, sees the whole. */
const LONG_TEXT = 24;

const isNumeric = (rows: readonly Row[], column: number): boolean =>
  rows.some((one) => typeof one[column] === 'number') && rows.every((one) => typeof one[column] !== 'string');

function cellElement(cell: Cell | undefined, numeric: boolean): HTMLElement {
  if (cell === null) return element('td', element('span', 'null', 'muted'), numeric ? 'number' : '');
  const text = String(cell);
  if (text.length <= LONG_TEXT) return element('td', text, numeric ? 'number' : '');
  const long = element('td', element('div', text), 'long');
  long.tabIndex = 0;
  return long;
}

/** Fills the container. */
export function showTable(container: HTMLElement, { columns, rows }: TableAnswer): void {
  if (columns.length === 0) {
    container.replaceChildren(element('p', 'The answer has no rows.', 'empty'));
    return;
  }
  const numeric = columns.map((_name, index) => isNumeric(rows, index));
  const body = element('tbody');
  const rest = element('p', [], 'actions');
  let sorted = rows;
  let shown = 0;

  /** Returns the first row that it adds. */
  function showMore(): HTMLElement | undefined {
    const added = sorted
      .slice(shown, shown + PART)
      .map((one) => row(columns.map((_name, index) => cellElement(one[index], numeric[index] === true))));
    shown += added.length;
    body.append(...added);
    rest.replaceChildren();
    if (shown < sorted.length) {
      const count = `${shown.toLocaleString('en')} of ${sorted.length.toLocaleString('en')} rows shown. `;
      rest.append(count, button('Show more', 'quiet', goOn));
    }
    return added[0];
  }
  /** The pressed button goes away, so the first new row takes the focus. */
  function goOn(): void {
    const first = showMore();
    if (first === undefined) return;
    first.tabIndex = -1;
    first.focus();
  }
  function sortBy(column: number): void {
    const now = headings[column]?.getAttribute('aria-sort');
    const direction: Direction = now === 'ascending' ? 'descending' : 'ascending';
    for (const heading of headings) heading.removeAttribute('aria-sort');
    headings[column]?.setAttribute('aria-sort', direction);
    sorted = sortRows(rows, column, direction);
    body.replaceChildren();
    shown = 0;
    showMore();
  }

  const headings = columns.map((name, index) =>
    headCell(
      button(name, '', () => sortBy(index)),
      numeric[index] === true ? 'number' : '',
    ),
  );
  container.replaceChildren(scrollingTable('Rows of the answer', row(headings), body), rest);
  showMore();
}
