// What every template is given besides its own data, and how an answer becomes HTML.
// `it.frame` is what the layout shows; `it.nonceField` stands in every form; `it.instant(date)` prints by the person's clock;
// `it.page('users', 3)` is where a page is; `it.field({ name, label, ... })` is a field of a form (views/parts/field.eta).
import { randomBytes } from 'node:crypto';
import { Eta } from 'eta';
import { type HostUser, pageAddress } from '../extension-api';
import type { MenuSection } from '../extensions/page-registry';
import { FIRST_PAGE, LOGIN_PATH } from '../page-addresses';
import { assetUrl, styleUrl } from './assets';
import { formatInstant } from './format-instant';
import { CODE_ROOT } from './package-root';

export interface FrameParts {
  readonly siteName: string;
  readonly title: string;
  /** Nobody on the login page. */
  readonly user: HostUser | undefined;
  readonly menu: readonly MenuSection[];
  /** The slug of the page that is shown. */
  readonly current: string | undefined;
  readonly nonce: string | undefined;
  readonly notice: string | undefined;
  readonly restRoot: string;
  readonly scripts: readonly string[];
  /** Besides the one of all pages. */
  readonly styles: readonly string[];
  /** The page says what was wrong with a form: told first, to those who hear titles. */
  readonly isRefusal: boolean;
}

export interface RenderedPage {
  readonly html: string;
  /** Value of the Content-Security-Policy header. */
  readonly policy: string;
}

const LAYOUT = 'host-shim/admin/views/layout';
const FIELD = 'host-shim/admin/views/parts/field';

const eta = new Eta({ views: CODE_ROOT, cache: true, autoTrim: [false, 'nl'] });

/** A scheme, or an origin: nothing that could end the directive and begin another. */
const FORM_TARGET = /^[a-z][a-z0-9+.-]*:(\/\/[a-z0-9._-]+(:\d+)?)?$/;

/** Nothing from elsewhere, no inline script; a style only with the nonce of this answer (the editor adds some). */
function contentPolicy(styleNonce: string, formTargets: readonly string[]): string {
  if (!formTargets.every((target) => FORM_TARGET.test(target)))
    throw new Error('A page named a target of its forms that is neither a scheme nor an origin.');
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${styleNonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Fills a template and puts the layout around it. */
export function renderPage(
  view: string,
  data: object,
  parts: FrameParts,
  formTargets: readonly string[] = [],
): RenderedPage {
  const styleNonce = randomBytes(16).toString('base64url');
  const zone = parts.user?.timezone ?? 'UTC';
  const frame = {
    ...parts,
    styleNonce,
    zone,
    firstPage: FIRST_PAGE,
    logoutAddress: `${LOGIN_PATH}?action=logout`,
    styles: ['host/admin', ...parts.styles].map(styleUrl),
    scripts: ['host/page', ...parts.scripts].map(assetUrl),
  };
  const it = {
    ...data,
    frame,
    nonceField:
      parts.nonce === undefined ? '' : `<input type="hidden" name="_wpnonce" value="${parts.nonce}">`,
    page: pageAddress,
    field: (field: object) => eta.render(FIELD, field),
    instant: (date: Date | null) => (date === null ? null : formatInstant(date, zone)),
  };
  const body = eta.render(view, it);
  return { html: eta.render(LAYOUT, { ...it, body }), policy: contentPolicy(styleNonce, formTargets) };
}
