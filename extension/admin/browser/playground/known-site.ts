// What the editor knows of a site under a contract: the schema and the catalogue, each fetched once.
// Until they are there the editor completes nothing, and looks at the syntax alone.
import { type Schema as CheckedSchema, Validator } from '@cfworker/json-schema';
import { NO_ANSWER } from '../data/refusal';
import { send, thisPage } from '../data/send';
import { readAnswer } from './answer';
import type { Catalogue } from './catalogue';
import type { Checker } from './faults';
import { pagesRoute } from './pages-route';
import type { Schema } from './schema-places';

export interface KnownSite {
  readonly checker: Checker;
  readonly catalogue: Catalogue;
}

const fetched = new Map<string, Promise<unknown>>();

/** The body of an answer; a failure is not remembered. Rejects with the sentence of the server. */
function fetchOnce(route: string): Promise<unknown> {
  const known = fetched.get(route);
  if (known !== undefined) return known;
  const asked = send(route).then((rest) => {
    if (rest.status === 200) return rest.body;
    const answer = readAnswer(rest, thisPage());
    throw new Error(answer.kind === 'error' ? answer.error.message : NO_ANSWER);
  });
  asked.catch(() => fetched.delete(route));
  fetched.set(route, asked);
  return asked;
}

const isCatalogue = (body: unknown): body is Catalogue =>
  typeof body === 'object' && body !== null && 'materials' in body && 'examples' in body;

const isSchema = (body: unknown): body is Schema & CheckedSchema =>
  typeof body === 'object' && body !== null && 'properties' in body;

/** Fetches both; rejects with a sentence when one cannot be had. */
export async function knownSite(namespace: string, trackingId: string, version: string): Promise<KnownSite> {
  const [schema, catalogue] = await Promise.all([
    fetchOnce(`${namespace}-docs/query-schema?${new URLSearchParams({ version })}`),
    fetchOnce(pagesRoute(namespace, 'catalogue', { tracking_id: trackingId, version })),
  ]);
  if (!isSchema(schema) || !isCatalogue(catalogue)) throw new Error(NO_ANSWER);
  return { checker: { schema, validator: new Validator(schema, '2020-12', false) }, catalogue };
}
