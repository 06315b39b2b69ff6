import type { AskedDashboard, DashboardHead, PartAnswer } from '../../shared-types/dashboard-types';
import { answerOf, sendRest } from '../shared/rest';
import { errorOf, isObject, parsedJson, type RestError } from '../shared/rest-answer';

export interface Listener {
  head(head: DashboardHead): void;
  part(answer: PartAnswer): void;
}

/** With a title if the page of a link cannot be opened. */
export interface AskError extends RestError {
  readonly title?: string;
}

const BROKE_OFF: RestError = { code: '', message: 'The answer was cut off.' };

/** The answer is complete only if its last part arrived: the parts already shown may be from another version. */
const PARTS_APART: RestError = {
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

/** The lines of an answer; null if it is another answer. */
const bodyOf = ({ status, headers, body }: Response) =>
  status === 200 && headers.get('Content-Type')?.includes('ndjson') === true ? body : null;

async function refusalOf(sent: Promise<Response>, isLink: boolean): Promise<AskError> {
  const answer = await answerOf(sent);
  if (!isLink) return errorOf(answer);
  if (answer.status === 401) return LINK_ENDED;
  return { ...errorOf(answer), ...(answer.status === 429 && { title: 'Too many requests' }) };
}

/**
 * The listener gets every part: with an error if it did not arrive. Returns the reason if there is no complete answer. Rejects
 * only if the signal aborts.
 */
export async function ask(
  route: string,
  asked: AskedDashboard,
  listener: Listener,
  signal: AbortSignal,
  isLink: boolean,
): Promise<AskError | undefined> {
  const ids = asked.parts.map(({ id }) => id);
  const missing = new Set(ids);
  const sent = sendRest(route, { body: JSON.stringify(asked), signal, page: 'dashboard' });
  const body = await sent.then(bodyOf, () => null);
  const refusal = body === null ? await refusalOf(sent, isLink) : undefined;
  try {
    if (body !== null)
      for await (const line of linesOf(body)) {
        if (isHead(line)) {
          for (const id of ids) missing.add(id);
          listener.head(line);
        } else if (isPart(line)) {
          missing.delete(line.id);
          listener.part(line);
        }
        signal.throwIfAborted();
      }
  } catch {
    // Missing parts show their errors themselves.
  }
  signal.throwIfAborted();
  for (const id of missing) listener.part({ id, query: {}, unfiltered: [], error: refusal ?? BROKE_OFF });
  if (refusal !== undefined || missing.size === 0) return refusal;
  return missing.size < ids.length ? PARTS_APART : BROKE_OFF;
}

export interface OnePart {
  readonly answer: PartAnswer;
  readonly head: DashboardHead | undefined;
}

export async function askPart(route: string, asked: AskedDashboard, isLink: boolean): Promise<OnePart> {
  let answer: PartAnswer = { id: '', query: {}, unfiltered: [] };
  let head: DashboardHead | undefined;
  const listener: Listener = {
    head(one) {
      head = one;
    },
    part(one) {
      answer = one;
    },
  };
  await ask(route, asked, listener, new AbortController().signal, isLink);
  return { answer, head };
}
