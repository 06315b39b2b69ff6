import type { DashboardHead, PartAnswer, RequestedDashboard } from '../../shared-types/dashboard-types';
import { answerOf, sendRest } from '../shared/rest';
import { errorOf, isObject, parsedJson, type RestError } from '../shared/rest-answer';

export interface Listener {
  head(head: DashboardHead): void;
  part(answer: PartAnswer): void;
}

/** The title is used if the error replaces the whole page. */
export interface AskError extends RestError {
  readonly title?: string;
}

const CUT_OFF: RestError = { code: '', message: 'The response was cut off.' };

/** Some parts are missing, so the parts shown may be from different versions. */
const SOME_PARTS: RestError = {
  code: '',
  message: 'The response was cut off. The parts shown may be from different versions of the data.',
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

/** The body of a successful response, which consists of lines; null for any other response. */
const bodyOf = ({ status, headers, body }: Response) =>
  status === 200 && headers.get('Content-Type')?.includes('ndjson') === true ? body : null;

async function refusalOf(sent: Promise<Response>, isLink: boolean): Promise<AskError> {
  const answer = await answerOf(sent);
  if (!isLink) return errorOf(answer);
  if (answer.status === 401) return LINK_ENDED;
  return { ...errorOf(answer), ...(answer.status === 429 && { title: 'Too many requests' }) };
}

/**
 * The listener receives every part; a part that did not arrive has an error. Returns the reason if the response is incomplete.
 * Rejects only if the signal aborts.
 */
export async function ask(
  route: string,
  requested: RequestedDashboard,
  listener: Listener,
  signal: AbortSignal,
  isLink: boolean,
): Promise<AskError | undefined> {
  const ids = requested.parts.map(({ id }) => id);
  const missing = new Set(ids);
  const sent = sendRest(route, { body: JSON.stringify(requested), signal, page: 'dashboard' });
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
    // Each missing part shows its own error.
  }
  signal.throwIfAborted();
  for (const id of missing) listener.part({ id, query: {}, unfiltered: [], error: refusal ?? CUT_OFF });
  if (refusal !== undefined || missing.size === 0) return refusal;
  return missing.size < ids.length ? SOME_PARTS : CUT_OFF;
}

export interface OnePart {
  readonly answer: PartAnswer;
  readonly head: DashboardHead | undefined;
}

export async function askPart(
  route: string,
  requested: RequestedDashboard,
  isLink: boolean,
): Promise<OnePart> {
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
  await ask(route, requested, listener, new AbortController().signal, isLink);
  return { answer, head };
}
