// A calendar of one month. Two clicks, or Enter on two days, choose a range.

import type { DayRange } from '../../shared-types/dashboard-types';
import { dayInWords, monthInWords, weekdayNames } from '../shared/dates-in-words';
import { button, element, headCell, row } from '../shared/elements';
import { between, dayAfterKey, monthsLater, weeksOf } from './month-grid';

interface Calendar {
  show(range: DayRange): void;
}

interface CalendarOptions {
  readonly bounds: DayRange;
  onStart(day: string): void;
  onRange(range: DayRange): void;
}

export function openCalendar(place: HTMLElement, { bounds, onStart, onRange }: CalendarOptions): Calendar {
  let shown: DayRange = bounds;
  let start: string | undefined;
  /** The day that the Tab key reaches. Its month is shown. */
  let current = bounds.last;

  const title = element('strong', '');
  title.setAttribute('aria-live', 'polite');
  const turn = (text: string, label: string, months: number) => {
    const created = button(text, 'quiet', () => {
      const day = monthsLater(current, months);
      if (day < bounds.first || day > bounds.last) return;
      current = day;
      draw();
    });
    created.setAttribute('aria-label', label);
    return created;
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
  const table = element('table', [element('thead', head), body], 'calendar');
  table.setAttribute('role', 'grid');
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
    const created = button(String(Number(day.slice(8))), 'day', () => choose(day));
    created.setAttribute('aria-label', dayInWords(day));
    created.dataset.day = day;
    created.tabIndex = day === current ? 0 : -1;
    created.disabled = day < bounds.first || day > bounds.last;
    const cell = element('td', created);
    cell.setAttribute('role', 'gridcell');
    cell.setAttribute('aria-selected', String(isChosen));
    if (day.slice(0, 7) !== current.slice(0, 7)) cell.className = 'other-month';
    return cell;
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
    show(range) {
      shown = range;
      start = undefined;
      current = range.last;
      draw();
    },
  };
}
