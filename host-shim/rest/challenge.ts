// The WWW-Authenticate header of a 401: it makes curl --anyauth, wget and urllib send their credentials.
// A browser would open a login box instead, so whoever looks like one gets none.
import type { IncomingHttpHeaders } from 'node:http';

const BROWSER_HEADERS = ['cookie', 'x-wp-nonce', 'sec-fetch-mode'] as const;

export function challengeFor(headers: IncomingHttpHeaders, realm: string): string | undefined {
  if (BROWSER_HEADERS.some((name) => headers[name] !== undefined)) return undefined;
  return `Basic realm="${realm.replace(/["\\]/g, '')}", charset="UTF-8"`;
}
