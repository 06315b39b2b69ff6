import { createHmac } from 'node:crypto';
import { lookup as lookUp } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { isWithinRanges } from '../auth/address-ranges';

interface Webhook {
  readonly url: string;
  /** Signs the body. */
  readonly secret: string;
  /** Whether private addresses and plain HTTP are allowed. */
  readonly allowPrivate: boolean;
}

const TIMEOUT_MS = 10_000;

/** The ranges that are not part of the public internet, except those for documentation, which are not in use. */
const PRIVATE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::',
  '::1',
  '64:ff9b::/96',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
];

const refusal = (address: string): Error =>
  new Error(`${address} is not a public address; QAL_WEBHOOK_PRIVATE=on allows it.`);

/** Checks the addresses that the connection then uses, so that a name cannot resolve differently after the check. */
const publicOnly: LookupFunction = (host, options, callback) =>
  lookUp(host, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined)
      return callback(error ?? new Error(`${host} has no address.`), '');
    const refused = addresses.find(({ address }) => isWithinRanges(address, PRIVATE));
    if (refused !== undefined) return callback(refusal(refused.address), '');
    return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
  });

/** The value of X-Qal-Signature: `t=SECONDS,v1=HEX`, the HMAC-SHA256 of `SECONDS.BODY`. */
export const signatureOf = (secret: string, seconds: number, body: string): string =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;

/** Posts JSON. Does not follow redirects. Throws unless the response is 2xx. */
export function postWebhook(
  { url, secret, allowPrivate }: Webhook,
  message: object,
  now: Date,
): Promise<void> {
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (!allowPrivate && protocol !== 'https:')
    return Promise.reject(
      new Error('A webhook must begin with https://, unless QAL_WEBHOOK_PRIVATE=on allows others.'),
    );
  // A numeric address is not looked up, so `publicOnly` does not check it.
  if (!allowPrivate && isIP(host) !== 0 && isWithinRanges(host, PRIVATE))
    return Promise.reject(refusal(host));
  const body = JSON.stringify(message);
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'X-Qal-Signature': signatureOf(secret, Math.floor(now.getTime() / 1000), body),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(!allowPrivate && { lookup: publicOnly }),
    });
    request.on('error', reject);
    request.on('response', (response) => {
      response.destroy();
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new Error(`The webhook responded with status ${statusCode}.`));
    });
    request.end(body);
  });
}
