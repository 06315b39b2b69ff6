// The dashboard: reads the address, asks for everything that it says, and shows each part as it comes.
// A panel's data-state is loading, shown or failed; the dashboard counts the parts that are missing in data-waiting.
import { button, byId, element } from '../shared/elements';
import { sentenceOf } from '../shared/rest';
import type { RestError } from '../shared/rest-answer';
import { addressOf, nextPlace, type Place, placed, placeOf, readAddress, type View } from './address';
import { ask, BROKE_OFF } from './ask';
import { numberOf, showCard } from './cards';
import { openControls, showChips } from './controls';
import type {
  AskedPart,
  CardInfo,
  DashboardHead,
  DashboardInfo,
  PartAnswer,
  TabInfo,
} from './dashboard-types';
import { pointInWords, pointOnAxis, rangeInWords } from './in-words';
import { drawLine } from './line-chart';
import type { ListRow } from './list-rows';
import { chosenTab, markTab, openPanel, type PanelPlace, showPanel } from './panel-view';
import { openParameters } from './parameters';
import type { RowLinks } from './rows';
import { openWholeList } from './whole-list';

const REFRESH_MS = 60_000;
/** The map draws them all. */
const ALL_COUNTRIES = 300;

/** Fills the page. `site` is the one of an address that names none. */
export function openDashboard(root: HTMLElement, info: DashboardInfo, site: string): void {
  const known = { dimensions: Object.keys(info.dimensions), panels: info.panels.map(({ id }) => id), site };
  const isLink = info.own === null;
  /** The key of a link stays behind the #. */
  const hereWith = (next: View): string => addressOf(next) + location.hash;
  let view = readAddress(location.search, known);
  let head: DashboardHead | undefined;
  let asking = new AbortController();
  let takeChartDown: (() => void) | undefined;
  const answers = new Map<string, PartAnswer>();
  const status = byId('dashboard-status', HTMLElement);
  const chart = byId('chart', HTMLElement);
  const controls = openControls(() => view, go);
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
  const partOf = (tab: TabInfo): AskedPart | undefined => {
    if (tab.kind === 'goals') return undefined;
    return { id: tab.id, limit: tab.kind === 'map' ? ALL_COUNTRIES : info.rows };
  };
  const withBefore = (id: string): readonly AskedPart[] =>
    view.compare === 'none' ? [{ id }] : [{ id }, { id: `${id} before` }];

  function linksOf(tab: TabInfo): RowLinks | null {
    const { dimension } = tab;
    if (dimension === null) return null;
    const viewAfter = (value: string | null, place: Place): View => ({
      ...view,
      filters: placed(view.filters, dimension, value, nextPlace[place]),
    });
    return {
      place: (value) => placeOf(view.filters, dimension, value),
      address: (value, place) => hereWith(viewAfter(value, place)),
      go: (value, place) => go(viewAfter(value, place)),
    };
  }

  const wholeOf = (tab: TabInfo): number | null => {
    const card = info.cards.find(({ column }) => column === tab.shareOf);
    // The rows of a list are not parts of the whole that a filter of the same kind leaves.
    const isFiltered = view.filters.some(({ dimension, not }) => dimension === tab.dimension && !not);
    return card === undefined || isFiltered
      ? null
      : (numberOf(card, answers.get(`total ${card.figure}`)) ?? null);
  };

  function updateCards(): void {
    if (head === undefined) return;
    const than = head.before === null ? null : `in ${rangeInWords(head.before)}`;
    for (const { card, place } of cards) {
      const id = `total ${card.figure}`;
      showCard(place, card, { now: answers.get(id), before: answers.get(`${id} before`), than });
      place.setAttribute('aria-pressed', String(card === chosenCard()));
    }
  }

  function updateChart(): void {
    const card = chosenCard();
    if (head === undefined || card === undefined) return;
    const now = answers.get(`series ${card.figure}`);
    const before = answers.get(`series ${card.figure} before`);
    if (now === undefined || (view.compare !== 'none' && before === undefined && head.before !== null))
      return;
    takeChartDown?.();
    takeChartDown = undefined;
    const failure = now.error ?? before?.error;
    if (failure !== undefined) {
      chart.replaceChildren(element('p', sentenceOf(failure), 'fault'), button('Try again', 'quiet', load));
      return;
    }
    const { step, points, pointsBefore, partial, begun, range } = head;
    const valuesOf = (answer: PartAnswer | undefined, at: readonly string[]): readonly (number | null)[] => {
      if (answer === undefined) return [];
      const { columns = [], rows = [] } = answer;
      const column = columns.indexOf(card.column);
      const names = step === 'hour' ? 2 : 1;
      const found = new Map(rows.map((row) => [row.slice(0, names).join(' '), row[column]]));
      const isCount = card.unit === 'count' && column >= 0;
      return at.map((point) => {
        const value = found.get(point);
        return typeof value === 'number' ? value : isCount ? 0 : null;
      });
    };
    const values = valuesOf(now, points).map((value, at) => (at < begun ? value : null));
    takeChartDown = drawLine(chart, {
      label: card.label,
      unit: card.unit,
      values,
      before: valuesOf(before, pointsBefore.slice(0, points.length)),
      axis: points.map((point) => pointOnAxis(step, point)),
      names: points.map((point) => pointInWords(step, point)),
      namesBefore:
        before === undefined
          ? []
          : pointsBefore.slice(0, points.length).map((point) => pointInWords(step, point)),
      partial: new Set(partial),
      description: `${card.label} by ${step}, ${rangeInWords(range)}. The left and right arrow keys move along the line.`,
    });
  }

  function moreOf(tab: TabInfo): ((of: ListRow) => HTMLElement | undefined) | undefined {
    if (tab.id !== 'event') return undefined;
    return ({ value }) => {
      const parameters = head?.events[value ?? ''] ?? [];
      if (value === null || parameters.length === 0) return undefined;
      const open = button('Parameters', 'plain small', () => openParameters(value, parameters, tab, askOne));
      open.setAttribute('aria-label', `Parameters of ${value}`);
      return open;
    };
  }

  function updatePanel(place: PanelPlace): void {
    const tab = tabOf(place);
    if (tab === undefined || head === undefined) return;
    const answer = answers.get(tab.kind === 'goals' ? 'total entries' : tab.id);
    if (answer === undefined) return;
    const [links, more] = [linksOf(tab), moreOf(tab)];
    const whole = wholeOf(tab);
    const again = () => loadPanel(place);
    showPanel(place, { tab, answer, head, most: info.rows, whole, links, again, ...(more && { more }) });
    place.section.dataset.state = answer.error === undefined ? 'shown' : 'failed';
    place.section.setAttribute('aria-busy', 'false');
    updateFoot(place, tab, answer);
  }

  function updateFoot({ foot, panel }: PanelPlace, tab: TabInfo, answer: PartAnswer): void {
    const title = panel.tabs.length === 1 ? panel.title : `${panel.title}: ${tab.title}`;
    const whole = button('Show all', 'plain', () =>
      openWholeList({
        ...{ title, tab, whole: wholeOf(tab), links: linksOf(tab) },
        ask: (part) => askOne({ ...part, id: tab.id }),
        files: info.own?.canDownload === true ? info.own.query : null,
      }),
    );
    whole.setAttribute('aria-label', `Show all of ${title}`);
    const open = element('a', 'Open as query');
    open.setAttribute('aria-label', `Open as query: ${title}`);
    open.href = `${info.own?.playground ?? ''}#${encodeURIComponent(JSON.stringify(answer.query, null, 2))}`;
    foot.replaceChildren(...(tab.kind === 'goals' ? [] : [whole]), ...(info.own === null ? [] : [open]));
  }

  function update(id: string): void {
    if (id.startsWith('series')) updateChart();
    if (id.startsWith('total')) updateCards();
    for (const place of panels) {
      const tab = tabOf(place);
      const needs = tab?.kind === 'goals' ? 'total entries' : tab?.id;
      const shares = id.startsWith('total') && tab?.shareOf !== null && answers.has(tab?.id ?? '');
      if (needs === id || shares) updatePanel(place);
    }
  }

  /** One list on its own, as it stands in a dialog. */
  async function askOne(
    part: AskedPart,
  ): Promise<{ readonly answer: PartAnswer; readonly head: DashboardHead }> {
    let found: PartAnswer | undefined;
    let its = head;
    const listener = {
      head: (one: DashboardHead) => {
        its = one;
      },
      part: (one: PartAnswer) => {
        found = one;
      },
    };
    const error = await ask(
      info.route,
      { ...questionOf(), parts: [part] },
      listener,
      new AbortController().signal,
      isLink,
    );
    if (found !== undefined && its !== undefined) return { answer: found, head: its };
    const failed = { id: part.id, query: {}, unfiltered: [], error: error ?? BROKE_OFF };
    if (its === undefined) throw new Error('A list was opened before its page.');
    return { answer: failed, head: its };
  }

  const questionOf = () => {
    const { card: _card, tabs: _tabs, site: named, ...question } = view;
    return isLink ? question : { ...question, site: named };
  };

  /** A shared page says whose numbers it shows. */
  function showSite(name: string): void {
    document.title = name;
    const heading = document.querySelector('h1');
    if (heading !== null) heading.textContent = name;
  }

  function showHead(found: DashboardHead): void {
    head = found;
    controls.showHead(found, view);
    if (isLink) showSite(found.site.name);
    const form = document.getElementById('share');
    if (form instanceof HTMLAnchorElement)
      form.href = form.href.replace(/site=.*$/, `site=${encodeURIComponent(found.site.trackingId)}`);
    const goalName = (id: string) => found.goals.find((goal) => String(goal.id) === id)?.name ?? `Goal ${id}`;
    showChips(view, { dimensions: info.dimensions, goalName }, go);
    const isEmpty = found.data === null;
    byId('no-data', HTMLElement).hidden = !isEmpty;
    byId('figures', HTMLElement).hidden = isEmpty;
    byId('panels', HTMLElement).hidden = isEmpty;
  }

  /** One sentence for screen readers, and for everybody what went wrong. */
  function tell(error: RestError | undefined): void {
    const failed = panels
      .filter(({ section }) => section.dataset.state === 'failed')
      .map(({ panel }) => panel.title);
    status.className = error === undefined && failed.length === 0 ? 'visually-hidden' : 'fault';
    if (error !== undefined)
      status.replaceChildren(...sentenceOf(error), ' ', button('Try again', 'quiet', load));
    else if (failed.length > 0) status.textContent = `Not shown: ${failed.join(', ')}.`;
    else status.textContent = 'The dashboard is up to date.';
  }

  async function run(parts: readonly AskedPart[], signal: AbortSignal): Promise<void> {
    const waiting = new Set(parts.map(({ id }) => id));
    const count = () => {
      root.dataset.waiting = String(waiting.size);
    };
    count();
    const listener = {
      head: showHead,
      part(answer: PartAnswer) {
        answers.set(answer.id, answer);
        update(answer.id);
        waiting.delete(answer.id);
        if (waiting.size > 0) count();
      },
    };
    const error = await ask(info.route, { ...questionOf(), parts }, listener, signal, isLink);
    const failure = error ?? BROKE_OFF;
    for (const id of waiting) answers.set(id, { id, query: {}, unfiltered: [], error: failure });
    for (const id of waiting) update(id);
    tell(error);
    root.dataset.waiting = '0';
    root.setAttribute('aria-busy', 'false');
  }

  const unlessAborted = (work: Promise<void>, signal: AbortSignal): void => {
    work.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };

  function busy(place: PanelPlace): void {
    const tab = tabOf(place);
    if (tab !== undefined) markTab(place, tab);
    place.section.dataset.state = 'loading';
    place.section.setAttribute('aria-busy', 'true');
  }

  function loadPanel(place: PanelPlace): void {
    const tab = tabOf(place);
    const part = tab && partOf(tab);
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
      const part = tab && partOf(tab);
      return part === undefined ? [] : [part];
    });
    unlessAborted(run([...figures, ...series, ...lists], asking.signal), asking.signal);
  }

  function chooseCard(card: CardInfo): void {
    view = { ...view, card: card.column };
    history.replaceState(null, '', hereWith(view));
    updateCards();
    if (answers.has(`series ${card.figure}`)) updateChart();
    else unlessAborted(run(withBefore(`series ${card.figure}`), asking.signal), asking.signal);
  }
  for (const { card, place } of cards) place.addEventListener('click', () => chooseCard(card));

  window.addEventListener('popstate', () => {
    view = readAddress(location.search, known);
    load();
  });
  byId('refresh-now', HTMLButtonElement).addEventListener('click', load);
  const refresh = byId('refresh', HTMLInputElement);
  setInterval(() => {
    if (refresh.checked && !document.hidden) load();
  }, REFRESH_MS);
  load();
}
