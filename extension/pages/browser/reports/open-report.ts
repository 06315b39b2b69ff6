// A page with the site, range and filters of the dashboard, whose numbers are the answer to one request. The page's
// data-waiting attribute is 0 when the page is complete.
import type { AskedPart, DashboardHead, PartAnswer } from '../../shared-types/dashboard-types';
import type { ReportInfo } from '../../shared-types/report-types';
import { addressOf, askedOf, readAddress, type View } from '../dashboard/address';
import { ask, BROKE_OFF, endsPage, unlessAborted } from '../dashboard/ask';
import { listenForShortcuts, showChips } from '../dashboard/controls';
import { openFilterForm } from '../dashboard/filter-form';
import { openLink } from '../dashboard/open-link';
import { openRangeChoice, withoutDays } from '../dashboard/range-choice';
import { openSegments } from '../dashboard/segments';
import { isOff, offNote, showEnd, showStatus } from '../dashboard/show-frame';
import { rangeInWords } from '../shared/dates-in-words';
import { button, byId, element, replaceKeepingFocus } from '../shared/elements';
import { sentenceOf } from '../shared/rest';

export interface Shown<Head> {
  readonly head: Head;
  readonly view: View;
  readonly answers: ReadonlyMap<string, PartAnswer>;
}

interface Report<Head extends DashboardHead> {
  /** Another parameter in the address: `funnel` in `?funnel=3`. */
  readonly choice?: string;
  isHead(head: DashboardHead): head is Head;
  parts(view: View): readonly AskedPart[];
  /** Called once all parts have arrived. */
  show(shown: Shown<Head>): void;
}

export interface OpenReport {
  readonly info: ReportInfo;
  view(): View;
  go(view: View): void;
}

export function openReport<Head extends DashboardHead>(create: (opened: OpenReport) => Report<Head>): void {
  const root = byId('report', HTMLElement);
  const info: ReportInfo = JSON.parse(root.dataset.info ?? '{}');
  const isLink = info.own === null;
  if (isLink && !openLink(root)) return;
  const report = create({ info, view: () => view, go });
  const known = {
    dimensions: Object.keys(info.dimensions),
    panels: report.choice === undefined ? [] : [report.choice],
    site: root.dataset.site ?? '',
    period: info.period,
  };
  const status = byId('dashboard-status', HTMLElement);
  const about = byId('range', HTMLElement);
  let view = readAddress(location.search, known);
  let asking = new AbortController();
  let isOpen = false;

  function go(next: View): void {
    view = next;
    history.pushState(null, '', addressOf(view, info.period) + location.hash);
    load();
  }
  const range = openRangeChoice(() => view, go);
  const filterForm = openFilterForm(() => view, go);
  if (info.own !== null) openSegments(info.own, () => view, go);
  listenForShortcuts({
    choosePeriod: (period) => go({ ...withoutDays(view), period }),
    removeFilters() {
      if (view.filters.length > 0) go({ ...view, filters: [] });
    },
  });
  const site = document.getElementById('site');
  if (site instanceof HTMLSelectElement)
    site.addEventListener('change', () => go({ ...view, site: site.value, filters: [], tabs: {} }));

  function showHead(head: DashboardHead): void {
    isOpen = true;
    const { range: days, site: named, goals } = head;
    range.showHead(head);
    filterForm.showHead(head);
    about.replaceChildren(element('strong', rangeInWords(days)), `, ${named.timezone} time.`);
    const goalName = (id: string) => goals.find((goal) => String(goal.id) === id)?.name ?? `Goal ${id}`;
    showChips(view, { dimensions: info.dimensions, pinned: head.pinned, goalName }, go);
    const share = document.getElementById('share');
    if (share instanceof HTMLAnchorElement)
      share.href = share.href.replace(/site=.*$/, `site=${encodeURIComponent(named.trackingId)}`);
    const heading = document.querySelector('h1');
    if (isLink && heading !== null) {
      document.title = named.name;
      heading.textContent = named.name;
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    const parts = report.parts(view);
    const answers = new Map<string, PartAnswer>();
    let head: Head | undefined;
    const asked = { ...askedOf(view, isLink), compare: 'none', parts };
    const listener = {
      head(found: DashboardHead) {
        if (report.isHead(found)) head = found;
        showHead(found);
      },
      part: (answer: PartAnswer) => void answers.set(answer.id, answer),
    };
    const error = await ask(info.route, asked, listener, signal, isLink);
    if (endsPage(error, isOpen)) showEnd(root, error.title, error.message);
    else if (head !== undefined) {
      for (const { id } of parts)
        if (!answers.has(id)) answers.set(id, { id, query: {}, unfiltered: [], error: error ?? BROKE_OFF });
      report.show({ head, view, answers });
    }
    showStatus(status, error, [], load);
    root.dataset.waiting = '0';
    root.setAttribute('aria-busy', 'false');
  }

  function load(): void {
    asking.abort();
    asking = new AbortController();
    range.show(view);
    if (site instanceof HTMLSelectElement) site.value = view.site;
    root.dataset.waiting = '1';
    root.setAttribute('aria-busy', 'true');
    unlessAborted(run(asking.signal), asking.signal);
  }
  window.addEventListener('popstate', () => {
    view = readAddress(location.search, known);
    load();
  });
  load();
}

/** If there are no numbers, shows why. Returns whether there are any. */
export function showFailure(
  place: HTMLElement,
  { error }: PartAnswer,
  { info, view, go }: OpenReport,
): boolean {
  if (error === undefined) return false;
  const words = isOff(error)
    ? [offNote(error, info.own)]
    : [element('p', sentenceOf(error), 'fault'), button('Try again', 'quiet', () => go(view()))];
  replaceKeepingFocus(place, words);
  return true;
}

/** Names the filters that do not apply, if there are any. */
export const unfilteredNote = ({ unfiltered }: PartAnswer): readonly HTMLElement[] =>
  unfiltered.length === 0 ? [] : [element('p', `Not filtered by ${unfiltered.join(', ')}.`, 'panel-note')];

/** The link "Open as query"; undefined for users who may not query. */
export function queryLink({ query }: PartAnswer, { own }: ReportInfo): HTMLElement | undefined {
  if (own === null || own.playground === null) return undefined;
  const href = `${own.playground}?run#${encodeURIComponent(JSON.stringify(query, null, 2))}`;
  return element('a', 'Open as query', '', { href });
}
