// /wp-login.php. If the connection is not safe for credentials, the page explains what to do.
import { type NextFunction, type Request, type Response, Router } from 'express';
import { type CredentialsRule, callerAddress, LOGIN_OVER_PLAIN_HTTP } from '../auth/caller-address';
import type { HeaderLogin } from '../auth/login-header';
import { ask } from '../extension-api';
import { FIRST_PAGE, LOGIN_PATH } from '../server/page-addresses';
import type { LoginAttempt, LoginOutcome, TooMany } from '../sessions/log-in';
import type { SecondStep } from '../sessions/second-step';
import type { NewSession, Sessions } from '../sessions/sessions';
import { formOf, isSameOrigin, queryOf, readForm } from './form-request';
import { isLocalPath, type SendPage, sendRedirect } from './send-page';

interface LoginAppOptions {
  readonly sessions: Sessions;
  readonly sendPage: SendPage;
  login(attempt: LoginAttempt): Promise<LoginOutcome>;
  readonly secondStep: SecondStep;
  readonly credentialsAllowed: CredentialsRule;
  /** Finds the account named in a proxy's header. */
  byHeader(request: Request): Promise<HeaderLogin>;
  /** Called after each login, with the browser's time zone if it was sent. */
  onLogin(userId: number, timezone: string): Promise<void>;
}

const LOGGED_OUT: Readonly<Record<string, string>> = {
  true: 'You have been logged out.',
  everywhere: 'You have been logged out everywhere.',
  password:
    'Your login password has been changed, and you have been logged out everywhere. Log in with the new one.',
};

/** Any address that is not a local path is replaced with the first page. */
const safeTarget = (target: string | undefined | null): string =>
  target && isLocalPath(target) ? target : FIRST_PAGE;

interface LoginFault {
  readonly status: number;
  readonly message: string;
}

const WRONG: LoginFault = {
  status: 401,
  message: 'Unknown user or wrong password. An application password is not accepted here.',
};
const GUARDED = { address: 'from this address', account: 'for this account' } as const;

const tooMany = ({ of, retryAfterSeconds }: TooMany): LoginFault => ({
  status: 429,
  message: `Too many failed logins ${GUARDED[of]}; try again in ${retryAfterSeconds} s.`,
});

const WRONG_CODE: LoginFault = {
  status: 401,
  message: 'That code is wrong, was already used, or is too old. Try the next one.',
};
const EXPIRED: LoginFault = { status: 401, message: 'That took too long. Log in again.' };

interface ShownLogin {
  readonly status?: number;
  readonly message?: string;
  readonly notice?: string | undefined;
  readonly login?: string;
  readonly remember?: boolean;
  /** If set, the form for the second step is shown. */
  readonly token?: string;
  readonly target: string;
}

export function createLoginApp(options: LoginAppOptions): Router {
  const { sessions, sendPage, login, secondStep, credentialsAllowed, byHeader, onLogin } = options;

  function show(request: Request, response: Response, { status = 200, ...shown }: ShownLogin): Promise<void> {
    const data = { login: '', ...shown, loginPath: LOGIN_PATH };
    const [view, title] = shown.token === undefined ? ['login', 'Log in'] : ['login-code', 'Second factor'];
    return sendPage(
      { kind: 'page', view: `host-shim/admin/views/${view}`, data, status, title, scripts: ['host/login'] },
      { request, response },
    );
  }

  /** Returns false if, in the meantime, the password or the second factor has changed or the account has been disabled. */
  async function open(request: Request, response: Response, opened: NewSession, target: string) {
    if (!(await sessions.open(request, response, opened))) return false;
    await onLogin(opened.userId, formOf(request).get('timezone') ?? '');
    sendRedirect(response, target);
    return true;
  }

  async function checkCode(request: Request, response: Response, token: string): Promise<void> {
    const form = formOf(request);
    const target = safeTarget(form.get('redirect_to'));
    const outcome = await secondStep.finish({
      token,
      code: form.get('code') ?? '',
      address: callerAddress(request),
      requestId: String(request.id),
    });
    if (outcome.kind === 'too-many') {
      response.setHeader('Retry-After', String(outcome.retryAfterSeconds));
      return show(request, response, { ...tooMany(outcome), token, target });
    }
    if (outcome.kind === 'wrong') return show(request, response, { ...WRONG_CODE, token, target });
    if (
      outcome.kind === 'user' &&
      (await open(request, response, { ...outcome, by: 'second factor' }, target))
    )
      return;
    return show(request, response, { ...EXPIRED, target });
  }

  async function logIn(request: Request, response: Response): Promise<void> {
    const form = formOf(request);
    const name = form.get('log')?.trim() ?? '';
    const target = safeTarget(form.get('redirect_to'));
    const remember = form.get('rememberme') === 'forever';
    const refuse = (fault: LoginFault) =>
      show(request, response, { ...fault, login: name, remember, target });
    if (!isSameOrigin(request))
      return show(request, response, {
        status: 403,
        message: 'The form was sent from another site: nothing was done.',
        target,
      });
    if (!credentialsAllowed(request))
      return show(request, response, { status: 403, message: LOGIN_OVER_PLAIN_HTTP, target });
    const token = form.get('token');
    if (token !== null) return checkCode(request, response, token);
    const outcome = await login({
      login: name,
      password: form.get('pwd') ?? '',
      address: callerAddress(request),
      requestId: String(request.id),
    });
    if (outcome.kind === 'too-many') {
      response.setHeader('Retry-After', String(outcome.retryAfterSeconds));
      return refuse(tooMany(outcome));
    }
    if (outcome.kind === 'wrong') return refuse(WRONG);
    const { userId, passwordHash } = outcome;
    const pendingToken = await secondStep.begin({ userId, passwordHash, remember });
    if (pendingToken !== undefined) return show(request, response, { token: pendingToken, target });
    const opened = { userId, passwordHash, by: 'password', remember } as const;
    if (!(await open(request, response, opened, target))) return refuse(WRONG);
  }

  /** Returns true if it has sent a response. Not called after a logout, because the header would log the user in again. */
  async function logInByHeader(request: Request, response: Response, target: string): Promise<boolean> {
    const found = await byHeader(request);
    if (found.kind === 'none') return false;
    if (
      found.kind === 'user' &&
      (await open(request, response, { ...found, by: 'header', remember: false }, target))
    )
      return true;
    const message = `The proxy names the account “${found.named}”, which does not exist here or is disabled.`;
    await show(request, response, { status: 403, message, target });
    return true;
  }

  /** Asks for confirmation on a page with a nonce, unless the request has a valid one. */
  async function logOut(request: Request, response: Response): Promise<void> {
    const open = await sessions.read(request, response);
    const isOwnForm = request.method === 'POST' && isSameOrigin(request);
    if (open !== undefined && !(isOwnForm && open.isNonce(formOf(request).get('_wpnonce') ?? undefined))) {
      const about = 'You are still logged in. Do you want to log out?';
      const question = ask({ title: 'Log out', about, button: 'Log out', cancel: FIRST_PAGE });
      const status = request.method === 'POST' ? 403 : 200;
      return sendPage({ ...question, status }, { request, response, open });
    }
    if (open !== undefined) await sessions.end(request, response);
    sendRedirect(response, `${LOGIN_PATH}?loggedout=true`);
  }

  async function handle(request: Request, response: Response): Promise<void> {
    const { action, redirect_to, loggedout = '' } = queryOf(request);
    if (action === 'logout') return logOut(request, response);
    if (request.method === 'POST') return logIn(request, response);
    const target = safeTarget(redirect_to);
    if ((await sessions.read(request, response)) !== undefined) return sendRedirect(response, target);
    if (!credentialsAllowed(request))
      return show(request, response, { target, message: LOGIN_OVER_PLAIN_HTTP });
    if (loggedout === '' && (await logInByHeader(request, response, target))) return;
    const notice = Object.hasOwn(LOGGED_OUT, loggedout) ? LOGGED_OUT[loggedout] : undefined;
    return show(request, response, { target, notice });
  }

  return Router().use(readForm, (request: Request, response: Response, next: NextFunction) =>
    ['GET', 'HEAD', 'POST'].includes(request.method) ? handle(request, response) : next(),
  );
}
