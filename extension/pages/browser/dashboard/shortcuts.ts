// Keyboard shortcuts of the dashboard. They are off while a field has the focus or a dialog is open.
import { byId } from '../shared/elements';

interface Shortcuts {
  choosePeriod(period: string): void;
  removeFilters(): void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('select, textarea, input:not([type="checkbox"])'));

const isSomethingOpen = (): boolean => document.querySelector('dialog[open], :popover-open') !== null;

export function listenForShortcuts({ choosePeriod, removeFilters }: Shortcuts): void {
  const list = byId('shortcuts', HTMLDialogElement);
  const periods = new Map(
    [...document.querySelectorAll<HTMLElement>('[data-keys]')].flatMap(({ dataset }) =>
      (dataset.keys ?? '').split(' ').map((key) => [key, dataset.period ?? ''] as const),
    ),
  );
  byId('shortcuts-open', HTMLButtonElement).addEventListener('click', () => list.showModal());
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (isTyping(event.target) || isSomethingOpen()) return;
    const period = periods.get(event.key.toLowerCase());
    if (period !== undefined) choosePeriod(period);
    else if (event.key === '?') list.showModal();
    else if (event.key === 'Escape') removeFilters();
  });
}
