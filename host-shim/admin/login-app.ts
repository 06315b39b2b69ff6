// /wp-login.php: the login with the login password, and the way out.
// Cookies travel like credentials: where these are not accepted, nobody can log in, and the page says what to do.
import { type NextFunction, type Request, type Response, Router } from 'express';
import { type CredentialsRule, callerAddress, LOGIN_OVER_PLAIN_HTTP } from '../auth/caller-address';
import type { HostUser } from '../extension-api';
import { FIRST_PAGE, LOGIN_PATH } from '../page-addresses';
import type { LoginAttempt, LoginOutcome } from '../sessions/log-in';
import type { OpenSession, Sessions } from '../sessions/sessions';
import { type PageSender, queryOf } from './admin-app';
import { formOf, readForm } from './read-form';
import { isLocalPath, sendRedirect } from './redirect';
import { isFromHere } from './same-origin';

export interface LoginAppOptions {
  readonly sessions: Sessions;
  readonly pages: PageSender;
  login(attempt: LoginAttempt): Promise<LoginOutcome>;
  readonly credentialsAllowed: CredentialsRule;
  /** Told after each login. */
  onLogin(userId: HostUser['id']): Promise<void>;
}

/** Why somebody stands before the login again: word of the address -> sentence. */
const LOGGED_OUT: Readonly<Record<string, string>> = {
  true: 'You are logged out.',
  everywhere: 'You are logged out everywhere.',
  password: 'Your login password is changed, and you are logged out everywhere. Log in with the new one.',
};
const LOGOUT_ADDRESS = `${LOGIN_PATH}?action=logout`;
const NOT_HERE = 'The form was sent from another site: nothing was done.';

/** A path of this host; anything else leads to the first page. */
export function safeTarget(asked: string | undefined | null): string {
  return asked !== undefined && asked !== null && isLocalPath(asked) ? asked : FIRST_PAGE;
}

interface LoginFault {
  readonly status: number;
  readonly message: string;
}

const WRONG: LoginFault = {
  status: 401,
  message: 'Unknown user or wrong password. An application password is not accepted here.',
};
const TOO_MANY_OF = { address: 'from this address', account: 'of this account' } as const;

const faultOf = (outcome: Exclude<LoginOutcome, { kind: 'user' }>): LoginFault =>
  outcome.kind === 'wrong'
    ? WRONG
    : {
        status: 429,
        message: `Too many failed logins ${TOO_MANY_OF[outcome.of]}; try again in ${outcome.retryAfterSeconds} s.`,
      };

export function createLoginApp(options: LoginAppOptions): Router {
  const { sessions, pages } = options;
  const router = Router();

  function show(
    request: Request,
    response: Response,
    shown: {
      status?: number;
      message?: string;
      notice?: string | undefined;
      login?: string;
      remember?: boolean;
      target: string;
      open?: OpenSession | undefined;
    },
  ): Promise<void> {
    const { status = 200, message, notice, login = '', remember = false, target, open } = shown;
    return pages.send(
      {
        kind: 'page',
        view: 'host-shim/admin/views/login',
        data: { message, notice, login, remember, target, loginPath: LOGIN_PATH },
        status,
        title: 'Log in',
      },
      { request, response, open },
    );
  }

  async function logIn(request: Request, response: Response): Promise<void> {
    const form = formOf(request);
    const login = form.get('log')?.trim() ?? '';
    const target = safeTarget(form.get('redirect_to'));
    const remember = form.get('rememberme') === 'forever';
    if (!isFromHere(request)) return show(request, response, { status: 403, message: NOT_HERE, target });
    if (!options.credentialsAllowed(request))
      return show(request, response, { status: 403, message: LOGIN_OVER_PLAIN_HTTP, target });
    const outcome = await options.login({
      login,
      password: form.get('pwd') ?? '',
      address: callerAddress(request),
      requestId: String(request.id),
    });
    if (outcome.kind === 'too-many') response.setHeader('Retry-After', String(outcome.retryAfterSeconds));
    if (outcome.kind !== 'user')
      return show(request, response, { ...faultOf(outcome), login, remember, target });
    const { userId, passwordHash } = outcome;
    // The password was changed, or the account disabled, while it was being checked.
    if (!(await sessions.open(request, response, { userId, passwordHash, remember })))
      return show(request, response, { ...WRONG, login, remember, target });
    await options.onLogin(userId);
    sendRedirect(response, target);
  }

  /** Whoever is logged in and cannot show a nonce that fits is asked again, on a page that has one. */
  async function logOut(request: Request, response: Response): Promise<void> {
    const open = await sessions.read(request, response);
    const isAsked = request.method === 'POST' && isFromHere(request);
    if (open !== undefined && !(isAsked && open.isNonce(formOf(request).get('_wpnonce') ?? undefined))) {
      return pages.send(
        {
          kind: 'page',
          view: 'host-shim/admin/views/log-out',
          data: { address: LOGOUT_ADDRESS },
          status: request.method === 'POST' ? 403 : 200,
          title: 'Log out',
        },
        { request, response, open },
      );
    }
    if (open !== undefined) await sessions.end(request, response);
    sendRedirect(response, `${LOGIN_PATH}?loggedout=true`);
  }

  async function handle(request: Request, response: Response): Promise<void> {
    const { action, redirect_to, loggedout = '' } = queryOf(request);
    if (action === 'logout') return logOut(request, response);
    if (request.method === 'POST') return logIn(request, response);
    const target = safeTarget(redirect_to);
    const open = await sessions.read(request, response);
    if (open !== undefined) {
      sendRedirect(response, target);
      return;
    }
    const allowed = options.credentialsAllowed(request);
    const notice = Object.hasOwn(LOGGED_OUT, loggedout) ? LOGGED_OUT[loggedout] : undefined;
    return show(request, response, allowed ? { target, notice } : { target, message: LOGIN_OVER_PLAIN_HTTP });
  }

  router.use(readForm, (request: Request, response: Response, next: NextFunction) => {
    if (['GET', 'HEAD', 'POST'].includes(request.method)) handle(request, response).catch(next);
    else next();
  });
  return router;
}
