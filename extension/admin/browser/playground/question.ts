// What is asked at one moment, and the addresses that it is sent to.

import type { RestAnswer } from '../data/rest-answer';
import { restRoot, send, thisPage } from '../data/send';
import { asCurl } from './as-curl';
import { type Explained, readExplained } from './explain-view';
import { pagesRoute } from './pages-route';

export interface Question {
  readonly text: string;
  /** Of the contract. */
  readonly version: string;
}

export const isSame = (one: Question, other: Question): boolean =>
  one.text === other.text && one.version === other.version;

const queryRoute = (namespace: string, version: string): string =>
  `${namespace}/query?${new URLSearchParams({ version, envelope: 'result' })}`;

/** Rejects when the server cannot be reached, or when it is stopped. */
export const askQuery = (
  namespace: string,
  { text, version }: Question,
  signal: AbortSignal,
): Promise<RestAnswer> => send(queryRoute(namespace, version), { body: text, signal });

/** Rejects when the server cannot be reached. */
export async function askExplanation(namespace: string, { text, version }: Question): Promise<Explained> {
  const route = pagesRoute(namespace, 'explain', { version });
  return readExplained(await send(route, { body: text }), thisPage());
}

/** Copies the question as a command; gives what to tell the person, the command itself where nothing can be copied. */
export async function copyAsCurl(
  namespace: string,
  { text, version }: Question,
  login: string,
): Promise<string> {
  const curl = asCurl(text, { address: restRoot() + queryRoute(namespace, version), login });
  try {
    // Missing, whatever its type says, on a page that came over plain HTTP from another machine.
    await navigator.clipboard.writeText(curl);
    return 'Copied. Put an application password of yours in the place of APPLICATION PASSWORD.';
  } catch {
    return curl;
  }
}
