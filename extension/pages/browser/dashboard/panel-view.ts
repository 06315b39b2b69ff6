import type {
  DashboardHead,
  PanelInfo,
  PartAnswer,
  SiteInfo,
  TabInfo,
} from '../../shared-types/dashboard-types';
import { element, replaceKeepingFocus } from '../shared/elements';
import { listenToTabs, markTab } from '../shared/tabs';
import { goalRowsOf, type ListRow, listRowsOf } from './list-rows';
import { failureNodes, unfilteredWords } from './part-view';
import { type ListOptions, listTable } from './rows';
import { drawMap } from './world-map';

export interface PanelPlace {
  readonly panel: PanelInfo;
  readonly section: HTMLElement;
  readonly body: HTMLElement;
  readonly foot: HTMLElement;
}

export function openPanel(panel: PanelInfo, choose: (tab: string) => void): PanelPlace | undefined {
  const section = document.getElementById(`panel-${panel.id}`);
  const body = section?.querySelector<HTMLElement>('.panel-body');
  const foot = section?.querySelector<HTMLElement>('.panel-foot');
  if (!section || !body || !foot) return undefined;
  const tabs = [...section.querySelectorAll<HTMLButtonElement>('[role="tab"]')];
  listenToTabs(tabs, (tab) => choose(tab.dataset.tab ?? ''));
  return { panel, section, body, foot };
}

export const chosenTab = ({ tabs }: PanelInfo, requested: string | undefined): TabInfo | undefined =>
  tabs.find(({ id }) => id === requested) ?? tabs[0];

export function showChosenTab({ section, body }: PanelPlace, chosen: TabInfo): void {
  for (const tab of section.querySelectorAll<HTMLElement>('[role="tab"]')) {
    const isChosen = tab.dataset.tab === chosen.id;
    markTab(tab, isChosen);
    if (isChosen) body.setAttribute('aria-labelledby', tab.id);
  }
}

interface Shown extends ListOptions {
  readonly tab: TabInfo;
  readonly answer: PartAnswer;
  readonly head: DashboardHead;
  readonly maxRows: number;
  readonly own: SiteInfo['own'];
  again(): void;
}

export const rowsOf = (tab: TabInfo, answer: PartAnswer, head: DashboardHead): readonly ListRow[] =>
  tab.kind === 'goals' ? goalRowsOf(answer, head.goals) : listRowsOf(tab, answer);

const EMPTY_WORDS: Readonly<Record<string, string>> = {
  goals: 'This site has no goals yet.',
  event: 'No events in this range.',
  keyword: 'No searches in this range.',
  found: 'No searches in this range.',
  rage: 'No rage clicks in this range.',
  dead: 'No dead clicks in this range.',
  slow: 'No page was measured often enough in this range.',
};

/** Dimensions that a GeoIP database provides. */
const PLACES: ReadonlySet<string | null> = new Set(['country', 'region', 'city']);

function noPlaces(what: string, own: SiteInfo['own']): HTMLElement {
  const why = `No page view has a ${what}. Imports look it up by IP address in a database`;
  const page = own?.geoip ?? null;
  if (page === null) return element('p', `${why}.`, 'panel-empty');
  const link = element('a', 'which you can upload', '', { href: page });
  return element('p', [`${why}, `, link, '.'], 'panel-empty');
}

export function showPanel({ body }: PanelPlace, shown: Shown): void {
  const { tab, answer, head, maxRows, whole, links, more } = shown;
  delete body.dataset.map;
  if (answer.error !== undefined) {
    replaceKeepingFocus(body, failureNodes(answer.error, shown.own, shown.again));
    return;
  }
  const rows = rowsOf(tab, answer, head);
  const about = [...(tab.about === '' ? [] : [tab.about]), ...unfilteredWords(answer)];
  const note = element('p', about.join('. '), 'panel-note');
  if (rows.length === 0) {
    const words = EMPTY_WORDS[tab.kind === 'goals' ? 'goals' : tab.id] ?? 'No page views in this range.';
    replaceKeepingFocus(body, [element('p', words, 'panel-empty'), note]);
  } else if (PLACES.has(tab.dimension) && rows.every(({ value }) => value === null))
    replaceKeepingFocus(body, [noPlaces(tab.dimension ?? '', shown.own), note]);
  else if (tab.kind === 'map') void drawMap(body, tab, rows, links);
  else {
    const list = listTable(tab, rows.slice(0, maxRows), { whole, links, ...(more && { more }) });
    replaceKeepingFocus(body, [list, note]);
  }
}
