import type { CheckedQuery } from '../../shared-types/query-check';
import { callRest, restRoot, thisPage } from '../shared/rest';
import { errorOf, isObject, type RestAnswer, UNREACHABLE } from '../shared/rest-answer';
import { asCurl } from './as-curl';

export interface Question {
  readonly text: string;
  readonly version: string;
}

export const isSame = (one: Question, other: Question): boolean =>
  one.text === other.text && one.version === other.version;

export const pagesRoute = (
  namespace: string,
  route: 'catalogue' | 'check' | 'explain' | 'query-record',
  args: Readonly<Record<string, string>>,
): string => `${namespace}-pages/${route}?${new URLSearchParams(args)}`;

export const queryRoute = (namespace: string, version: string): string =>
  `${namespace}/query?${new URLSearchParams({ version, envelope: 'result' })}`;

/** Rejects if the server cannot be reached, or when the signal aborts. */
export const runQuestion = (
  namespace: string,
  { text, version }: Question,
  signal: AbortSignal,
): Promise<RestAnswer> => callRest(queryRoute(namespace, version), { body: text, signal });

/** What the server finds without running the query, or why it could not check. */
export type Checked =
  | { readonly kind: 'checked'; readonly query: CheckedQuery }
  | { readonly kind: 'unchecked'; readonly reason: string };

const isChecked = (body: unknown): body is CheckedQuery =>
  isObject(body) && Array.isArray(body.faults) && Array.isArray(body.columns);

/**
 * Checks queries one at a time, and the same one only once. A new check cancels the last one, unless the last one was
 * requested with `isKept`.
 */
export function createChecker(namespace: string): (asked: Question, isKept?: boolean) => Promise<Checked> {
  let last:
    | {
        readonly asked: Question;
        readonly cancel: AbortController;
        answer: Promise<Checked>;
        isKept: boolean;
      }
    | undefined;

  async function ask({ text, version }: Question, signal: AbortSignal): Promise<Checked> {
    const answer = await callRest(pagesRoute(namespace, 'check', { version }), { body: text, signal }).catch(
      () => undefined,
    );
    if (answer?.status === 200 && isChecked(answer.body)) return { kind: 'checked', query: answer.body };
    // The next call asks the server again.
    if (last?.cancel.signal === signal) last = undefined;
    const reason = answer === undefined ? UNREACHABLE : errorOf(answer, thisPage()).message;
    return { kind: 'unchecked', reason };
  }

  return (asked, isKept = false) => {
    if (last !== undefined && isSame(last.asked, asked)) {
      last.isKept ||= isKept;
      return last.answer;
    }
    if (last?.isKept === false) last.cancel.abort();
    const cancel = new AbortController();
    last = { asked, cancel, isKept, answer: ask(asked, cancel.signal) };
    return last.answer;
  };
}

/** Returns the message to show: the command itself if the clipboard is unavailable. */
export async function copyAsCurl(
  namespace: string,
  { text, version }: Question,
  login: string,
): Promise<string> {
  const curl = asCurl(text, { address: restRoot() + queryRoute(namespace, version), login });
  try {
    // The clipboard is unavailable over plain HTTP, although its type does not say so.
    await navigator.clipboard.writeText(curl);
    return 'Copied. Replace APPLICATION PASSWORD with one of yours.';
  } catch {
    return curl;
  }
}
