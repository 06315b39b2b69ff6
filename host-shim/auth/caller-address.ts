// Where a request comes from, by its connection and the headers of proxies, and whether it may carry credentials.
// Only proxies in TRUST_PROXY are trusted. An address that cannot be read is '' and matches no caller.
import { isIP } from 'node:net';
import type { Request } from 'express';

/** Headers that proxies add. */
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

/** The address without a port, IPv4 written as IPv6 as IPv4; empty where the text is no address. */
export function bareAddress(text: string): string {
  const trimmed = text.trim();
  const [, inBrackets, beforePort] = WITH_PORT.exec(trimmed) ?? [];
  const address = (inBrackets ?? beforePort ?? trimmed).replace(MAPPED, '');
  return isIP(address) === 0 ? '' : address;
}

/** Express holds TRUST_PROXY as a function of an address and its distance from here. */
function isTrusted(request: Request, address: string, place: number): boolean {
  const trust: unknown = request.app.get('trust proxy fn');
  return typeof trust === 'function' && trust(address, place) === true;
}

/** The other end of the connection: the caller, or the last proxy. */
export const peerAddress = ({ socket }: Request): string => bareAddress(socket.remoteAddress ?? '');

/** Whether the other end of the connection is a trusted proxy. */
export const isBelieved = (request: Request): boolean => isTrusted(request, peerAddress(request), 0);

/** Names of the proxy headers of the request, trusted or not. */
export const forwardingHeaders = ({ headers }: Request): readonly string[] =>
  FORWARDING.filter((name) => headers[name] !== undefined);

/** The caller: the nearest address that is not a trusted proxy. Guards, address ranges and logs use it. */
export function callerAddress(request: Request): string {
  const forwarded = request.headers['x-forwarded-for'];
  const hops = forwarded === undefined ? [] : String(forwarded).split(',').reverse().map(bareAddress);
  let caller = peerAddress(request);
  for (const [place, hop] of hops.entries()) {
    if (!isTrusted(request, caller, place)) break;
    caller = hop;
  }
  return caller;
}

/** Whether the request was certainly made on this machine: a proxy must not hide its caller. */
export function isFromThisMachine(request: Request): boolean {
  if (!LOOPBACK.test(callerAddress(request))) return false;
  if (forwardingHeaders(request).length === 0) return true;
  return isBelieved(request) && request.headers['x-forwarded-for'] !== undefined;
}

/** Whether passwords and session cookies may travel on the connection of a request. */
export type CredentialsRule = (request: Request) => boolean;

const WHAT_TO_DO =
  'use https, name the proxy in front in TRUST_PROXY, or set QAL_ENVIRONMENT=local on a machine of your own.';

/** The refusal of an application password over a connection that may not carry it. */
export const PASSWORD_OVER_PLAIN_HTTP = `Credentials are accepted over HTTPS only: ${WHAT_TO_DO}`;

/** The refusal of a login, or of a session, over such a connection. */
export const LOGIN_OVER_PLAIN_HTTP = `Nobody can log in over plain HTTP from another machine: ${WHAT_TO_DO}`;

/** Over HTTPS (which a trusted proxy may report in X-Forwarded-Proto), on this machine, or locally. */
export function createCredentialsRule(environment: 'local' | 'production'): CredentialsRule {
  return (request) => environment === 'local' || request.secure || isFromThisMachine(request);
}
