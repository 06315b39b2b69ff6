// Sends a single request through supertest, with only the given headers.
import { type SupertestMethod, supertestOn, type TestAnswer } from './supertest-api';

export interface WholeRequest {
  readonly method: Uppercase<SupertestMethod>;
  readonly url: string;
  /** A later header replaces an earlier one with the same name, regardless of case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

const METHODS = {
  GET: 'get',
  POST: 'post',
  HEAD: 'head',
  OPTIONS: 'options',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const satisfies Record<WholeRequest['method'], SupertestMethod>;

/** Sends a request on a separate connection. */
export async function sendRequest({ method, url, headers, body }: WholeRequest): Promise<TestAnswer> {
  const { origin, pathname, search } = new URL(url);
  const sending = supertestOn(origin)[METHODS[method]](pathname + search);
  // supertest adds these two headers: the first one to every request, and the other one to string bodies without a content type.
  if (body !== undefined) sending.send(body);
  sending.unset('Accept-Encoding').unset('Content-Type');
  for (const [name, value] of headers) sending.set(name, value);
  const answer = await sending;
  const { status, text = '' } = answer;
  const type = answer.headers['content-type'] ?? '';
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, value?.toString()]),
    ),
    body: text !== '' && /[/+]json\b/i.test(type) ? answer.body : undefined,
    text,
  };
}
