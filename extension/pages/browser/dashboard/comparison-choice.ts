// The choice of the range to compare with. A custom range applies once its days are submitted.
import type { DayRange } from '../../shared-types/dashboard-types';
import { byId } from '../shared/elements';
import { CUSTOM, type View } from './address';
import { between, daysIn, daysLater } from './month-grid';

const daysBefore = (range: DayRange): DayRange => ({
  first: daysLater(range.first, -daysIn(range)),
  last: daysLater(range.first, -1),
});

interface Navigation {
  current(): View;
  go(view: View): void;
  /** Also closes the panel. */
  goTo(view: View): void;
}

export function openComparisonChoice(
  choices: readonly HTMLInputElement[],
  { current, go, goTo }: Navigation,
) {
  const days = byId('compare-days', HTMLFormElement);
  const from = byId('compare-from', HTMLInputElement);
  const to = byId('compare-to', HTMLInputElement);
  for (const choice of choices)
    choice.addEventListener('change', () => {
      days.hidden = choice.value !== CUSTOM;
      if (days.hidden) go({ ...current(), compare: choice.value });
    });
  days.addEventListener('submit', (event) => {
    event.preventDefault();
    const { first, last } = between(from.value, to.value);
    goTo({ ...current(), compare: CUSTOM, compare_from: first, compare_to: last });
  });
  return {
    show(view: View, range: DayRange, before: DayRange | null): void {
      const { compare } = view;
      for (const choice of choices) choice.checked = choice.value === compare;
      days.hidden = compare !== CUSTOM;
      const { first, last } = before ?? daysBefore(range);
      from.value = compare === CUSTOM ? (view.compare_from ?? '') : first;
      to.value = compare === CUSTOM ? (view.compare_to ?? '') : last;
      for (const input of [from, to]) input.max = range.last;
    },
  };
}
