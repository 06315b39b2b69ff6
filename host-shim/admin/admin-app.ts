// The pages under /wp-admin/: session -> page -> permission -> form nonce -> handler.
import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Logger } from 'pino';
import {
  ADMIN_PATH,
  type AdminAnswer,
  type AdminPage,
  isUnavailable,
  PageError,
  pageAddress,
} from '../extension-api';
import { maySee, type PageRegistry, refuseUnsupported } from '../extensions/page-registry';
import { homeOf, signalOf } from '../rest/rest-handler';
import { decodePath } from '../rest/route-address';
import { nameRoute } from '../rest/route-name';
import { rootOf } from '../rest/self-description';
import { LOGIN_PATH } from '../server/page-addresses';
import type { OpenSession, Sessions } from '../sessions/sessions';
import { ASSETS_PATH, serveAssets } from './assets';
import { formOf, isSameOrigin, queryOf, readForm } from './form-request';
import { SECOND_FACTOR_ADDRESS } from './pages/second-factor-page';
import { isShown, type PageCall, type SendPage, sendFile, sendRedirect } from './send-page';

interface AdminOptions {
  readonly restPrefix: string;
  pages(): PageRegistry;
  readonly sessions: Sessions;
  readonly sendPage: SendPage;
  readonly log: Logger;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'That cannot be done',
  403: 'Not allowed',
  404: 'Not found',
  409: 'That cannot be done',
};

const wordsOf = ({ path }: Request): string[] => path.split('/').filter(Boolean).map(decodePath);

const hasNonce = (request: Request, open: OpenSession): boolean =>
  open.isNonce(formOf(request).get('_wpnonce') ?? undefined);

export function createAdminApp({ restPrefix, pages, sessions, sendPage, log }: AdminOptions): Router {
  const sendFault = (status: number, message: string, call: PageCall): Promise<void> => {
    const title = TITLES[status] ?? 'Something went wrong';
    return sendPage(
      { kind: 'page', view: 'host-shim/admin/views/fault', data: { message }, status, title },
      call,
    );
  };

  async function answer(page: AdminPage, words: readonly string[], call: PageCall, open: OpenSession) {
    const { request, response } = call;
    const home = homeOf(request);
    const signal = signalOf(response);
    const result = await page.handle({
      method: request.method === 'POST' ? 'POST' : 'GET',
      words,
      query: queryOf(request),
      form: formOf(request),
      user: open.user,
      session: open,
      home,
      restRoot: rootOf({ home, restPrefix }),
      signal,
    });
    if (result.kind === 'page') return sendPage({ ...result, title: result.title ?? page.title }, call);
    if (result.kind === 'file') return sendFile(response, result, signal);
    return redirect(result, call);
  }

  async function redirect(
    { to, elsewhere, notice }: Extract<AdminAnswer, { kind: 'redirect' }>,
    { request, response }: PageCall,
  ): Promise<void> {
    if (notice !== undefined) await sessions.leaveNotice(request, notice);
    sendRedirect(response, to, elsewhere);
  }

  async function handle(request: Request, response: Response): Promise<void> {
    const open = await sessions.read(request, response);
    if (open === undefined)
      return sendRedirect(response, `${LOGIN_PATH}?redirect_to=${encodeURIComponent(request.originalUrl)}`);
    const [slug, ...words] = wordsOf(request);
    if (open.secondFactor === 'missing' && [slug, ...words].join('/') !== 'profile/second-factor')
      return sendRedirect(response, SECOND_FACTOR_ADDRESS);
    if (slug === undefined) {
      const first = pages().menuOf(open.user)[0]?.pages[0];
      return sendRedirect(response, pageAddress(first?.slug ?? 'profile'));
    }
    const page = pages().find(slug);
    if (page !== undefined) nameRoute(response, pageAddress(page.slug));
    const call = { request, response, open, current: slug };
    if (page === undefined) return sendFault(404, 'There is no such page.', call);
    if (!maySee(open.user, page))
      return sendFault(403, 'Your account does not have permission to see this page.', call);
    const refusal = refuseUnsupported(page, request.method, words);
    if (refusal !== undefined) return sendFault(refusal.status, refusal.message, call);
    if (request.method === 'POST' && !(isSameOrigin(request) && hasNonce(request, open)))
      return sendFault(
        403,
        'This form is too old or did not come from this site; nothing was changed. Go back, reload, and try again.',
        call,
      );
    return answer(page, words, call, open);
  }

  async function answerError(error: unknown, request: Request, response: Response): Promise<void> {
    // The client has disconnected, so the work for it was stopped.
    if (response.closed) return;
    if (isUnavailable(error)) throw error;
    const [current = ''] = wordsOf(request);
    const call = { request, response, open: await sessions.read(request, response), current };
    if (error instanceof PageError) {
      const { message, status, to } = error;
      const isForm = request.method === 'POST' && isShown(request);
      if (to === undefined || !isForm) return sendFault(status, message, call);
      return redirect({ kind: 'redirect', to, notice: message }, call);
    }
    log.error({ err: error, requestId: request.id }, 'A page failed on the server.');
    if (response.headersSent) return void response.destroy();
    const message = `The page failed on the server; the log has the details under the request id ${request.id}.`;
    return sendFault(500, message, call);
  }

  return Router()
    .use(ASSETS_PATH.slice(ADMIN_PATH.length), serveAssets())
    .use(readForm, (request: Request, response: Response, next: NextFunction) =>
      ['GET', 'HEAD', 'POST'].includes(request.method)
        ? handle(request, response).catch((error: unknown) => answerError(error, request, response))
        : next(),
    );
}

export function createLinkApp(pages: () => PageRegistry, sendPage: SendPage): Router {
  async function answer(
    request: Request<{ slug: string }>,
    response: Response,
    next: NextFunction,
  ): Promise<void> {
    const page = pages().find(request.params.slug);
    const method = request.method === 'POST' ? 'POST' : 'GET';
    const forLinks = method === 'GET' ? page?.forLinks?.() : undefined;
    const shown = forLinks ?? (await page?.forRecipients?.({ method, query: queryOf(request) }));
    if (page === undefined || shown === undefined) return next();
    const call = { request, response, isLink: forLinks !== undefined };
    return sendPage({ ...shown, title: shown.title ?? page.title }, call);
  }

  const router = Router();
  router.route('/:slug').get(answer).post(answer);
  return router;
}
