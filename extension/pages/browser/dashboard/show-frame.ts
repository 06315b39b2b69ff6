// The parts of the page around the dashboard: heading, share link, status.
import type { DashboardHead, DashboardInfo, PartAnswer } from '../../shared-types/dashboard-types';
import { button, byId, element } from '../shared/elements';
import { sentenceOf } from '../shared/rest';
import type { RestError } from '../shared/rest-answer';

/** A shared page shows the site's name; the share link gets its tracking id. */
export function showFrame({ site, data }: DashboardHead, isLink: boolean): void {
  const heading = document.querySelector('h1');
  if (isLink && heading !== null) {
    document.title = site.name;
    heading.textContent = site.name;
    heading.title = site.name;
  }
  const form = document.getElementById('share');
  if (form instanceof HTMLAnchorElement)
    form.href = form.href.replace(/site=.*$/, `site=${encodeURIComponent(site.trackingId)}`);
  byId('no-data', HTMLElement).hidden = data !== null;
  byId('figures', HTMLElement).hidden = data === null;
  byId('panels', HTMLElement).hidden = data === null;
}

/** For panels without an answer: ends their wait, and hides them and the figures if they are empty, or not about the refused address. */
export function hideUnread(panels: readonly { readonly section: Element }[], isRefused: boolean): void {
  for (const { section } of panels) section.setAttribute('aria-busy', 'false');
  const range = document.getElementById('range');
  // A page whose link has ended has none of them.
  if (range === null || (!isRefused && range.textContent?.trim() !== '')) return;
  range.replaceChildren();
  for (const id of ['figures', 'panels']) byId(id, HTMLElement).hidden = true;
}

/** The label of the day that an error is about, as the start of a sentence. */
function fieldOf({ at }: RestError): string {
  const days = document.querySelectorAll<HTMLInputElement>('#range-panel input[type="date"]');
  const label = [...days].find(({ name }) => name === at)?.labels?.[0]?.textContent;
  return label ? `${label}: ` : '';
}

/** Read aloud by screen readers; visible only if something failed. */
export function showStatus(
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

export function showEnd(root: HTMLElement, title: string, message: string): void {
  const parts = [element('h2', title), element('p', message)];
  root.replaceChildren(element('section', parts, 'card', { role: 'alert' }));
}

type Failure = NonNullable<PartAnswer['error']>;

const BEYOND_LINK = 'beyond_link';

/** Left out on purpose: by a feature switch, or by a link's segment. */
export const isOff = ({ code }: Pick<Failure, 'code'>): boolean =>
  code === 'E_FEATURE_DISABLED' || code === BEYOND_LINK;

/** Administrators get a link to the switch. */
export function offNote({ code, message, feature }: Failure, own: DashboardInfo['own']): HTMLElement {
  if (code === BEYOND_LINK) return element('p', message, 'panel-empty');
  const name = feature === undefined ? 'a feature' : element('code', feature);
  const page = own?.features;
  if (page === undefined || page === null)
    return element(
      'p',
      ['This needs ', name, ', which is switched off on this server. An administrator can switch it on.'],
      'panel-empty',
    );
  const link = element('a', 'Switch it on under Features', '', { href: page });
  return element('p', ['This needs ', name, ', which is switched off. ', link, '.'], 'panel-empty');
}
