// A query with its contract version, and what can be done with it: run it, check it, copy it as a command.
import { callRest, restRoot, thisPage } from '../shared/rest';
import { errorOf, type RestAnswer, type RestError } from '../shared/rest-answer';
import { asCurl } from './as-curl';

export interface Question {
  readonly text: string;
  readonly version: string;
}

export const isSame = (one: Question, other: Question): boolean =>
  one.text === other.text && one.version === other.version;

/** A route that serves only the pages. */
export const pagesRoute = (
  namespace: string,
  route: 'catalogue' | 'explain' | 'query-record',
  args: Readonly<Record<string, string>>,
): string => `${namespace}-pages/${route}?${new URLSearchParams(args)}`;

export const queryRoute = (namespace: string, version: string): string =>
  `${namespace}/query?${new URLSearchParams({ version, envelope: 'result' })}`;

/** Rejects when the server cannot be reached, or when the signal aborts. */
export const runQuestion = (
  namespace: string,
  { text, version }: Question,
  signal: AbortSignal,
): Promise<RestAnswer> => callRest(queryRoute(namespace, version), { body: text, signal });

/** The first error that the server finds without running the query; undefined when there is none, or no answer. */
export async function checkQuestion(
  namespace: string,
  { text, version }: Question,
): Promise<RestError | undefined> {
  const route = pagesRoute(namespace, 'explain', { version, check: 'true' });
  const answer = await callRest(route, { body: text }).catch(() => undefined);
  return answer?.status === 400 ? errorOf(answer, thisPage()) : undefined;
}

/** Returns what to tell the person: the command itself where the clipboard is out of reach. */
export async function copyAsCurl(
  namespace: string,
  { text, version }: Question,
  login: string,
): Promise<string> {
  const curl = asCurl(text, { address: restRoot() + queryRoute(namespace, version), login });
  try {
    // Over plain HTTP from another machine there is no clipboard, whatever its type says.
    await navigator.clipboard.writeText(curl);
    return 'Copied. Replace APPLICATION PASSWORD with one of yours.';
  } catch {
    return curl;
  }
}
