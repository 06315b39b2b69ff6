// What of the page itself follows an answer: whose numbers they are, and whether there are any.
import { byId } from '../shared/elements';
import type { DashboardHead } from './dashboard-types';

/** A shared page says whose numbers it shows; the form for a link gets the site that is shown. */
export function showFrame({ site, data }: DashboardHead, isLink: boolean): void {
  const heading = document.querySelector('h1');
  if (isLink && heading !== null) {
    document.title = site.name;
    heading.textContent = site.name;
  }
  const form = document.getElementById('share');
  if (form instanceof HTMLAnchorElement)
    form.href = form.href.replace(/site=.*$/, `site=${encodeURIComponent(site.trackingId)}`);
  byId('no-data', HTMLElement).hidden = data !== null;
  byId('figures', HTMLElement).hidden = data === null;
  byId('panels', HTMLElement).hidden = data === null;
}
