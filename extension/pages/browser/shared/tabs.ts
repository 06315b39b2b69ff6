// Tabs that are selected by a click or with the arrow keys, Home and End.

export function listenToTabs(tabs: readonly HTMLElement[], choose: (tab: HTMLElement) => void): void {
  for (const [index, tab] of tabs.entries()) {
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: (index + 1) % tabs.length,
      ArrowLeft: (index + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', (event) => {
      const next = tabs[targets[event.key] ?? -1];
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
      choose(next);
    });
  }
}

export function markTab(tab: HTMLElement, isChosen: boolean): void {
  tab.setAttribute('aria-selected', String(isChosen));
  tab.tabIndex = isChosen ? 0 : -1;
}
