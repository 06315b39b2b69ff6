// Replaces empty panels with links in a single card. The links lead to instructions for adding the data.
import type { DashboardHead, PartAnswer, TabInfo } from '../../shared-types/dashboard-types';
import type { View } from './address';
import { partIdOf } from './cards';
import { type PanelPlace, rowsOf } from './panel-view';

interface Shown {
  readonly answers: ReadonlyMap<string, PartAnswer>;
  readonly head: DashboardHead;
  readonly view: View;
  tabOf(place: PanelPlace): TabInfo | undefined;
}

/** A panel is treated as empty only if its first tab is shown, no filters are set, and the tab has no rows. */
function isEmpty(place: PanelPlace, { answers, head, view, tabOf }: Shown): boolean {
  const tab = tabOf(place);
  if (tab === undefined || tab !== place.panel.tabs[0] || view.filters.length > 0) return false;
  const answer = answers.get(partIdOf(tab));
  return answer?.rows !== undefined && rowsOf(tab, answer, head).length === 0;
}

export function foldEmptyPanels(panels: readonly PanelPlace[], shown: Shown): void {
  const folded = panels
    .filter((place) => place.panel.missing !== undefined && isEmpty(place, shown))
    .map(({ panel }) => panel.id);
  for (const { panel, section } of panels) section.hidden = folded.includes(panel.id);
  const card = document.getElementById('absent');
  if (card === null) return;
  for (const item of card.querySelectorAll<HTMLElement>('[data-panel]'))
    item.hidden = !folded.includes(item.dataset.panel ?? '');
  // If the site has no page views, the page explains how to import them instead.
  card.hidden = folded.length === 0 || shown.head.data === null;
}
