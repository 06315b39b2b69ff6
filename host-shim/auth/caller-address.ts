// Where a request comes from: the one reading of the connection and of what proxies in front say of it.
// Only proxies that TRUST_PROXY names are believed; an address that cannot be read is '', and belongs to nobody.
import { isIP } from 'node:net';
import type { Request } from 'express';

/** Headers by which a proxy shows that it is one. */
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

/** `[address]:port`, `[address]` and `address:port` of IPv4, as some proxies write it. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^:]+):\d{1,5})$/;
const MAPPED = /^::ffff:(?=\d+\.)/i;
const LOOPBACK = /^(127\.|::1$)/;

/** The bare address of a text; IPv4 that is written as IPv6 is IPv4. Empty for anything else. */
export function bareAddress(text: string): string {
  const trimmed = text.trim();
  const [, inBrackets, beforePort] = WITH_PORT.exec(trimmed) ?? [];
  const address = (inBrackets ?? beforePort ?? trimmed).replace(MAPPED, '');
  return isIP(address) === 0 ? '' : address;
}

/** Express keeps what TRUST_PROXY says as a function of an address and its place, counted from here. */
function isTrusted(request: Request, address: string, place: number): boolean {
  const trust: unknown = request.app.get('trust proxy fn');
  return typeof trust === 'function' && trust(address, place) === true;
}

/** The other end of the connection: the caller, or the last proxy. */
export const peerAddress = ({ socket }: Request): string => bareAddress(socket.remoteAddress ?? '');

/** Whether what the other end of the connection says of its own caller is believed. */
export const isBelieved = (request: Request): boolean => isTrusted(request, peerAddress(request), 0);

/** Names of the headers of proxies that came along, believed or not. */
export const forwardingHeaders = ({ headers }: Request): readonly string[] =>
  FORWARDING.filter((name) => headers[name] !== undefined);

/** The caller: the first address, from here on, that no trusted proxy has. Guards, ranges, logs and lists go by it. */
export function callerAddress(request: Request): string {
  const said = request.headers['x-forwarded-for'];
  const hops = said === undefined ? [] : String(said).split(',').reverse().map(bareAddress);
  let caller = peerAddress(request);
  for (const [place, hop] of hops.entries()) {
    if (!isTrusted(request, caller, place)) break;
    caller = hop;
  }
  return caller;
}

/** Whether the request was made on this machine, as far as that can be known: no proxy may hide who calls through it. */
export function isFromThisMachine(request: Request): boolean {
  if (!LOOPBACK.test(callerAddress(request))) return false;
  if (forwardingHeaders(request).length === 0) return true;
  return isBelieved(request) && request.headers['x-forwarded-for'] !== undefined;
}
