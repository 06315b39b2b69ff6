// Owns the way of a page's script to a route of its own: an object in -> the parsed answer.
// A refusal is an Error with the sentence that the host sent, or the one for a session that is over.
import { isObject, NO_ANSWER, sessionRefusal } from './refusal';
import { send, thisPage } from './send';

export interface AskRequest {
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** GET, or POST with a body. */
export async function askRest(route: string, { body, signal }: AskRequest = {}): Promise<unknown> {
  const answer = await send(route, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const refusal = sessionRefusal(answer, thisPage());
  if (refusal !== undefined) throw new Error(`${refusal.message} ${refusal.link?.text ?? ''}.`);
  if (answer.status < 200 || answer.status > 299)
    throw new Error(messageOf(answer.body) || `The host answered ${answer.status}.`);
  if (!isObject(answer.body)) throw new Error(NO_ANSWER);
  return answer.body;
}

/** The host says it beside the code, the query service within its error. */
function messageOf(answer: unknown): string {
  if (!isObject(answer)) return '';
  const { message } = isObject(answer.error) ? answer.error : answer;
  return typeof message === 'string' ? message : '';
}
