import type {
  CardInfo,
  DashboardHead,
  DashboardInfo,
  PartAnswer,
  RequestedPart,
  TabInfo,
} from '../shared-types/dashboard-types';
import type { AskError } from './dashboard/ask';
import { comparedParts, partIdOf, partOf, showCards, wholeOf } from './dashboard/cards';
import { openControls } from './dashboard/controls';
import { foldEmptyPanels } from './dashboard/fold-panels';
import { lineOf } from './dashboard/line';
import { drawLine } from './dashboard/line-chart';
import { openNotes } from './dashboard/notes';
import { chosenTab, openPanel, type PanelPlace, showChosenTab, showPanel } from './dashboard/panel-view';
import { parametersButton } from './dashboard/parameters';
import { failureNodes, isOff } from './dashboard/part-view';
import { rowLinks } from './dashboard/rows';
import { openLink, openSitePage } from './dashboard/site-page';
import { NOW_PARTS, showNow } from './dashboard/visitors-now';
import { showFoot } from './dashboard/whole-list';
import { byId } from './shared/elements';

const REFRESH_MS = 60_000;

function openDashboard(): void {
  const root = byId('dashboard', HTMLElement);
  const info: DashboardInfo = JSON.parse(root.dataset.info ?? '{}');
  if (info.own === null && !openLink(root)) return;
  const page = openSitePage({
    root,
    info,
    tabs: info.panels.map(({ id }) => id),
    keepsTabs: true,
    load: () => load(),
  });
  let head: DashboardHead | undefined;
  const answers = new Map<string, PartAnswer>();
  const notes = info.own && openNotes(info.own.notes, () => load());
  const chart = byId('chart', HTMLElement);
  const controls = openControls(page.view, page.go);
  const cards = info.cards.map((card) => ({ card, place: byId(`card-${card.column}`, HTMLButtonElement) }));
  const panels = info.panels.flatMap((panel) => {
    const place = openPanel(panel, (tab) => chooseTab(panel.id, tab));
    return place === undefined ? [] : [place];
  });
  const tabOf = ({ panel }: PanelPlace): TabInfo | undefined => chosenTab(panel, page.view().tabs[panel.id]);

  function chooseTab(panel: string, tab: string): void {
    const view = page.view();
    page.keep({ ...view, tabs: { ...view.tabs, [panel]: tab } });
    const place = panels.find((one) => one.panel.id === panel);
    if (place !== undefined) loadPanel(place);
  }

  const chosenCard = (): CardInfo | undefined =>
    info.cards.find(({ column }) => column === page.view().card) ?? info.cards[0];
  const withBefore = (id: string) => comparedParts(id, page.view());

  function updateCards(): void {
    if (head !== undefined) showCards(cards, chosenCard(), head, answers);
  }

  function updateChart(): void {
    const card = chosenCard();
    if (head === undefined || card === undefined) return;
    const now = answers.get(`series ${card.figure}`);
    const before = answers.get(`series ${card.figure} before`);
    if (now === undefined || (page.view().compare !== 'none' && before === undefined && head.before !== null))
      return;
    const failure = now.error ?? (head.before === null ? undefined : before?.error);
    if (failure !== undefined) chart.replaceChildren(...failureNodes(failure, info.own, load));
    else
      drawLine(chart, lineOf(card, head, now, head.before === null ? undefined : before), (note) =>
        notes?.open(note),
      );
  }

  function updatePanel(place: PanelPlace): void {
    const tab = tabOf(place);
    if (tab === undefined || head === undefined) return;
    const answer = answers.get(partIdOf(tab));
    if (answer === undefined) return;
    const { address, go, askOne, saveOne } = page;
    const { own } = info;
    const view = page.view();
    const navigation = { view, pinned: head.pinned, own, address, go };
    const links = rowLinks(tab, navigation);
    const more = tab.id === 'event' ? parametersButton(head, tab, askOne, navigation) : undefined;
    const whole = wholeOf(tab, { view, cards: info.cards, answers });
    const again = tab.kind === 'goals' ? load : () => loadPanel(place);
    const shown = { tab, answer, head, maxRows: info.rows, whole, links, again, own };
    showPanel(place, { ...shown, ...(more && { more }) });
    place.section.setAttribute('aria-busy', 'false');
    const save = head.canSave ? saveOne : null;
    showFoot(place, answer, { tab, whole, links, canPage: head.canPage, own, ask: askOne, save });
  }

  function update(id: string): void {
    if (id.startsWith('series')) updateChart();
    if (id.startsWith('total')) updateCards();
    if (id.startsWith('now') && head !== undefined) showNow(head, answers);
    for (const place of panels) {
      const tab = tabOf(place);
      if (tab === undefined) continue;
      const shares = id.startsWith('total') && tab.shareOf !== null && answers.has(tab.id);
      if (partIdOf(tab) === id || shares) updatePanel(place);
    }
  }

  function showHead(found: DashboardHead): void {
    head = found;
    page.showHead(found);
    controls.showHead(found);
    showFrame(found);
    notes?.show(found);
  }

  function request(parts: readonly RequestedPart[]): void {
    let own: DashboardHead | undefined;
    const listener = {
      head(found: DashboardHead) {
        // The other parts on the page are from a different version of the data.
        if (own === undefined && head !== undefined && head.version !== found.version) return load();
        own = found;
        showHead(found);
      },
      part(answer: PartAnswer) {
        answers.set(answer.id, answer);
        update(answer.id);
      },
    };
    page.request({ parts }, listener, finish);
  }

  function finish(error: AskError | undefined): void {
    if (head !== undefined) foldEmptyPanels(panels, { tabOf, answers, head, view: page.view() });
    else hideUnread(panels, error?.at !== undefined);
    const failed = panels.filter((place) => {
      const tab = tabOf(place);
      const failure = tab && answers.get(partIdOf(tab))?.error;
      return failure !== undefined && !isOff(failure);
    });
    page.showStatus(
      error,
      failed.map(({ panel }) => panel.title),
    );
  }

  function markBusy(place: PanelPlace): void {
    const tab = tabOf(place);
    if (tab !== undefined) showChosenTab(place, tab);
    place.section.setAttribute('aria-busy', 'true');
  }

  function loadPanel(place: PanelPlace): void {
    const tab = tabOf(place);
    const part = tab && partOf(tab, info.rows);
    if (tab === undefined) return;
    markBusy(place);
    answers.delete(tab.id);
    if (part === undefined) updatePanel(place);
    else request([part]);
  }

  function load(): void {
    page.begin();
    answers.clear();
    head = undefined;
    for (const place of panels) markBusy(place);
    for (const { card, place } of cards) place.setAttribute('aria-pressed', String(card === chosenCard()));
    const figures = [...new Set(info.cards.map(({ figure }) => figure))].flatMap((figure) =>
      withBefore(`total ${figure}`),
    );
    const series = withBefore(`series ${chosenCard()?.figure}`);
    const lists = panels.flatMap((place) => {
      const tab = tabOf(place);
      const part = tab && partOf(tab, info.rows);
      return part === undefined ? [] : [part];
    });
    request([...figures, ...series, ...lists, ...NOW_PARTS]);
  }

  function chooseCard(card: CardInfo): void {
    page.keep({ ...page.view(), card: card.column });
    updateCards();
    if (answers.has(`series ${card.figure}`)) updateChart();
    else request(withBefore(`series ${card.figure}`));
  }
  for (const { card, place } of cards) {
    place.addEventListener('click', () => chooseCard(card));
    // Browsers do not scroll to a card that is partly visible.
    place.addEventListener('focus', () => place.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
  }

  byId('refresh-now', HTMLButtonElement).addEventListener('click', load);
  const refresh = byId('refresh', HTMLInputElement);
  setInterval(() => {
    if (refresh.isConnected && refresh.checked && !document.hidden) load();
  }, REFRESH_MS);
  load();
}

function showFrame({ data }: DashboardHead): void {
  byId('no-data', HTMLElement).hidden = data !== null;
  for (const id of ['figures', 'panels']) byId(id, HTMLElement).hidden = data === null;
}

/**
 * Removes the busy state of panels without an answer. Hides the figures and panels if the server rejected the address, or if
 * nothing has been shown yet.
 */
function hideUnread(panels: readonly PanelPlace[], isRejected: boolean): void {
  for (const { section } of panels) section.setAttribute('aria-busy', 'false');
  const range = document.getElementById('range');
  // The page that is shown for an expired link has none of these elements.
  if (range === null || (!isRejected && range.textContent?.trim() !== '')) return;
  range.replaceChildren();
  for (const id of ['figures', 'panels']) byId(id, HTMLElement).hidden = true;
}

openDashboard();
