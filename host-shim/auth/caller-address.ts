// The client's address, and whether its connection may carry credentials. Only proxies in TRUST_PROXY are trusted. An address
// that cannot be parsed becomes '' and is in no range.
import { isIP } from 'node:net';
import type { Request } from 'express';

const FORWARDING = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
] as const;

/** Some proxies write `[address]:port`, `[address]`, or `address:port` for IPv4. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^:]+):\d{1,5})$/;
const MAPPED = /^::ffff:(?=\d+\.)/i;
const LOOPBACK = /^(127\.|::1$)/;

/** Removes the port, and the prefix of a mapped IPv4 address. Returns '' if the text is not an address. */
export function bareAddress(text: string): string {
  const trimmed = text.trim();
  const [, inBrackets, beforePort] = WITH_PORT.exec(trimmed) ?? [];
  const address = (inBrackets ?? beforePort ?? trimmed).replace(MAPPED, '');
  return isIP(address) === 0 ? '' : address;
}

/** Express stores TRUST_PROXY as a function of an address and its distance in hops. */
function isTrusted(request: Request, address: string, distance: number): boolean {
  const trust: unknown = request.app.get('trust proxy fn');
  return typeof trust === 'function' && trust(address, distance) === true;
}

/** The address at the other end of the connection: the client or the last proxy. */
export const peerAddress = ({ socket }: Request): string => bareAddress(socket.remoteAddress ?? '');

export const isFromTrustedProxy = (request: Request): boolean => isTrusted(request, peerAddress(request), 0);

export const forwardingHeaders = ({ headers }: Request): readonly string[] =>
  FORWARDING.filter((name) => headers[name] !== undefined);

/** Returns the nearest address that is not a trusted proxy. Guards, address ranges and logs use it. */
export function callerAddress(request: Request): string {
  const forwarded = request.headers['x-forwarded-for'];
  const hops = forwarded === undefined ? [] : String(forwarded).split(',').reverse().map(bareAddress);
  let caller = peerAddress(request);
  for (const [distance, hop] of hops.entries()) {
    if (!isTrusted(request, caller, distance)) break;
    caller = hop;
  }
  return caller;
}

/** Whether the request definitely comes from this machine, not through a proxy that hides its client. */
export function isFromThisMachine(request: Request): boolean {
  if (!LOOPBACK.test(callerAddress(request))) return false;
  if (forwardingHeaders(request).length === 0) return true;
  return isFromTrustedProxy(request) && request.headers['x-forwarded-for'] !== undefined;
}

/** Whether passwords and session cookies are allowed on a request's connection. */
export type CredentialsRule = (request: Request) => boolean;

const WHAT_TO_DO =
  'use https, list the proxy in TRUST_PROXY, or set QAL_ENVIRONMENT=local on your own machine.';

export const PASSWORD_OVER_PLAIN_HTTP = `Credentials are accepted over HTTPS only: ${WHAT_TO_DO}`;

export const LOGIN_OVER_PLAIN_HTTP = `You cannot log in over plain HTTP from another machine: ${WHAT_TO_DO}`;

/** Credentials are allowed over HTTPS (or if a trusted proxy reports it), from this machine, and in the environment `local`. */
export function createCredentialsRule(environment: 'local' | 'production'): CredentialsRule {
  return (request) => environment === 'local' || request.secure || isFromThisMachine(request);
}
