// A page whose address contains a site, a range and filters: the dashboard, funnels and retention. The page's data-waiting
// attribute is 0 once everything that was requested is shown.
import type {
  DashboardHead,
  RequestedDashboard,
  RequestedPart,
  SiteInfo,
} from '../../shared-types/dashboard-types';
import { button, byId, element } from '../shared/elements';
import { sentenceOf, useLinkKey } from '../shared/rest';
import type { RestError } from '../shared/rest-answer';
import { saveAnswer } from '../shared/save-answer';
import { addressOf, readAddress, requestedOf, type View } from './address';
import { type AskError, ask, askPart, endsPage, type Listener } from './ask';
import { listenForShortcuts, showChips } from './controls';
import { openFilterForm } from './filter-form';
import { openRangeChoice, withoutDays } from './range-choice';
import { openSegments } from './segments';

interface Opening {
  readonly root: HTMLElement;
  readonly info: SiteInfo;
  /** Other address parameters, which become the view's tabs. */
  readonly tabs: readonly string[];
  /** Whether the tabs stay selected when the site changes. */
  readonly keepsTabs: boolean;
  /** Shows the current view. */
  load(): void;
}

type RequestedParts = Pick<RequestedDashboard, 'parts'> & Partial<RequestedDashboard>;

/** The link's key is in the hash. If the key is missing, shows a message and returns false. */
export function openLink(root: HTMLElement): boolean {
  const key = location.hash.slice(1);
  if (key === '') {
    const message = 'The part after the # is missing. Copy the complete link, or ask for it again.';
    showEnd(root, 'This link is incomplete', { message });
    return false;
  }
  useLinkKey(key);
  return true;
}

export type SitePage = ReturnType<typeof openSitePage>;

export function openSitePage({ root, info, tabs, keepsTabs, load }: Opening) {
  const { dimensions, route, period, own } = info;
  const isLink = own === null;
  const known = { dimensions: Object.keys(dimensions), panels: tabs, site: root.dataset.site ?? '', period };
  const site = document.getElementById('site');
  const status = byId('dashboard-status', HTMLElement);
  let view = readAddress(location.search, known);
  let controller = new AbortController();
  let isOpen = false;

  const current = (): View => view;
  const address = (next: View): string => addressOf(next, period) + location.hash;
  function go(next: View): void {
    view = next;
    history.pushState(null, '', address(view));
    load();
  }
  const range = openRangeChoice(current, go);
  const filterForm = openFilterForm(current, go);
  if (own !== null) openSegments(own, current, go);
  if (site instanceof HTMLSelectElement)
    site.addEventListener('change', () =>
      go({ ...view, site: site.value, filters: [], tabs: keepsTabs ? view.tabs : {} }),
    );
  listenForShortcuts({
    choosePeriod: (chosen) => go({ ...withoutDays(view), period: chosen }),
    removeFilters() {
      if (view.filters.length > 0) go({ ...view, filters: [] });
    },
  });
  window.addEventListener('popstate', () => {
    view = readAddress(location.search, known);
    load();
  });

  const bodyOf = (requested: RequestedParts): RequestedDashboard => ({
    ...requestedOf(view, isLink),
    ...requested,
  });

  return {
    view: current,
    address,
    /** Shows another view, as a new entry in the history. */
    go,
    /** Changes only the address. */
    keep(next: View): void {
      view = next;
      history.replaceState(null, '', address(view));
    },
    /** Cancels all requests, since the view has changed. */
    begin(): void {
      controller.abort();
      controller = new AbortController();
      range.show(view);
      if (site instanceof HTMLSelectElement) site.value = view.site;
      root.setAttribute('aria-busy', 'true');
    },
    /** Calls `done` at the end unless the view has changed. `error` is set if the response is incomplete. */
    request(
      requested: RequestedParts,
      listener: Listener,
      done: (error: AskError | undefined) => void,
    ): void {
      const { signal } = controller;
      root.dataset.waiting = '1';
      ask(route, bodyOf(requested), listener, signal, isLink)
        .then((error) => {
          if (endsPage(error, isOpen)) showEnd(root, error.title, error);
          done(error);
          root.dataset.waiting = '0';
          root.setAttribute('aria-busy', 'false');
        })
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
    },
    showHead(head: DashboardHead): void {
      isOpen = true;
      range.showHead(head);
      filterForm.showHead(head);
      const goalName = (id: string) =>
        head.goals.find((goal) => String(goal.id) === id)?.name ?? `Goal ${id}`;
      showChips(view, { dimensions, pinned: head.pinned, goalName }, go);
      showSite(head.site, isLink);
    },
    /** Shows the status, with the titles of panels that could not be shown. */
    showStatus: (error: AskError | undefined, failed: readonly string[] = []) =>
      showStatus(status, error, failed, load),
    /** Requests a part that is shown in a dialog. */
    askOne: (part: RequestedPart) => askPart(route, bodyOf({ parts: [part] }), isLink),
    saveOne: (part: RequestedPart) =>
      saveAnswer({ route, body: JSON.stringify(bodyOf({ parts: [part], file: true })), page: 'dashboard' }),
  };
}

/** Shows the site's name as the title of a link's page. Adds the tracking id to the address of the share form. */
function showSite({ name, trackingId }: DashboardHead['site'], isLink: boolean): void {
  const heading = document.querySelector('h1');
  if (isLink && heading !== null) {
    document.title = name;
    heading.textContent = name;
    heading.title = name;
  }
  const form = document.getElementById('share');
  if (form instanceof HTMLAnchorElement)
    form.href = form.href.replace(/site=.*$/, `site=${encodeURIComponent(trackingId)}`);
}

/** The label of the date field that an error is about, as the start of a sentence. */
function fieldOf({ at }: RestError): string {
  const days = document.querySelectorAll<HTMLInputElement>('#range-panel input[type="date"]');
  const label = [...days].find(({ name }) => name === at)?.labels?.[0]?.textContent;
  return label ? `${label}: ` : '';
}

/** Read aloud by screen readers; visible only if something failed. */
function showStatus(
  status: HTMLElement,
  error: RestError | undefined,
  failed: readonly string[],
  again: () => void,
): void {
  status.className = error === undefined && failed.length === 0 ? 'visually-hidden' : 'fault';
  if (error !== undefined)
    status.replaceChildren(fieldOf(error), ...sentenceOf(error), ' ', button('Try again', 'quiet', again));
  else if (failed.length > 0) status.textContent = `Not available: ${failed.join(', ')}.`;
  else status.textContent = 'The page is up to date.';
}

function showEnd(root: HTMLElement, title: string, error: Parameters<typeof sentenceOf>[0]): void {
  const parts = [element('h2', title), element('p', sentenceOf(error))];
  root.replaceChildren(element('section', parts, 'card', { role: 'alert' }));
}
