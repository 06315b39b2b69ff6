// What of the page itself follows an answer: whose numbers they are, and whether there are any.

import type { DashboardHead } from '../../shared-types/dashboard-types';
import { button, byId, element } from '../shared/elements';
import { sentenceOf } from '../shared/rest';
import type { RestError } from '../shared/rest-answer';

/** A shared page says whose numbers it shows; the form for a link gets the site that is shown. */
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

/** One sentence for screen readers, and for everybody what went wrong. */
export function showStatus(
  status: HTMLElement,
  error: RestError | undefined,
  failed: readonly string[],
  again: () => void,
): void {
  status.className = error === undefined && failed.length === 0 ? 'visually-hidden' : 'fault';
  if (error !== undefined)
    status.replaceChildren(...sentenceOf(error), ' ', button('Try again', 'quiet', again));
  else if (failed.length > 0) status.textContent = `Not shown: ${failed.join(', ')}.`;
  else status.textContent = 'The dashboard is up to date.';
}

/** In place of the dashboard: why its link shows nothing. */
export function showEnd(root: HTMLElement, title: string, message: string): void {
  const card = element('section', [element('h2', title), element('p', message)], 'card');
  card.setAttribute('role', 'alert');
  root.replaceChildren(card);
}
