// Tabs by mouse and keyboard: arrows, Home and End move between them, and the one that has the focus is shown.

export interface Tabs {
  /** Id of the panel that is shown. */
  shown(): string;
}

/** Makes the buttons of a tablist work; `onShow` is told the id of a panel each time one is shown. */
export function makeTabs(list: HTMLElement, onShow: (panel: string) => void): Tabs {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role="tab"]')];
  const panelOf = (tab: HTMLElement) => tab.getAttribute('aria-controls') ?? '';
  const show = (shown: HTMLElement) => {
    for (const tab of tabs) {
      const isShown = tab === shown;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      const panel = document.getElementById(panelOf(tab));
      if (panel !== null) panel.hidden = !isShown;
    }
    onShow(panelOf(shown));
  };
  const places: Readonly<Record<string, (index: number) => number>> = {
    ArrowRight: (index) => (index + 1) % tabs.length,
    ArrowLeft: (index) => (index + tabs.length - 1) % tabs.length,
    Home: () => 0,
    End: () => tabs.length - 1,
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => show(tab));
    tab.addEventListener('keydown', (event) => {
      const next = tabs[places[event.key]?.(index) ?? -1];
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
      show(next);
    });
  }
  return {
    shown: () => panelOf(tabs.find((tab) => tab.getAttribute('aria-selected') === 'true') ?? list),
  };
}
