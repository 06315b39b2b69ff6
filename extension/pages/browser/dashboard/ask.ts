import type { AskedDashboard, DashboardHead, PartAnswer } from '../../shared-types/dashboard-types';
import { parsedJson, sendRest, thisPage } from '../shared/rest';
import { errorOf, isObject, NO_ANSWER, type RestError, UNREACHABLE } from '../shared/rest-answer';

interface Listener {
  head(head: DashboardHead): void;
  part(answer: PartAnswer): void;
}

/** With a title if the page of a link cannot be opened. */
interface AskError extends RestError {
  readonly title?: string;
}

export const BROKE_OFF: RestError = { code: '', message: 'The answer was cut off.' };

/** The answer is complete only if its last part arrived: the parts already shown may be from another version. */
export const PARTS_APART: RestError = {
  code: '',
  message: 'The answer was cut off. The parts shown may be from different versions of the data.',
};

/** The server no longer accepts the link. */
const LINK_ENDED: AskError = {
  code: '',
  title: 'This link is no longer valid',
  message: 'This link has expired or was revoked. Ask the person who sent it for a new one.',
};

/** Whether the page shows nothing but the error. */
export const endsPage = (
  error: AskError | undefined,
  isOpen: boolean,
): error is AskError & { readonly title: string } =>
  error?.title !== undefined && (!isOpen || error === LINK_ENDED);

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield parsedJson(line);
  }
}

const isHead = (line: unknown): line is DashboardHead => isObject(line) && isObject(line.chart);
const isPart = (line: unknown): line is PartAnswer => isObject(line) && typeof line.id === 'string';

/** Returns the reason if there is no complete answer. Rejects only if the signal aborts. */
export async function ask(
  route: string,
  asked: AskedDashboard,
  listener: Listener,
  signal: AbortSignal,
  isLink: boolean,
): Promise<AskError | undefined> {
  let response: Response;
  try {
    response = await sendRest(route, { body: JSON.stringify(asked), signal, page: 'dashboard' });
  } catch {
    signal.throwIfAborted();
    return { code: '', message: UNREACHABLE };
  }
  const isAnswer = response.headers.get('Content-Type')?.includes('ndjson') === true;
  if (response.status === 401 && isLink) return LINK_ENDED;
  if (response.status !== 200 || !isAnswer) {
    const body = parsedJson(await response.text());
    if (response.status === 200) return { code: '', message: NO_ANSWER };
    const error = errorOf({ status: response.status, body }, thisPage());
    if (response.status !== 429) return error;
    const message = `${error.message} ${error.hint ?? ''}`;
    return { code: error.code, message, ...(isLink && { title: 'Too many requests' }) };
  }
  let left = asked.parts.length;
  try {
    if (response.body !== null)
      for await (const line of linesOf(response.body)) {
        if (isHead(line)) {
          left = asked.parts.length;
          listener.head(line);
        } else if (isPart(line)) {
          left -= 1;
          listener.part(line);
        }
        signal.throwIfAborted();
      }
  } catch {
    signal.throwIfAborted();
  }
  return left === 0 ? undefined : BROKE_OFF;
}

/** Ignores the failure of a request that was aborted. */
export function unlessAborted(work: Promise<void>, signal: AbortSignal): void {
  work.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

export interface OnePart {
  readonly answer: PartAnswer;
  readonly head: DashboardHead | undefined;
}

export async function askPart(route: string, asked: AskedDashboard, isLink: boolean): Promise<OnePart> {
  let answer: PartAnswer | undefined;
  let head: DashboardHead | undefined;
  const listener: Listener = {
    head(one) {
      head = one;
    },
    part(one) {
      answer = one;
    },
  };
  const error = await ask(route, asked, listener, new AbortController().signal, isLink);
  const failed = { id: asked.parts[0]?.id ?? '', query: {}, unfiltered: [], error: error ?? BROKE_OFF };
  return { answer: answer ?? failed, head };
}
