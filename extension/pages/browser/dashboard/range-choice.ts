// The range button and the panel that it opens, with periods, custom days and a comparison.

import type { DashboardHead, DayRange } from '../../shared-types/dashboard-types';
import { rangeInWords } from '../shared/dates-in-words';
import { byId } from '../shared/elements';
import { placeBelow } from '../shared/place-below';
import { CUSTOM, type View } from './address';
import { openCalendar } from './calendar';
import { openComparisonChoice } from './comparison-choice';
import { between, today } from './month-grid';

/** The view without its days and step, which belong to the previous period. */
export function withoutDays({ from: _from, to: _to, by: _by, ...view }: View): View {
  return view;
}

export const withDays = (view: View, { first, last }: DayRange): View => ({
  ...withoutDays(view),
  period: CUSTOM,
  from: first,
  to: last,
});

/** Checks a day from the address, which can contain any text. */
const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

export function openRangeChoice(current: () => View, go: (view: View) => void) {
  const opener = byId('range-choice', HTMLButtonElement);
  const panel = byId('range-panel', HTMLElement);
  const days = byId('days', HTMLFormElement);
  const from = byId('from', HTMLInputElement);
  const to = byId('to', HTMLInputElement);
  const presets = [...panel.querySelectorAll<HTMLButtonElement>('[data-period]')];
  const choices = [...panel.querySelectorAll<HTMLInputElement>('[name="compare"]')];
  const bounds = { first: from.min, last: from.max };

  const goTo = (view: View) => {
    panel.hidePopover();
    go(view);
  };
  const calendar = openCalendar(byId('calendar', HTMLElement), {
    bounds,
    onStart(day) {
      from.value = day;
      to.value = '';
    },
    onRange: (range) => goTo(withDays(current(), range)),
  });
  // Some pages have no comparison.
  const comparison = choices.length > 0 ? openComparisonChoice(choices, { current, go, goTo }) : undefined;
  /** Undefined until the first head arrives; none arrives if the address is invalid. */
  let shown: DayRange | undefined;
  let before: DayRange | null = null;

  panel.addEventListener('toggle', () => {
    const isOpen = panel.matches(':popover-open');
    opener.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) return;
    const range = shown ?? between(today(), today());
    from.value = range.first;
    to.value = range.last;
    calendar.show(range);
    comparison?.show(current(), range, before);
    placeBelow(opener, panel);
    (presets.find((one) => one.getAttribute('aria-pressed') === 'true') ?? presets[0])?.focus();
  });
  for (const preset of presets)
    preset.addEventListener('click', () =>
      goTo({ ...withoutDays(current()), period: preset.dataset.period ?? '' }),
    );
  days.addEventListener('submit', (event) => {
    event.preventDefault();
    goTo(withDays(current(), between(from.value, to.value)));
  });

  function label({ period, from: first, to: last }: View): string {
    const preset = presets.find((one) => one.dataset.period === period);
    if (preset !== undefined) return preset.dataset.title ?? '';
    return first !== undefined && last !== undefined && isDay(first) && isDay(last) && first <= last
      ? rangeInWords({ first, last })
      : 'Custom range';
  }

  return {
    show(view: View): void {
      opener.textContent = label(view);
      for (const preset of presets)
        preset.setAttribute('aria-pressed', String(preset.dataset.period === view.period));
    },
    showHead(head: Pick<DashboardHead, 'range' | 'before'>): void {
      shown = head.range;
      before = head.before;
    },
  };
}
