// A calendar of one month. Two clicks, or Enter on two days, choose a range.

import type { DayRange } from '../../shared-types/dashboard-types';
import { dayInWords, monthInWords, weekdayNames } from '../shared/dates-in-words';
import { button, element, headCell, row } from '../shared/elements';
import { between, dayAfterKey, monthsLater, weeksOf } from './month-grid';

interface CalendarOptions {
  readonly bounds: DayRange;
  onStart(day: string): void;
  onRange(range: DayRange): void;
}

export function openCalendar(place: HTMLElement, { bounds, onStart, onRange }: CalendarOptions) {
  let shown: DayRange = bounds;
  let start: string | undefined;
  /** The day that the Tab key reaches. Its month is shown. */
  let current = bounds.last;

  const title = element('strong', '', '', { 'aria-live': 'polite' });
  const turn = (text: string, label: string, months: number) => {
    const go = () => {
      const day = monthsLater(current, months);
      if (day < bounds.first || day > bounds.last) return;
      current = day;
      draw();
    };
    return button(text, 'quiet', go, { 'aria-label': label });
  };
  const bar = element(
    'div',
    [turn('‹', 'Previous month', -1), title, turn('›', 'Next month', 1)],
    'calendar-bar',
  );
  const head = row(
    weekdayNames().map(({ short, long }) => {
      const cell = headCell(short);
      cell.abbr = long;
      return cell;
    }),
  );
  const body = element('tbody');
  const table = element('table', [element('thead', head), body], 'calendar', { role: 'grid' });
  place.replaceChildren(bar, table);

  function choose(day: string): void {
    current = day;
    if (start === undefined) {
      start = day;
      shown = { first: day, last: day };
      onStart(day);
      draw();
      focusDay();
      return;
    }
    const range = between(start, day);
    start = undefined;
    onRange(range);
  }

  function dayCell(day: string): HTMLTableCellElement {
    const isChosen = shown.first <= day && day <= shown.last;
    const tabindex = day === current ? 0 : -1;
    const attributes = { 'aria-label': dayInWords(day), 'data-day': day, tabindex };
    const created = button(String(Number(day.slice(8))), 'day', () => choose(day), attributes);
    created.disabled = day < bounds.first || day > bounds.last;
    const className = day.slice(0, 7) === current.slice(0, 7) ? '' : 'other-month';
    return element('td', created, className, { role: 'gridcell', 'aria-selected': `${isChosen}` });
  }

  function draw(): void {
    title.textContent = monthInWords(current);
    table.setAttribute('aria-label', monthInWords(current));
    body.replaceChildren(...weeksOf(current).map((week) => row(week.map(dayCell))));
  }
  const focusDay = () => body.querySelector<HTMLButtonElement>(`[data-day="${current}"]`)?.focus();

  table.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = dayAfterKey(event.key, current, bounds);
    if (next === undefined) return;
    event.preventDefault();
    current = next;
    draw();
    focusDay();
  });

  return {
    show(range: DayRange): void {
      shown = range;
      start = undefined;
      current = range.last;
      draw();
    },
  };
}
