// The pages under /wp-admin/: session -> page -> may this person -> was it asked from a page of ours -> the page's handler.
// request -> HTML or a redirect; a fault of the caller becomes a page with its status, one of ours a page with the request id.
import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Logger } from 'pino';
import {
  ADMIN_PATH,
  type AdminAnswer,
  type AdminPage,
  type HostUser,
  PageError,
  pageAddress,
} from '../extension-api';
import type { Extensions } from '../extensions/extensions';
import { maySee, refuseUntaken } from '../extensions/page-registry';
import { LOGIN_PATH } from '../page-addresses';
import { homeOf, PRIVATE } from '../rest/rest-handler';
import { rootOf } from '../rest/self-description';
import type { OpenSession, Sessions } from '../sessions/sessions';
import { ASSETS_PATH, serveAssets } from './assets';
import { renderPage } from './page-frame';
import { formOf, readForm } from './read-form';
import { sendRedirect } from './redirect';
import { isFromHere } from './same-origin';

export interface AdminOptions {
  readonly siteName: string;
  readonly restPrefix: string;
  readonly extensions: Extensions;
  readonly sessions: Sessions;
  readonly log: Logger;
}

/** What the page around an answer needs besides the answer. */
export interface Surroundings {
  readonly request: Request;
  readonly response: Response;
  readonly open?: OpenSession | undefined;
  readonly current?: string;
}

type PageAnswer = Extract<AdminAnswer, { kind: 'page' }>;

export interface PageSender {
  send(answer: PageAnswer & { readonly title: string }, around: Surroundings): Promise<void>;
}

export const queryOf = ({ url }: Request): Record<string, string> => {
  const mark = url.indexOf('?');
  return mark < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(mark)));
};

export function createPageSender(options: AdminOptions): PageSender {
  const { siteName, restPrefix, extensions, sessions } = options;
  return {
    async send({ view, data, status = 200, title, scripts = [], styles = [], formTargets }, around) {
      const { request, response, open, current } = around;
      const { html, policy } = renderPage(
        view,
        data,
        {
          siteName,
          title,
          user: open?.user,
          menu: open === undefined ? [] : extensions.current().pages.menuOf(open.user),
          current,
          nonce: open?.nonce,
          notice: open === undefined ? undefined : await sessions.takeNotice(request),
          restRoot: rootOf({ home: homeOf(request), restPrefix }),
          scripts,
          styles,
          isRefusal: status === 400 || status === 409,
        },
        formTargets,
      );
      response.setHeader('Content-Security-Policy', policy);
      response.setHeader('Cache-Control', PRIVATE);
      // With helmet's no-referrer a browser would send "Origin: null" with our own forms.
      response.setHeader('Referrer-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
      response.setHeader('X-Frame-Options', 'DENY');
      response.setHeader('X-Robots-Tag', 'noindex');
      response.status(status).type('html').send(html);
    },
  };
}

/** The router of everything below /wp-admin. */
export function createAdminApp(options: AdminOptions, pages: PageSender): Router {
  const { extensions, sessions, log } = options;
  const router = Router();

  async function sendFault(status: number, message: string, around: Surroundings): Promise<void> {
    const title = TITLES[status] ?? 'Something went wrong';
    await pages.send(
      { kind: 'page', view: 'host-shim/admin/views/fault', data: { title, message }, status, title },
      around,
    );
  }

  function requestFor(request: Request, words: readonly string[], user: HostUser) {
    const home = homeOf(request);
    const gone = new AbortController();
    request.res?.on('close', () => gone.abort());
    return {
      method: request.method === 'POST' ? ('POST' as const) : ('GET' as const),
      words,
      query: queryOf(request),
      form: formOf(request),
      user,
      home,
      restRoot: rootOf({ home, restPrefix: options.restPrefix }),
      signal: gone.signal,
    };
  }

  async function answer(page: AdminPage, words: readonly string[], around: Surroundings, open: OpenSession) {
    const { request, response } = around;
    const result = await page.handle(requestFor(request, words, open.user));
    if (result.kind === 'page') {
      await pages.send({ ...result, title: result.title ?? page.title }, around);
      return;
    }
    if (result.notice !== undefined) await sessions.leaveNotice(request, result.notice);
    sendRedirect(response, result.to, result.elsewhere);
  }

  async function handle(request: Request, response: Response): Promise<void> {
    const open = await sessions.read(request, response);
    if (open === undefined) {
      sendRedirect(response, `${LOGIN_PATH}?redirect_to=${encodeURIComponent(request.originalUrl)}`);
      return;
    }
    const [slug = '', ...words] = wordsOf(request);
    const registered = extensions.current().pages;
    if (slug === '') {
      const first = registered.menuOf(open.user)[0]?.pages[0];
      sendRedirect(response, pageAddress(first?.slug ?? 'profile'));
      return;
    }
    const page = registered.find(slug);
    const around = { request, response, open, current: slug };
    const notTaken = page && refuseUntaken(page, request.method, words);
    if (page === undefined) {
      await sendFault(404, 'There is no such page.', around);
    } else if (!maySee(open.user, page)) {
      await sendFault(403, 'Your account may not see this page.', around);
    } else if (notTaken !== undefined) {
      await sendFault(notTaken.status, notTaken.message, around);
    } else if (request.method === 'POST' && !(isFromHere(request) && hasNonce(request, open))) {
      await sendFault(
        403,
        'This form is too old, or was not ours: nothing was changed. Go back, reload, and try again.',
        around,
      );
    } else {
      await answer(page, words, around, open);
    }
  }

  router.use(ASSETS_PATH.slice(ADMIN_PATH.length), serveAssets());
  router.use(readForm, (request: Request, response: Response, next: NextFunction) => {
    if (!['GET', 'HEAD', 'POST'].includes(request.method)) {
      next();
      return;
    }
    handle(request, response)
      .catch(async (error: unknown) => {
        // Whoever asked has gone away; what was being done for them ended with that.
        if (response.closed) return;
        const [current = ''] = wordsOf(request);
        const around = { request, response, open: await sessions.read(request, response), current };
        if (error instanceof PageError) {
          await sendFault(error.status, error.message, around);
          return;
        }
        log.error({ err: error, requestId: request.id }, 'A page failed here.');
        const message = `The page failed here; the log has the details under the request id ${request.id}.`;
        await sendFault(500, message, around);
      })
      .catch(next);
  });
  return router;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'That cannot be done',
  403: 'Not allowed',
  404: 'Not found',
  409: 'That cannot be done',
};

const hasNonce = (request: Request, open: OpenSession): boolean =>
  open.isNonce(formOf(request).get('_wpnonce') ?? undefined);

/** Of the path below /wp-admin. */
const wordsOf = ({ path }: Request): string[] => path.split('/').filter(Boolean).map(decodeWord);

function decodeWord(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
