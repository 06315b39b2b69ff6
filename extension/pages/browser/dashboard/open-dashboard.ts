// A panel's data-state is loading, shown or failed; data-waiting of the dashboard counts the missing parts.
import type {
  AskedPart,
  CardInfo,
  DashboardHead,
  DashboardInfo,
  PartAnswer,
  TabInfo,
} from '../../shared-types/dashboard-types';
import { byId } from '../shared/elements';
import type { RestError } from '../shared/rest-answer';
import { saveAnswer } from '../shared/save-answer';
import { addressOf, askedOf, readAddress, type View } from './address';
import { ask, askPart, BROKE_OFF, endsPage, PARTS_APART, unlessAborted } from './ask';
import { comparedParts, partOf, showCards, wholeOf } from './cards';
import { listenForShortcuts, openControls, showChips } from './controls';
import { openFilterForm } from './filter-form';
import { foldEmptyPanels } from './fold-panels';
import { lineOf } from './line';
import { openChart } from './line-chart';
import { openNotes } from './notes';
import { chosenTab, openPanel, type PanelPlace, showChosenTab, showPanel } from './panel-view';
import { parametersButton } from './parameters';
import { withoutDays } from './range-choice';
import { rowLinks } from './rows';
import { openSegments } from './segments';
import { hideUnread, isOff, showEnd, showFrame, showStatus } from './show-frame';
import { NOW_PARTS, showNow } from './visitors-now';
import { showFoot } from './whole-list';

const REFRESH_MS = 60_000;

/** `site` is used when the address has no site. */
export function openDashboard(root: HTMLElement, info: DashboardInfo, site: string): void {
  const known = { dimensions: Object.keys(info.dimensions), panels: info.panels.map(({ id }) => id), site };
  const isLink = info.own === null;
  /** The key of a link is in the hash. */
  const hereWith = (next: View): string => addressOf(next) + location.hash;
  let view = readAddress(location.search, known);
  let head: DashboardHead | undefined;
  let asking = new AbortController();
  let isOpen = false;
  const answers = new Map<string, PartAnswer>();
  const status = byId('dashboard-status', HTMLElement);
  const notes = info.own && openNotes(info.own.notes, () => load());
  const chart = openChart(byId('chart', HTMLElement), {
    own: info.own,
    again: () => load(),
    open: (note) => notes?.open(note),
  });
  const controls = openControls(() => view, go);
  const filterForm = openFilterForm(() => view, go);
  if (info.own !== null) openSegments(info.own, () => view, go);
  const cards = info.cards.map((card) => ({ card, place: byId(`card-${card.column}`, HTMLButtonElement) }));
  const panels = info.panels.flatMap((panel) => {
    const place = openPanel(panel, (tab) => chooseTab(panel.id, tab));
    return place === undefined ? [] : [place];
  });
  const tabOf = ({ panel }: PanelPlace): TabInfo | undefined => chosenTab(panel, view.tabs[panel.id]);

  function go(next: View): void {
    view = next;
    history.pushState(null, '', hereWith(view));
    load();
  }
  function chooseTab(panel: string, tab: string): void {
    view = { ...view, tabs: { ...view.tabs, [panel]: tab } };
    history.replaceState(null, '', hereWith(view));
    const place = panels.find((one) => one.panel.id === panel);
    if (place !== undefined) loadPanel(place);
  }

  const chosenCard = (): CardInfo | undefined =>
    info.cards.find(({ column }) => column === view.card) ?? info.cards[0];
  const withBefore = (id: string) => comparedParts(id, view);

  function updateCards(): void {
    if (head !== undefined) showCards(cards, chosenCard(), head, answers);
  }

  function updateChart(): void {
    const card = chosenCard();
    if (head === undefined || card === undefined) return;
    const now = answers.get(`series ${card.figure}`);
    const before = answers.get(`series ${card.figure} before`);
    if (now === undefined || (view.compare !== 'none' && before === undefined && head.before !== null))
      return;
    const failure = now.error ?? (head.before === null ? undefined : before?.error);
    if (failure !== undefined) chart.fail(failure);
    else chart.draw(lineOf(card, head, now, head.before === null ? undefined : before));
  }

  function updatePanel(place: PanelPlace): void {
    const tab = tabOf(place);
    if (tab === undefined || head === undefined) return;
    const answer = answers.get(tab.kind === 'goals' ? 'total entries' : tab.id);
    if (answer === undefined) return;
    const navigation = { view, pinned: head.pinned, address: hereWith, go };
    const links = rowLinks(tab, navigation);
    const more = tab.id === 'event' ? parametersButton(head, tab, askOne, navigation) : undefined;
    const whole = wholeOf(tab, { view, cards: info.cards, answers });
    const again = tab.kind === 'goals' ? load : () => loadPanel(place);
    const shown = { tab, answer, head, most: info.rows, whole, links, again, own: info.own };
    showPanel(place, { ...shown, ...(more && { more }) });
    const isAnswered = answer.error === undefined || isOff(answer.error);
    place.section.dataset.state = isAnswered ? 'shown' : 'failed';
    place.section.setAttribute('aria-busy', 'false');
    const can = { canPage: head.canPage, save: head.canSave ? saveOne : null };
    showFoot(place, { tab, answer, whole, links, ...can, own: info.own, ask: askOne });
  }

  function update(id: string): void {
    if (id.startsWith('series')) updateChart();
    if (id.startsWith('total')) updateCards();
    if (id.startsWith('now') && head !== undefined) showNow(head, answers);
    for (const place of panels) {
      const tab = tabOf(place);
      const needs = tab?.kind === 'goals' ? 'total entries' : tab?.id;
      const shares = id.startsWith('total') && tab?.shareOf !== null && answers.has(tab?.id ?? '');
      if (needs === id || shares) updatePanel(place);
    }
  }

  const questionOf = () => askedOf(view, isLink);

  function showHead(found: DashboardHead): void {
    head = found;
    isOpen = true;
    controls.showHead(found);
    const goalName = (id: string) => found.goals.find((goal) => String(goal.id) === id)?.name ?? `Goal ${id}`;
    showChips(view, { dimensions: info.dimensions, pinned: found.pinned, goalName }, go);
    showFrame(found, isLink);
    notes?.show(found);
    filterForm.showHead(found);
  }

  function tell(error: RestError | undefined): void {
    const failed = panels
      .filter(({ section }) => section.dataset.state === 'failed')
      .map(({ panel }) => panel.title);
    showStatus(status, error, failed, load);
  }

  const askOne = (part: AskedPart) => askPart(info.route, { ...questionOf(), parts: [part] }, isLink);

  const saveOne = (part: AskedPart) => {
    const body = JSON.stringify({ ...questionOf(), parts: [part], file: true });
    return saveAnswer({ route: info.route, body, page: 'dashboard' });
  };

  async function run(parts: readonly AskedPart[], signal: AbortSignal): Promise<void> {
    const ids = parts.map(({ id }) => id);
    const waiting = new Set(ids);
    root.dataset.waiting = String(waiting.size);
    let own: DashboardHead | undefined;
    const listener = {
      head(found: DashboardHead) {
        // The other parts on the page are from a different version.
        if (own === undefined && head !== undefined && head.version !== found.version) return load();
        own = found;
        for (const id of ids) waiting.add(id);
        showHead(found);
      },
      part(answer: PartAnswer) {
        answers.set(answer.id, answer);
        update(answer.id);
        waiting.delete(answer.id);
        root.dataset.waiting = String(Math.max(1, waiting.size));
      },
    };
    const error = await ask(info.route, { ...questionOf(), parts }, listener, signal, isLink);
    if (endsPage(error, isOpen)) showEnd(root, error.title, error.message);
    for (const id of waiting) answers.set(id, { id, query: {}, unfiltered: [], error: error ?? BROKE_OFF });
    for (const id of waiting) update(id);
    if (head !== undefined) foldEmptyPanels(panels, { tabOf, answers, head, view });
    else hideUnread(panels, error?.at !== undefined);
    tell(error === BROKE_OFF && waiting.size < ids.length ? PARTS_APART : error);
    root.dataset.waiting = '0';
    root.setAttribute('aria-busy', 'false');
  }

  function busy(place: PanelPlace): void {
    const tab = tabOf(place);
    if (tab !== undefined) showChosenTab(place, tab);
    place.section.dataset.state = 'loading';
    place.section.setAttribute('aria-busy', 'true');
  }

  function loadPanel(place: PanelPlace): void {
    const tab = tabOf(place);
    const part = tab && partOf(tab, info.rows);
    if (tab === undefined) return;
    busy(place);
    answers.delete(tab.id);
    if (part === undefined) updatePanel(place);
    else unlessAborted(run([part], asking.signal), asking.signal);
  }

  function load(): void {
    asking.abort();
    asking = new AbortController();
    answers.clear();
    head = undefined;
    controls.show(view);
    root.setAttribute('aria-busy', 'true');
    for (const place of panels) busy(place);
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
    unlessAborted(run([...figures, ...series, ...lists, ...NOW_PARTS], asking.signal), asking.signal);
  }

  function chooseCard(card: CardInfo): void {
    view = { ...view, card: card.column };
    history.replaceState(null, '', hereWith(view));
    updateCards();
    if (answers.has(`series ${card.figure}`)) updateChart();
    else unlessAborted(run(withBefore(`series ${card.figure}`), asking.signal), asking.signal);
  }
  for (const { card, place } of cards) {
    place.addEventListener('click', () => chooseCard(card));
    // Browsers leave a card where it is if a part of it is visible.
    place.addEventListener('focus', () => place.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
  }

  window.addEventListener('popstate', () => {
    view = readAddress(location.search, known);
    load();
  });
  byId('refresh-now', HTMLButtonElement).addEventListener('click', load);
  const refresh = byId('refresh', HTMLInputElement);
  setInterval(() => {
    if (refresh.isConnected && refresh.checked && !document.hidden) load();
  }, REFRESH_MS);
  listenForShortcuts({
    choosePeriod: (period) => go({ ...withoutDays(view), period }),
    removeFilters() {
      if (view.filters.length > 0) go({ ...view, filters: [] });
    },
  });
  load();
}
