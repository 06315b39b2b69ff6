// The sessions of the pages: a cookie leads to a user, and a nonce shows that a page of ours asked.
// Nobody has a session before they log in; logging in makes a new one, so an id planted earlier leads nowhere.
import type { Request, Response } from 'express';
import session from 'express-session';
import type { Knex } from 'knex';
import { findUser } from '../auth/accounts';
import type { AddressQuery, Authenticator } from '../auth/authentication';
import { type CredentialsRule, LOGIN_OVER_PLAIN_HTTP } from '../auth/caller-address';
import type { Clock, HostUser } from '../extension-api';
import { isNonce, makeNonce } from './nonce';
import { type CheckedLogin, removeEndedSessions, SessionStore } from './session-store';

export const SESSION_COOKIE = 'qal_session';

const HOUR_MS = 3_600_000;
/** How long a login lasts: until the browser closes but at most two days, or two weeks when it shall be remembered. */
const LASTS_MS = { session: 48 * HOUR_MS, remembered: 14 * 24 * HOUR_MS } as const;

/** A person in front of a page. */
export interface OpenSession {
  readonly user: HostUser;
  readonly nonce: string;
  isNonce(given: string | undefined): boolean;
}

export interface Sessions {
  /** The session of this request's cookie, while it is open, its account may log in, and cookies may travel like this. */
  read(request: Request, response: Response): Promise<OpenSession | undefined>;
  /** Opens a session for a login that was right, and what was there before is over; false where it no longer counts. */
  open(request: Request, response: Response, login: NewSession): Promise<boolean>;
  end(request: Request, response: Response): Promise<void>;
  /** Keeps a sentence for the next page. */
  leaveNotice(request: Request, notice: string): Promise<void>;
  takeNotice(request: Request): Promise<string | undefined>;
  /** REST by cookie: with a nonce that fits it is the user; without one nobody; a nonce that fits nothing is refused. */
  readonly authenticate: Authenticator;
}

export interface NewSession extends Pick<CheckedLogin, 'passwordHash' | 'userId'> {
  readonly remember: boolean;
}

export interface SessionOptions {
  readonly credentialsAllowed: CredentialsRule;
  readonly write: Knex;
  readonly clock: Clock;
  readonly secret: string;
}

export function createSessions({ write, clock, secret, credentialsAllowed }: SessionOptions): Sessions {
  const store = new SessionStore(write, clock);
  const middleware = session({
    name: SESSION_COOKIE,
    secret,
    store,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: 'auto', path: '/' },
  });

  /** Reads the cookie; once per request. */
  async function load(request: Request, response: Response): Promise<void> {
    if (request.session !== undefined) return;
    await new Promise<void>((resolve, reject) => {
      middleware(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
    });
  }

  async function read(request: Request, response: Response): Promise<OpenSession | undefined> {
    if (!hasCookie(request) || !credentialsAllowed(request)) return undefined;
    await load(request, response);
    const { userId } = request.session;
    if (userId === undefined) return undefined;
    const account = await findUser(write, userId);
    if (account === undefined || account.disabled) return undefined;
    const owner = { sessionId: request.sessionID, userId };
    return {
      user: account.user,
      nonce: makeNonce(secret, owner, clock()),
      isNonce: (given) => given !== undefined && isNonce(secret, owner, given, clock()),
    };
  }

  const destroy = (request: Request) =>
    new Promise<void>((resolve, reject) => {
      request.session.destroy((error) => (error ? reject(error) : resolve()));
    });

  const save = (request: Request) =>
    new Promise<void>((resolve, reject) => {
      request.session.save((error) => (error ? reject(error) : resolve()));
    });

  return {
    read,
    async open(request, response, { userId, passwordHash, remember }) {
      await removeEndedSessions(write, clock());
      await load(request, response);
      await new Promise<void>((resolve, reject) => {
        request.session.regenerate((error) => (error ? reject(error) : resolve()));
      });
      const lasts = remember ? LASTS_MS.remembered : LASTS_MS.session;
      const endsAt = new Date(clock().getTime() + lasts).toISOString();
      request.session.userId = userId;
      if (remember) request.session.cookie.maxAge = lasts;
      if (!(await store.create(request.sessionID, request.session, { userId, passwordHash, endsAt }))) {
        await destroy(request);
        return false;
      }
      await save(request);
      return true;
    },
    async end(request, response) {
      await load(request, response);
      await destroy(request);
      response.clearCookie(SESSION_COOKIE, { path: '/', httpOnly: true, sameSite: 'lax' });
    },
    async leaveNotice(request, notice) {
      // The one character that the database cannot keep.
      request.session.notice = notice.replaceAll('\0', '\ufffd');
      await save(request);
    },
    async takeNotice(request) {
      const { notice } = request.session;
      if (notice === undefined) return undefined;
      delete request.session.notice;
      await save(request);
      return notice;
    },
    authenticate: async (request, response, query) => {
      const given = nonceOf(request, query);
      if (given === undefined) return { kind: 'anonymous' };
      const open = await read(request, response);
      if (open !== undefined)
        return open.isNonce(given)
          ? { kind: 'user', user: open.user, freshNonce: open.nonce }
          : { kind: 'bad-nonce' };
      // Without a session of ours the header has the word, where there is one.
      if (request.headers.authorization) return { kind: 'anonymous' };
      if (hasCookie(request) && !credentialsAllowed(request)) return REFUSED_OVER_PLAIN_HTTP;
      // A nonce whose session is over is a bad one: the page is told to reload, and that leads to the login.
      return { kind: 'bad-nonce' };
    },
  };
}

const hasCookie = ({ headers }: Request): boolean => (headers.cookie ?? '').includes(`${SESSION_COOKIE}=`);

const REFUSED_OVER_PLAIN_HTTP = {
  kind: 'refused',
  reason: LOGIN_OVER_PLAIN_HTTP,
  candid: { code: 'rest_not_logged_in', message: LOGIN_OVER_PLAIN_HTTP },
} as const;

/** In the address, as links carry it, before the header, as WordPress looks for it. A list of them is none that fits. */
function nonceOf(request: Request, { _wpnonce: inAddress }: AddressQuery): string | undefined {
  if (inAddress === undefined) return request.get('x-wp-nonce');
  return typeof inAddress === 'string' ? inAddress : '';
}
