// Browser sessions. There is no session before login, and each login creates a new one, so session fixation is impossible.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import session from 'express-session';
import type { Knex } from 'knex';
import { findUser } from '../accounts/accounts';
import type { RandomBytes } from '../auth/application-password';
import type { AddressQuery, Authenticator } from '../auth/authentication';
import { type CredentialsRule, LOGIN_OVER_PLAIN_HTTP } from '../auth/caller-address';
import { isSameLogin, type LoginHeader, namedAccount } from '../auth/login-header';
import { findSecondFactor } from '../auth/second-factor';
import type { Clock, HostUser, SecondFactorNeed } from '../extension-api';
import { readHostSecret } from './host-secret';
import { type CheckedLogin, removeEndedSessions, SessionStore, sessionKeyOf } from './session-store';

export const SESSION_COOKIE = 'qal_session';

const HOUR_MS = 3_600_000;
/** Until the browser is closed, but at most two days; two weeks with "Stay logged in". */
const LIFETIMES_MS = { session: 48 * HOUR_MS, remembered: 14 * 24 * HOUR_MS } as const;

export interface OpenSession {
  readonly user: HostUser;
  readonly nonce: string;
  /** The key under which the session is stored. */
  readonly key: string;
  readonly secondFactor: SecondFactorNeed;
  isNonce(given: string | undefined): boolean;
}

export interface Sessions {
  /** undefined if there is no session, the account may not log in, or the connection is not safe for cookies. */
  read(request: Request, response: Response): Promise<OpenSession | undefined>;
  /** Ends any earlier session. Returns false if the login is no longer valid. */
  open(request: Request, response: Response, login: NewSession): Promise<boolean>;
  end(request: Request, response: Response): Promise<void>;
  /** Stores a message for the next page. */
  leaveNotice(request: Request, notice: string): Promise<void>;
  takeNotice(request: Request): Promise<string | undefined>;
  /** REST requests with a cookie: a user if the nonce is valid, anonymous without a nonce, refused if the nonce is invalid. */
  readonly authenticate: Authenticator;
}

export interface NewSession extends Omit<CheckedLogin, 'endsAt'> {
  readonly remember: boolean;
}

interface SessionOptions {
  readonly credentialsAllowed: CredentialsRule;
  readonly write: Knex;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly loginHeader?: LoginHeader | undefined;
  readonly adminSecondFactor?: boolean | undefined;
}

const promised = (call: (done: (error?: unknown) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));

export async function createSessions(options: SessionOptions): Promise<Sessions> {
  const { write, clock, credentialsAllowed } = options;
  const secret = await readHostSecret(write, 'sessions', options.randomBytes);
  const store = new SessionStore(write, clock);
  const middleware = session({
    name: SESSION_COOKIE,
    secret,
    store,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: 'auto', path: '/' },
  });
  const load = async (request: Request, response: Response): Promise<void> => {
    if (request.session === undefined) await promised((done) => middleware(request, response, done));
  };
  const save = (request: Request) => promised((done) => request.session.save(done));
  const destroy = (request: Request) => promised((done) => request.session.destroy(done));

  /** A proxy that logs people in is responsible for their second factor. */
  async function secondFactorNeed({ id, role }: HostUser, isByHeader: boolean): Promise<SecondFactorNeed> {
    if (options.adminSecondFactor !== true || role !== 'administrator' || isByHeader) return 'optional';
    return (await findSecondFactor(write, id)) === undefined ? 'missing' : 'required';
  }

  async function read(request: Request, response: Response): Promise<OpenSession | undefined> {
    if (!hasCookie(request) || !credentialsAllowed(request)) return undefined;
    await load(request, response);
    const { userId, isByHeader = false } = request.session;
    if (userId === undefined) return undefined;
    const account = await findUser(write, userId);
    if (account === undefined || account.disabled) return undefined;
    const { user } = account;
    if (isByHeader && !isSameLogin(namedAccount(request, options.loginHeader) ?? '', user.login))
      return undefined;
    const owner = { sessionId: request.sessionID, userId };
    return {
      user,
      key: sessionKeyOf(request.sessionID),
      secondFactor: await secondFactorNeed(user, isByHeader),
      nonce: createNonce(secret, owner, clock()),
      isNonce: (given) => given !== undefined && isNonce(secret, owner, given, clock()),
    };
  }

  return {
    read,
    async open(request, response, { userId, passwordHash, by, remember }) {
      await removeEndedSessions(write, clock());
      await load(request, response);
      await promised((done) => request.session.regenerate(done));
      const lifetime = remember ? LIFETIMES_MS.remembered : LIFETIMES_MS.session;
      const endsAt = new Date(clock().getTime() + lifetime).toISOString();
      request.session.userId = userId;
      request.session.isByHeader = by === 'header';
      if (remember) request.session.cookie.maxAge = lifetime;
      if (await store.create(request.sessionID, request.session, { userId, passwordHash, by, endsAt })) {
        await save(request);
        return true;
      }
      await destroy(request);
      return false;
    },
    async end(request, response) {
      await load(request, response);
      await destroy(request);
      response.clearCookie(SESSION_COOKIE, { path: '/', httpOnly: true, sameSite: 'lax' });
    },
    async leaveNotice(request, notice) {
      // PostgreSQL cannot store this character.
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
    async authenticate(request, response, query) {
      const given = nonceOf(request, query);
      if (given === undefined) return { kind: 'anonymous' };
      const open = await read(request, response);
      if (open?.secondFactor === 'missing' && open.isNonce(given)) return REFUSED_WITHOUT_FACTOR;
      if (open !== undefined)
        return open.isNonce(given)
          ? { kind: 'user', user: open.user, freshNonce: open.nonce }
          : { kind: 'bad-nonce' };
      // Without a session, the Authorization header is checked.
      if (request.headers.authorization) return { kind: 'anonymous' };
      if (hasCookie(request) && !credentialsAllowed(request)) return REFUSED_OVER_PLAIN_HTTP;
      // The session has ended. The response asks the user to reload the page, which then shows the login form.
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

const SET_UP_FIRST = 'Administrators need a second factor: set it up on the Profile page first.';

const REFUSED_WITHOUT_FACTOR = {
  kind: 'refused',
  reason: SET_UP_FIRST,
  proved: true,
  candid: { code: 'rest_not_logged_in', message: SET_UP_FIRST },
} as const;

/** As in WordPress, the query takes precedence over the header. A list is never valid. */
function nonceOf(request: Request, { _wpnonce: inAddress }: AddressQuery): string | undefined {
  if (inAddress === undefined) return request.get('x-wp-nonce');
  return typeof inAddress === 'string' ? inAddress : '';
}

const HALF_LIFE_MS = 12 * 3_600_000;
const NONCE_LENGTH = 27;

interface NonceOwner {
  readonly sessionId: string;
  readonly userId: number;
}

const tickOf = (now: Date) => Math.floor(now.getTime() / HALF_LIFE_MS);

function sign(secret: string, { sessionId, userId }: NonceOwner, tick: number): string {
  return createHmac('sha256', secret)
    .update(`nonce|${tick}|${userId}|${sessionId}`)
    .digest('base64url')
    .slice(0, NONCE_LENGTH);
}

export function createNonce(secret: string, owner: NonceOwner, now: Date): string {
  return sign(secret, owner, tickOf(now));
}

export function isNonce(secret: string, owner: NonceOwner, given: string, now: Date): boolean {
  return [tickOf(now), tickOf(now) - 1].some((tick) => {
    const expected = Buffer.from(sign(secret, owner, tick));
    const received = Buffer.from(given);
    return expected.length === received.length && timingSafeEqual(expected, received);
  });
}
