// Fetches the text of a recorded query, which may be too long for an address: number -> query and contract.
import { isObject, NO_ANSWER } from '../data/refusal';
import { send, thisPage } from '../data/send';
import { readAnswer } from './answer';
import type { KeptQuery } from './kept-query';
import { pagesRoute } from './pages-route';

/** Rejects with a sentence when it cannot be had. */
export async function recordedQuery(namespace: string, id: string): Promise<KeptQuery> {
  const rest = await send(pagesRoute(namespace, 'query-record', { id }));
  const { body } = rest;
  if (rest.status === 200 && isObject(body) && typeof body.body === 'string')
    return { text: body.body, version: typeof body.version === 'string' ? body.version : '' };
  const answer = readAnswer(rest, thisPage());
  throw new Error(answer.kind === 'error' ? answer.error.message : NO_ANSWER);
}
