import type { CheckedQuery } from '../../shared-types/query-check';
import { byId } from '../shared/elements';
import { callRest, restRoot } from '../shared/rest';
import { errorOf, isObject } from '../shared/rest-answer';
import { asCurl } from './as-curl';

export interface Question {
  readonly text: string;
  readonly version: string;
}

export const isSame = (one: Question, other: Question): boolean =>
  one.text === other.text && one.version === other.version;

const pageData = (): DOMStringMap => byId('playground', HTMLElement).dataset;

/** The login name of the current user. */
export const ownLogin = (): string => pageData().login ?? '';

export const pagesRoute = (route: string, args: Readonly<Record<string, string>> = {}): string =>
  `${pageData().namespace}-pages/${route}?${new URLSearchParams(args)}`;

export const queryRoute = (version: string): string =>
  `${pageData().namespace}/query?${new URLSearchParams({ version, envelope: 'result' })}`;

/** The result of checking the query without running it, or the reason why it could not be checked. */
export type Checked =
  | { readonly kind: 'checked'; readonly query: CheckedQuery }
  | { readonly kind: 'unchecked'; readonly reason: string };

const isChecked = (body: unknown): body is CheckedQuery =>
  isObject(body) && Array.isArray(body.faults) && Array.isArray(body.columns);

/**
 * Reuses the last check if the query is the same. A check of a different query cancels the last check, unless the
 * last check was requested with `isKept`.
 */
export function createChecker(): (question: Question, isKept?: boolean) => Promise<Checked> {
  let last:
    | {
        readonly question: Question;
        readonly cancel: AbortController;
        answer: Promise<Checked>;
        isKept: boolean;
      }
    | undefined;

  async function ask({ text, version }: Question, signal: AbortSignal): Promise<Checked> {
    const answer = await callRest(pagesRoute('check', { version }), { body: text, signal });
    if (answer.status === 200 && isChecked(answer.body)) return { kind: 'checked', query: answer.body };
    // Lets the next call ask the server again.
    if (last?.cancel.signal === signal) last = undefined;
    return { kind: 'unchecked', reason: errorOf(answer).message };
  }

  return (question, isKept = false) => {
    if (last !== undefined && isSame(last.question, question)) {
      last.isKept ||= isKept;
      return last.answer;
    }
    if (last?.isKept === false) last.cancel.abort();
    const cancel = new AbortController();
    last = { question, cancel, isKept, answer: ask(question, cancel.signal) };
    return last.answer;
  };
}

/** Returns the message to show: the command itself if the clipboard is unavailable. */
export async function copyAsCurl({ text, version }: Question): Promise<string> {
  const curl = asCurl(text, { address: restRoot() + queryRoute(version), login: ownLogin() });
  try {
    // The clipboard is unavailable over plain HTTP, although its type does not show that.
    await navigator.clipboard.writeText(curl);
    return 'Copied. Replace APPLICATION PASSWORD with one of yours.';
  } catch {
    return curl;
  }
}
