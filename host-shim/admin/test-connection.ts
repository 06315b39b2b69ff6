// GET /wp-admin/test-connection: what became of the Authorization header of this very request, and what to do about it.
// It asks the authenticator that REST asks, behind the same guard; it answers 200 with JSON and never a challenge.
// Addresses, and advice that names one, are told to people of this host alone: by a right secret, or by their session.
import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Authenticator, AuthOutcome } from '../auth/authentication';
import { readBasicHeader } from '../auth/basic-header';
import {
  type CredentialsRule,
  callerAddress,
  forwardingHeaders,
  isBelieved,
  peerAddress,
} from '../auth/caller-address';
import { type HostUser, pageAddress } from '../extension-api';

export const TEST_CONNECTION_PATH = pageAddress('test-connection');

export interface ConnectionTestOptions {
  /** Application passwords only. */
  readonly authenticate: Authenticator;
  /** Tells a wrong user from a wrong application password. */
  readonly candid: boolean;
  readonly credentialsAllowed: CredentialsRule;
  /** Whether somebody who is logged in on the pages asks. It lets nobody in here. */
  hasSession(request: Request, response: Response): Promise<boolean>;
}

/** How the request came in. */
interface Connection {
  readonly protocol: string;
  readonly host: string;
  /** The caller's, as far as proxies in front are believed; null for strangers. */
  readonly address: string | null;
  /** Where the connection itself comes from, the caller or the last proxy; null for strangers. */
  readonly peer: string | null;
  /** Names of the headers that proxies add. */
  readonly forwarded: readonly string[];
  /** Whether what these headers say is believed. */
  readonly proxyTrusted: boolean;
  /** Whether an application password may travel on it. */
  readonly credentialsAccepted: boolean;
}

export interface ConnectionReport {
  readonly header: { readonly arrived: boolean; readonly scheme: string | null };
  readonly connection: Connection;
  readonly outcome: 'accepted' | 'refused' | 'nothing-sent';
  readonly user: { readonly login: string; readonly name: string; readonly sites: HostUser['sites'] } | null;
  /** Name of the application password. */
  readonly applicationPassword: string | null;
  /** What happened, and what to do: sentences for a person. */
  readonly message: string;
}

/** Others are not repeated: somebody may have put a password there. */
const SCHEMES = [
  'Basic',
  'Bearer',
  'Digest',
  'Negotiate',
  'NTLM',
  'Token',
  'ApiKey',
  'HOBA',
  'AWS4-HMAC-SHA256',
];

function schemeOf(header: string): string | null {
  const word = /^\s*(\S+)/.exec(header)?.[1]?.toLowerCase();
  return (
    SCHEMES.find((scheme) => scheme.toLowerCase() === word) ?? (word === undefined ? null : 'another one')
  );
}

function connectionOf(request: Request, told: { accepted: boolean; isStranger: boolean }): Connection {
  return {
    protocol: request.protocol,
    host: request.host ?? '',
    address: told.isStranger ? null : callerAddress(request),
    peer: told.isStranger ? null : peerAddress(request),
    forwarded: forwardingHeaders(request),
    proxyTrusted: isBelieved(request),
    credentialsAccepted: told.accepted,
  };
}

const NOTHING_SENT =
  'No Authorization header arrived. Send the user and the application password with the first request (curl: -u USER:PASSWORD): some clients wait to be asked.';
const STRIPPED =
  'No Authorization header arrived, and a proxy is in between: if the client sent one, the proxy took it out. Let it through: "CGIPassAuth On" in Apache, "proxy_set_header Authorization $http_authorization;" in nginx, and no login of the proxy\'s own in front of this address.';

function plainHttp({ forwarded, proxyTrusted, peer }: Connection, request: Request): string {
  const says = `${request.headers['x-forwarded-proto'] ?? ''} ${request.headers.forwarded ?? ''}`;
  if (forwarded.length > 0 && !proxyTrusted)
    return `The request came over plain HTTP from ${peer ?? 'a proxy'}${/https/i.test(says) ? ', which says that its caller used HTTPS' : ''}. It is not believed: if that is your proxy, start this program with ${peer === null ? 'its address in TRUST_PROXY (the log names it)' : `TRUST_PROXY=${peer}`}.`;
  if (forwarded.length > 0)
    return 'The proxy in front says that its caller used plain HTTP: call it by https. If that was done, let the proxy send X-Forwarded-Proto.';
  return 'The request came over plain HTTP from another machine, where anybody on the way can read a password: use https, through a proxy that TRUST_PROXY names. On a network of your own QAL_ENVIRONMENT=local accepts it.';
}

function messageOf(
  outcome: AuthOutcome,
  connection: Connection,
  request: Request,
  { candid }: ConnectionTestOptions,
): string {
  const header = request.headers.authorization ?? '';
  switch (outcome.kind) {
    case 'anonymous':
      return connection.forwarded.length > 0 ? STRIPPED : NOTHING_SENT;
    case 'user': {
      const { user } = outcome;
      return `Accepted as ${user.login}${user.key === null ? '' : `, by the application password "${user.key.name}"`}.`;
    }
    case 'refused':
      if (!connection.credentialsAccepted) return plainHttp(connection, request);
      return refusal(header, candid ? outcome.candid.message : outcome.reason);
    case 'bad-nonce':
      return 'The nonce of the pages does not fit. Send an application password instead.';
    case 'too-many-failures':
      return `This address has sent ${outcome.limit} wrong application passwords within ${outcome.windowSeconds} s: nothing more is looked at for ${outcome.retryAfterSeconds} s, the right one neither. Stop the client that sends the wrong one.`;
  }
}

function refusal(header: string, reason: string): string {
  const scheme = schemeOf(header);
  if (scheme !== 'Basic')
    return `The header arrived with ${scheme === 'another one' ? 'an unknown scheme' : `the scheme ${scheme}`}; only Basic is accepted here: user and application password. ${reason}`;
  if (!readBasicHeader(header).ok) return `The header arrived, but cannot be read: ${reason}`;
  return `The header arrived and was refused: ${reason}`;
}

/** What a request tells, by the outcome of its authentication. */
export async function testConnection(
  request: Request,
  response: Response,
  options: ConnectionTestOptions,
): Promise<ConnectionReport> {
  const header = request.headers.authorization ?? '';
  const outcome = await options.authenticate(request, response, {});
  const isProved = outcome.kind === 'user' || (outcome.kind === 'refused' && outcome.proved === true);
  const isStranger = !isProved && !(await options.hasSession(request, response));
  const connection = connectionOf(request, { accepted: options.credentialsAllowed(request), isStranger });
  const user = outcome.kind === 'user' ? outcome.user : null;
  return {
    header: { arrived: header !== '', scheme: schemeOf(header) },
    connection,
    outcome: user !== null ? 'accepted' : outcome.kind === 'anonymous' ? 'nothing-sent' : 'refused',
    user: user && { login: user.login, name: user.displayName, sites: user.sites },
    applicationPassword: user?.key?.name ?? null,
    message: messageOf(outcome, connection, request, options),
  };
}

export function createConnectionTest(options: ConnectionTestOptions): Router {
  const router = Router();
  router.get('/', (request: Request, response: Response, next: NextFunction) => {
    testConnection(request, response, options)
      .then((report) => {
        response.setHeader('Cache-Control', 'no-store');
        response.setHeader('X-Robots-Tag', 'noindex');
        response.json(report);
      })
      .catch(next);
  });
  return router;
}
