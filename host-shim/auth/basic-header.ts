// Parses a Basic Authorization header. The first colon separates the user from the secret, which may contain any bytes.
import { cleanSecret } from './application-password';

export interface Credentials {
  readonly user: string;
  /** Letters and digits only. */
  readonly secret: string;
}

type BasicHeader =
  | { readonly ok: true; readonly credentials: Credentials }
  | { readonly ok: false; readonly reason: string };

const BASIC = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
const CONTROL = /[\u0000-\u001f\u007f]/;
const COLON = 0x3a;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const refuse = (reason: string): BasicHeader => ({ ok: false, reason });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

export function readBasicHeader(header: string): BasicHeader {
  const encoded = BASIC.exec(header.trim())?.[1];
  if (encoded === undefined) {
    return refuse(
      'The Authorization header must be "Basic" followed by base64 of user:application-password.',
    );
  }
  const bytes = Buffer.from(encoded, 'base64');
  const colon = bytes.indexOf(COLON);
  if (colon < 0) return refuse('The Basic credentials have no colon between user and application password.');
  const name = decode(bytes.subarray(0, colon));
  if (name === undefined) return refuse('The user in the Basic credentials is not UTF-8 text.');
  if (CONTROL.test(name)) return refuse('The user in the Basic credentials contains a control character.');
  const user = name.trim();
  if (user === '') return refuse('The Basic credentials have no user before the colon.');
  // Latin-1 decodes any bytes; cleanSecret keeps only letters and digits.
  const typed = bytes.subarray(colon + 1).toString('latin1');
  if (typed.trim() === '')
    return refuse('The Basic credentials have no application password after the colon.');
  return { ok: true, credentials: { user, secret: cleanSecret(typed) } };
}
