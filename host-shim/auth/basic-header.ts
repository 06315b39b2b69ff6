// Reads an Authorization header of the Basic scheme, strictly.
// header text -> user and secret, or the reason of the refusal. The secret may hold colons: only the first one splits.
export interface Credentials {
  readonly user: string;
  readonly secret: string;
}

export type BasicHeader =
  | { readonly ok: true; readonly credentials: Credentials }
  | { readonly ok: false; readonly reason: string };

const BASIC = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused
const CONTROL = /[\u0000-\u001f\u007f]/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const refuse = (reason: string): BasicHeader => ({ ok: false, reason });

function decode(base64: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

/** Takes the header apart; never throws. */
export function readBasicHeader(header: string): BasicHeader {
  const encoded = BASIC.exec(header.trim())?.[1];
  if (encoded === undefined) {
    return refuse(
      'The Authorization header must be "Basic" followed by base64 of user:application-password.',
    );
  }
  const text = decode(encoded);
  if (text === undefined) return refuse('The Basic credentials are not UTF-8 text in base64.');
  if (CONTROL.test(text)) return refuse('The Basic credentials hold a control character.');
  const colon = text.indexOf(':');
  if (colon < 0) return refuse('The Basic credentials have no colon between user and application password.');
  const user = text.slice(0, colon).trim();
  const secret = text.slice(colon + 1);
  if (user === '') return refuse('The Basic credentials have no user before the colon.');
  if (secret.trim() === '')
    return refuse('The Basic credentials have no application password after the colon.');
  return { ok: true, credentials: { user, secret } };
}
