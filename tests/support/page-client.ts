// A client for the pages, with a cookie, a nonce and forms, but without scripts. It does not follow redirects automatically.
import { sendRequest } from './send-request';
import { LOGIN_PASSWORD, type TestAnswer, type TestHost } from './test-host';

export type FormFields = Readonly<Record<string, string | readonly string[]>>;

export interface PageRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged as a form, so the fields must include the nonce if one is required. */
  readonly fields?: FormFields;
}

export interface PageClient {
  /** The Cookie header. */
  readonly cookie: string;
  /** The nonce of this session, for `_wpnonce` and `X-WP-Nonce`. */
  readonly nonce: string;
  get(path: string): Promise<TestAnswer>;
  /** Sends a form as a page would. Adds the nonce unless the fields contain one. */
  post(path: string, fields: FormFields): Promise<TestAnswer>;
  /** Sends a request with the cookie. */
  send(path: string, request: PageRequest): Promise<TestAnswer>;
  follow(answer: TestAnswer): Promise<TestAnswer>;
}

/** Sends a request without a cookie. */
export function sendPageRequest(
  host: Pick<TestHost, 'url'>,
  path: string,
  { method, headers = {}, fields }: PageRequest = {},
): Promise<TestAnswer> {
  return sendRequest({
    method: method ?? (fields === undefined ? 'GET' : 'POST'),
    url: new URL(path, host.url).href,
    headers: [
      ['Accept', 'text/html'],
      ...(fields === undefined ? [] : [['Content-Type', 'application/x-www-form-urlencoded'] as const]),
      ...Object.entries(headers),
    ],
    body: fields === undefined ? undefined : encode(fields),
  });
}

function encode(fields: FormFields): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === 'string' ? [value] : value) form.append(name, one);
  }
  return form.toString();
}

/** The `name=value` of the cookie that a response sets, if any. */
export const cookieOf = ({ headers }: TestAnswer): string | undefined => headers['set-cookie']?.split(';')[0];

/** The mark in a form or on a confirmation page, which identifies the state that the page shows. */
export const markIn = ({ text }: Pick<TestAnswer, 'text'>): string =>
  /name="mark" value="([^"]+)"/.exec(text)?.[1] ?? '';

/** Starts a session. Returns its cookie. */
export async function sessionCookie(
  host: Pick<TestHost, 'url'>,
  login: string,
  password = LOGIN_PASSWORD,
): Promise<string> {
  const answer = await sendPageRequest(host, '/wp-login.php', { fields: { log: login, pwd: password } });
  const cookie = cookieOf(answer);
  if (answer.status !== 303 || cookie === undefined)
    throw new Error(`${login} cannot log in: status ${answer.status}.`);
  return cookie;
}

/** Logs a user in with the login password that all users of a test host share. */
export async function logInAs(
  host: Pick<TestHost, 'url'>,
  login: string,
  { password }: { readonly password?: string } = {},
): Promise<PageClient> {
  const cookie = await sessionCookie(host, login, password);
  const send = (path: string, { headers, ...request }: PageRequest) =>
    sendPageRequest(host, path, { ...request, headers: { Cookie: cookie, ...headers } });
  const response = await send('/wp-admin/profile', {});
  // An account that has to set up a second factor is redirected there.
  const { location } = response.headers;
  const profile = location === undefined ? response : await send(location, {});
  const nonce = /<meta name="rest-nonce" content="([^"]+)">/.exec(profile.text)?.[1];
  if (nonce === undefined) throw new Error('The profile page has no nonce.');
  return {
    cookie,
    nonce,
    send,
    get: (path) => send(path, {}),
    post: (path, fields) => send(path, { fields: { _wpnonce: nonce, ...fields } }),
    follow({ headers }) {
      if (headers.location === undefined) throw new Error('The response is not a redirect.');
      return send(headers.location, {});
    },
  };
}
