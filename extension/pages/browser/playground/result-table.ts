// A table with sortable columns. Long answers are rendered in batches, but sorting applies to all rows.
import type { AnswerColumn } from '../../shared-types/query-check';
import { button, element, headCell, row, scrollingTable } from '../shared/elements';
import { exactNumber } from '../shared/exact-number';
import type { Cell, Row, TableAnswer } from '../shared/query-answer';
import { type Direction, sortRows } from './sort-rows';

const BATCH = 50;
/** Longer text is truncated; hover or tap to see all of it. */
const LONG_TEXT = 24;
/** Characters shown at the end of truncated text, where a site's URLs differ. */
const SHOWN_END = 16;

/** How a column's cells are displayed. Numbers without a known type are not formatted. */
interface Look {
  readonly isRight: boolean;
  readonly hasSeparators: boolean;
  /** Dates and times do not wrap. */
  readonly isTime: boolean;
}

const PLAIN: Look = { isRight: false, hasSeparators: false, isTime: false };

function lookOf(column: AnswerColumn | undefined, index: number, rows: readonly Row[]): Look {
  if (column === undefined) return { ...PLAIN, isRight: rows.every((one) => typeof one[index] !== 'string') };
  const { type } = column;
  const hasSeparators = type === 'int' || type === 'num';
  return {
    isRight: hasSeparators || type === 'id' || type === 'flag',
    hasSeparators,
    isTime: type === 'date' || type === 'datetime',
  };
}

function cellElement(cell: Cell | undefined, { isRight, hasSeparators, isTime }: Look): HTMLTableCellElement {
  const className = isRight ? 'number' : '';
  if (cell === null) return element('td', element('span', 'null', 'muted'), className);
  if (typeof cell === 'number' && hasSeparators) {
    return element('td', element('data', exactNumber(cell), '', { value: cell }), className);
  }
  const text = String(cell);
  if (isTime) return element('td', element('time', text), className);
  if (text.length <= LONG_TEXT) return element('td', text, className);
  const characters = [...text];
  const end = characters.splice(-SHOWN_END).join('');
  const parts = [element('span', characters.join('')), element('span', end)];
  return element('td', element('div', parts), 'long', { tabindex: 0 });
}

/** Copies numbers unformatted, for other programs. */
function copyRaw(event: ClipboardEvent): void {
  const selection = document.getSelection();
  if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
  const { commonAncestorContainer: within } = selection.getRangeAt(0);
  const cell = (within instanceof Element ? within : within.parentElement)?.closest('data');
  const copied = selection.getRangeAt(0).cloneContents();
  for (const data of copied.querySelectorAll('data')) data.textContent = data.value;
  const lines = [...copied.querySelectorAll('tr')].map((line) =>
    [...line.children].map(({ textContent }) => textContent).join('\t'),
  );
  const isWholeCell = cell !== null && cell !== undefined && selection.toString() === cell.textContent;
  const text = isWholeCell ? cell.value : lines.join('\n');
  if (text === '') return;
  event.clipboardData.setData('text/plain', text);
  event.preventDefault();
}

const NO_ROWS = 'The answer has no rows: nothing in this time range matches the query.';

export function showTable(
  container: HTMLElement,
  { columns, rows }: TableAnswer,
  known: readonly AnswerColumn[] | undefined,
): void {
  if (rows.length === 0) {
    container.replaceChildren(element('p', NO_ROWS, 'empty'));
    return;
  }
  const looks = columns.map((_name, index) => lookOf(known?.[index], index, rows));
  const lookAt = (index: number): Look => looks[index] ?? PLAIN;
  const pinned = pinnedColumns(looks.map(({ isRight }) => isRight));
  function pinnedCell(cell: HTMLTableCellElement, index: number): HTMLTableCellElement {
    if (pinned.includes(index)) pinCell(cell, index);
    return cell;
  }
  const body = element('tbody');
  const rest = element('p', [], 'actions');
  let sorted = rows;
  let shown = 0;

  /** Returns the first added row. */
  function showMore(): HTMLElement | undefined {
    const added = sorted
      .slice(shown, shown + BATCH)
      .map((one) =>
        row(columns.map((_name, index) => pinnedCell(cellElement(one[index], lookAt(index)), index))),
      );
    shown += added.length;
    body.append(...added);
    rest.replaceChildren();
    if (shown < sorted.length) {
      const count = `${exactNumber(shown)} of ${exactNumber(sorted.length)} rows shown. `;
      rest.append(count, button('Show more', 'quiet', showMoreAndFocus));
    }
    return added[0];
  }
  /** The pressed button is removed, so the first new row takes focus. */
  function showMoreAndFocus(): void {
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

  const headings = columns.map((name, index) => {
    const sorter = button(name, '', () => sortBy(index));
    return pinnedCell(headCell(sorter, lookAt(index).isRight ? 'number' : ''), index);
  });
  const table = scrollingTable('Rows of the answer', row(headings), body);
  table.addEventListener('copy', copyRaw);
  container.replaceChildren(table, rest);
  showMore();
  keepPinned(table, headings, pinned);
}

/** The largest share of the visible width that pinned columns may cover; if they need more, none is pinned. */
const MAX_PINNED_SHARE = 0.5;

const offsetOf = (index: number): string => `--pin-${index}`;

/** The trailing number columns, unless all columns are numbers. */
function pinnedColumns(isNumber: readonly boolean[]): readonly number[] {
  const first = isNumber.lastIndexOf(false) + 1;
  return first === 0 ? [] : isNumber.slice(first).map((_one, at) => first + at);
}

function pinCell(cell: HTMLElement, index: number): void {
  cell.classList.add('pinned');
  cell.style.right = `var(${offsetOf(index)}, auto)`;
}

/** Updates the offsets of pinned columns whenever a width changes. */
function keepPinned(box: HTMLElement, headings: readonly HTMLElement[], pinned: readonly number[]): void {
  const measure = () => {
    let right = 0;
    const offsets = pinned.toReversed().map((index) => {
      const offset = right;
      right += headings[index]?.offsetWidth ?? 0;
      return { index, offset };
    });
    const fits = right <= box.clientWidth * MAX_PINNED_SHARE;
    for (const { index, offset } of offsets)
      box.style.setProperty(offsetOf(index), fits ? `${offset}px` : 'auto');
  };
  const resized = new ResizeObserver(measure);
  for (const one of [box, ...headings]) resized.observe(one);
}
