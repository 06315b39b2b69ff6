// Shows rows as a table whose columns sort; long answers are shown part by part, sorted as a whole.
import { button, element, scrolling } from './elements';
import { type Cell, type Direction, type Row, sortRows } from './sort-rows';

export interface ShownTable {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** Rows that are put on the page at once. */
const PART = 500;

const isNumeric = (rows: readonly Row[], column: number): boolean =>
  rows.some((row) => typeof row[column] === 'number') && rows.every((row) => typeof row[column] !== 'string');

function cellElement(cell: Cell | undefined, numeric: boolean): HTMLElement {
  const made = element('td', '', numeric ? 'number' : '');
  if (cell === null || cell === undefined) made.append(element('span', 'null', 'muted'));
  else made.textContent = String(cell);
  return made;
}

/** Fills the container with the table. */
export function showTable(container: HTMLElement, { columns, rows }: ShownTable): void {
  if (columns.length === 0) {
    container.replaceChildren(element('p', 'The answer has no rows.', 'empty'));
    return;
  }
  const numeric = columns.map((_, index) => isNumeric(rows, index));
  const body = element('tbody');
  const left = element('p', '', 'actions');
  let sorted = rows;
  let shown = 0;

  const showMore = (): HTMLElement | undefined => {
    const part = sorted.slice(shown, shown + PART);
    shown += part.length;
    const lines = part.map((row) => {
      const line = element('tr');
      line.append(...columns.map((_, index) => cellElement(row[index], numeric[index] === true)));
      return line;
    });
    body.append(...lines);
    left.replaceChildren();
    if (shown >= sorted.length) return lines[0];
    const words = `${shown.toLocaleString('en')} of ${sorted.length.toLocaleString('en')} rows are shown. `;
    left.append(words, button('Show more', 'quiet', goOn));
    return lines[0];
  };
  /** The button that was pressed is gone: the first row that it brought has the focus in its place. */
  const goOn = () => {
    const first = showMore();
    if (first === undefined) return;
    first.tabIndex = -1;
    first.focus();
  };
  const showSorted = () => {
    body.replaceChildren();
    shown = 0;
    showMore();
  };

  const headings = columns.map((name, index) => {
    const heading = element('th', '', numeric[index] === true ? 'number' : '');
    heading.scope = 'col';
    heading.append(button(name, '', () => sortBy(index)));
    return heading;
  });
  function sortBy(column: number): void {
    const now = headings[column]?.getAttribute('aria-sort');
    const direction: Direction = now === 'ascending' ? 'descending' : 'ascending';
    for (const heading of headings) heading.removeAttribute('aria-sort');
    headings[column]?.setAttribute('aria-sort', direction);
    sorted = sortRows(rows, column, direction);
    showSorted();
  }

  const line = element('tr');
  line.append(...headings);
  const head = element('thead');
  head.append(line);
  const table = element('table');
  table.append(head, body);
  container.replaceChildren(scrolling(table, 'Rows of the answer'), left);
  showSorted();
}
