// Sends the query of a panel as the person who is logged in. Query -> its table, or the fault in words.
import { UNREACHABLE } from '../data/refusal';
import { send, thisPage } from '../data/send';
import { type Answer, readPanelAnswer } from './panel-answer';

/** `endpoint` is relative to the root of the REST interface. */
export async function ask(endpoint: string, query: unknown): Promise<Answer> {
  try {
    const rest = await send(endpoint, { body: JSON.stringify(query), page: 'dashboard' });
    return readPanelAnswer(rest, thisPage());
  } catch {
    return { kind: 'fault', message: UNREACHABLE };
  }
}
