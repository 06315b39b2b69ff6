// GET /wp-admin/test-connection reports how the request's Authorization header arrived. It uses the same authenticator and
// guard as REST, and always returns 200. Addresses are shown only to users identified by a correct secret or a session.
import { type Request, type Response, Router } from 'express';
import type { Authenticator, AuthOutcome } from '../auth/authentication';
import { readBasicHeader } from '../auth/basic-header';
import {
  type CredentialsRule,
  callerAddress,
  forwardingHeaders,
  isFromTrustedProxy,
  peerAddress,
} from '../auth/caller-address';
import { type AdminPage, pageAddress } from '../extension-api';

export const TEST_CONNECTION_PATH = pageAddress('test-connection');

interface ConnectionTestOptions {
  readonly authenticate: Authenticator;
  readonly candid: boolean;
  readonly credentialsAllowed: CredentialsRule;
  hasSession(request: Request, response: Response): Promise<boolean>;
}

interface Connection {
  readonly protocol: string;
  readonly host: string;
  /** The client's address, as reported by trusted proxies, if any; null for unidentified callers. */
  readonly address: string | null;
  /** The other end of the connection (the client or the last proxy); null for unidentified callers. */
  readonly peer: string | null;
  readonly forwarded: readonly string[];
  readonly proxyTrusted: boolean;
  readonly credentialsAccepted: boolean;
}

/** Other schemes are not shown, because the word could be a password. */
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
const UNKNOWN_SCHEME = 'unknown';

function schemeOf(header: string): string | null {
  const word = /^\s*(\S+)/.exec(header)?.[1]?.toLowerCase();
  if (word === undefined) return null;
  return SCHEMES.find((scheme) => scheme.toLowerCase() === word) ?? UNKNOWN_SCHEME;
}

const NOTHING_SENT =
  'No Authorization header arrived. Send the user and the application password with the first request (curl: -u USER:PASSWORD): some clients send them only after a 401 response.';
const STRIPPED =
  'No Authorization header arrived, and there is a proxy in between: if the client sent one, the proxy removed it. Let it through: "CGIPassAuth On" in Apache, "proxy_set_header Authorization $http_authorization;" in nginx, and do not let the proxy require its own login at this address.';

function explainPlainHttp({ forwarded, proxyTrusted, peer }: Connection, { headers }: Request): string {
  if (forwarded.length > 0 && !proxyTrusted) {
    const claims = /https/i.test(`${headers['x-forwarded-proto'] ?? ''} ${headers.forwarded ?? ''}`);
    const setting = peer === null ? 'its address in TRUST_PROXY (the log has it)' : `TRUST_PROXY=${peer}`;
    return `The request came over plain HTTP from ${peer ?? 'a proxy'}${claims ? ', which reports that its caller used HTTPS' : ''}. That proxy is not trusted: if it is yours, start this program with ${setting}.`;
  }
  return forwarded.length > 0
    ? 'The proxy reports that its caller used plain HTTP: use https. If you did, make the proxy send X-Forwarded-Proto.'
    : 'The request came over plain HTTP from another machine, where others can read the password: use https, through a proxy listed in TRUST_PROXY. On your own network, QAL_ENVIRONMENT=local accepts it.';
}

function explainRefusal(header: string, reason: string): string {
  const scheme = schemeOf(header);
  if (scheme !== 'Basic')
    return `The header arrived with ${scheme === UNKNOWN_SCHEME ? 'an unknown scheme' : `the scheme ${scheme}`}; only Basic is accepted here: user and application password. ${reason}`;
  return readBasicHeader(header).ok
    ? `The header arrived and was refused: ${reason}`
    : `The header arrived, but cannot be read: ${reason}`;
}

function messageOf(
  outcome: AuthOutcome,
  connection: Connection,
  request: Request,
  { candid }: ConnectionTestOptions,
): string {
  switch (outcome.kind) {
    case 'anonymous':
      return connection.forwarded.length > 0 ? STRIPPED : NOTHING_SENT;
    case 'user': {
      const { login, key } = outcome.user;
      return `Accepted as ${login}${key === null ? '' : `, with the application password "${key.name}"`}.`;
    }
    case 'refused':
      if (!connection.credentialsAccepted) return explainPlainHttp(connection, request);
      return explainRefusal(
        request.headers.authorization ?? '',
        candid ? outcome.candid.message : outcome.reason,
      );
    case 'bad-nonce':
      return 'The nonce from the page is not valid. Send an application password instead.';
    case 'too-many-failures':
      return `This address sent ${outcome.limit} wrong application passwords within ${outcome.windowSeconds} s, and this one is wrong too. Wrong ones are refused for ${outcome.retryAfterSeconds} s; the correct one is accepted. Stop the client that sends the wrong one.`;
  }
}

async function testConnection(request: Request, response: Response, options: ConnectionTestOptions) {
  const header = request.headers.authorization ?? '';
  const outcome = await options.authenticate(request, response, {});
  const isVerified = outcome.kind === 'user' || (outcome.kind === 'refused' && outcome.proved === true);
  const isUnidentified = !isVerified && !(await options.hasSession(request, response));
  const connection: Connection = {
    protocol: request.protocol,
    host: request.host ?? '',
    address: isUnidentified ? null : callerAddress(request),
    peer: isUnidentified ? null : peerAddress(request),
    forwarded: forwardingHeaders(request),
    proxyTrusted: isFromTrustedProxy(request),
    credentialsAccepted: options.credentialsAllowed(request),
  };
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

export const createConnectionTest = (options: ConnectionTestOptions): Router =>
  Router().get('/', async (request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Robots-Tag', 'noindex');
    response.json(await testConnection(request, response, options));
  });

/** The page's script sends the credentials only in the Authorization header of the test request. */
export const connectionPage = (): AdminPage => ({
  slug: 'connection',
  title: 'Test my connection',
  group: null,
  position: 0,
  capability: 'read',
  handle: async ({ user, home }) => ({
    kind: 'page',
    view: 'host-shim/admin/views/connection',
    data: { login: user.login, path: TEST_CONNECTION_PATH, address: home + TEST_CONNECTION_PATH },
    scripts: ['host/test-connection'],
  }),
});
