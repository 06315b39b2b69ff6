// In addition to their data, templates receive `it.frame` (for the layout), `it.nonceField` for forms,
// `it.field({ name, label, ... })` for form fields, `it.page('users', 3)` for page URLs, `it.number(1234)`, and `it.time(date)` for
// a <time> element in the user's time zone and language.
import { randomBytes } from 'node:crypto';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Logger } from 'pino';
import {
  type AdminAnswer,
  DOCS_PATH,
  formatCount,
  isUnavailable,
  pageAddress,
  type TemplateValue,
  UNAVAILABLE,
} from '../extension-api';
import type { PageRegistry } from '../extensions/page-registry';
import { PRIVATE } from '../rest/rest-handler';
import { rootOf } from '../rest/self-description';
import { sendPieces } from '../rest/send-pieces';
import { FIRST_PAGE, LOGIN_PATH } from '../server/page-addresses';
import type { OpenSession, Sessions } from '../sessions/sessions';
import { assetUrl, styleUrl } from './assets';
import { firstLanguage, formatInstant, formatShort, knownZone } from './format-instant';
import { renderView } from './render-view';

interface PageSenderOptions {
  readonly siteName: string;
  readonly restPrefix: string;
  pages(): PageRegistry;
  readonly sessions: Pick<Sessions, 'takeNotice'>;
  /** Origins that may show shared pages in a frame. */
  readonly embedOrigins: readonly string[];
}

export interface PageCall {
  readonly request: Request;
  readonly response: Response;
  readonly open?: OpenSession | undefined;
  readonly current?: string;
  /** For shared pages and the documentation: full width, no referrer, and `embedOrigins` may frame the page. */
  readonly isLink?: boolean;
}

type PageAnswer = Extract<AdminAnswer, { kind: 'page' }> & { readonly title: string };

export type SendPage = (answer: PageAnswer, call: PageCall) => Promise<void>;

const LAYOUT = 'host-shim/admin/views/layout';
const FIELD = 'host-shim/admin/views/parts/field';

/** Matches a scheme or an origin, and nothing that could end the directive and start another. */
const FORM_TARGET = /^[a-z][a-z0-9+.-]*:(\/\/[a-z0-9._-]+(:\d+)?)?$/;

/** Allows only the same origin. Inline styles, which the editor uses, need this response's nonce. */
function contentPolicy(
  styleNonce: string,
  formTargets: readonly string[],
  framedBy: readonly string[],
): string {
  if (!formTargets.every((target) => FORM_TARGET.test(target)))
    throw new Error("A page's form target is neither a scheme nor an origin.");
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${styleNonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    `frame-ancestors ${framedBy.length === 0 ? "'none'" : framedBy.join(' ')}`,
  ].join('; ');
}

/** Browsers ask for HTML when they show a page. A script that fetches a part of a page accepts any type, and shows no notice. */
export const isShown = ({ headers: { accept = '' } }: Request): boolean => accept.includes('text/html');

const docsOf = (howTo: string | undefined): string =>
  howTo === undefined ? `${DOCS_PATH}/` : `${DOCS_PATH}/how-to/${howTo}/`;

export function createPageSender(options: PageSenderOptions): SendPage {
  const { siteName, restPrefix, pages, sessions, embedOrigins } = options;
  return async (answer, { request, response, open, current, isLink = false }) => {
    const { view, data, status = 200, title, scripts = [], styles = [], formTargets = [] } = answer;
    const styleNonce = randomBytes(16).toString('base64url');
    const zone = knownZone(open?.user.timezone ?? 'UTC');
    const language = firstLanguage(request.acceptsLanguages());
    const time = (date: Date) => {
      const text = formatShort(date, zone, language);
      return `<time datetime="${date.toISOString()}" lang="${language}" title="${formatInstant(date, zone)}">${text}</time>`;
    };
    const it = {
      ...data,
      frame: {
        siteName,
        title,
        user: open?.user,
        menu: open === undefined ? [] : pages().menuOf(open.user),
        current,
        nonce: open?.nonce,
        notice: open !== undefined && isShown(request) ? await sessions.takeNotice(request) : undefined,
        /** Without a host, because a proxy may not forward the requested one. */
        restRoot: rootOf({ home: '', restPrefix }),
        isLink,
        /** If true, the title begins with "Error", for screen readers. */
        isRefusal: status === 400 || status === 409,
        styleNonce,
        zone,
        firstPage: FIRST_PAGE,
        docs: docsOf(current === undefined ? undefined : pages().find(current)?.howTo),
        logoutAddress: `${LOGIN_PATH}?action=logout`,
        styles: ['host/admin', ...styles].map(styleUrl),
        scripts: ['host/page', ...scripts].map(assetUrl),
      },
      nonceField: open === undefined ? '' : `<input type="hidden" name="_wpnonce" value="${open.nonce}">`,
      page: pageAddress,
      number: formatCount,
      field: (field: object) => renderView(FIELD, field),
      time: (date: Date | null, otherwise = '') =>
        date !== null ? time(date) : otherwise && `<span class="muted">${otherwise}</span>`,
    } satisfies Record<TemplateValue, unknown>;
    const body = renderView(view, it);
    // Shared pages have no forms and no login, so a site that frames them cannot trick anyone into submitting something.
    const framedBy = isLink ? embedOrigins : [];
    response.setHeader('Content-Security-Policy', contentPolicy(styleNonce, formTargets, framedBy));
    response.setHeader('Cache-Control', PRIVATE);
    // With helmet's no-referrer, browsers would send "Origin: null" with our own forms.
    response.setHeader('Referrer-Policy', isLink ? 'no-referrer' : 'same-origin');
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    if (framedBy.length === 0) response.setHeader('X-Frame-Options', 'DENY');
    else response.removeHeader('X-Frame-Options');
    response.setHeader('X-Robots-Tag', 'noindex');
    response
      .status(status)
      .type('html')
      .send(renderView(LAYOUT, { ...it, body }));
  };
}

export function sendFile(
  response: Response,
  { name, type, content }: Extract<AdminAnswer, { kind: 'file' }>,
  signal: AbortSignal,
): Promise<void> {
  response.setHeader('Cache-Control', PRIVATE);
  response.attachment(name).type(type);
  return sendPieces(response, content, signal);
}

/** Browsers treat `//example.org` and `/\example.org` as other hosts. */
export const isLocalPath = (to: string): boolean => /^\/(?![/\\])[^\\\s]*$/.test(to);

/** Redirects to a path on this host, or, with `elsewhere`, to any address, which may contain a secret. */
export function sendRedirect(response: Response, to: string, elsewhere = false): void {
  if (!elsewhere && !isLocalPath(to)) throw new Error('A page tried to redirect to another host.');
  response.setHeader('Cache-Control', PRIVATE);
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.location(to).status(303).end();
}

const MESSAGE =
  'The database is unavailable at the moment. Reload this page in a few seconds. If you just submitted a form, check first whether it was saved.';

export const unavailablePage =
  (sendPage: SendPage, log: Pick<Logger, 'warn'>): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (!isUnavailable(error) || response.headersSent) return next(error);
    log.warn(
      { err: error, requestId: request.id },
      'The database did not respond while a page was being served.',
    );
    response.setHeader('Retry-After', String(UNAVAILABLE.retryAfterSeconds));
    const view = 'host-shim/admin/views/fault';
    const title = 'Temporarily unavailable';
    return sendPage(
      { kind: 'page', view, data: { message: MESSAGE }, status: 503, title },
      { request, response },
    );
  };
