// What a caller may ask of the shape of any answer: some fields only (`_fields`), or all in one body (`_envelope`).
// An answer and the query in -> the answer as it is sent. Errors keep all their fields.
import type { AddressQuery } from '../auth/authentication';
import type { HostResponse } from '../extension-api';
import { listOf } from './route-address';

/** What is wanted: a name -> all of it, or of what lies below only this. */
interface Wanted {
  readonly below: Map<string, Wanted>;
  all: boolean;
}

function treeOf(fields: readonly string[]): Wanted {
  const root: Wanted = { below: new Map(), all: false };
  for (const field of fields) {
    let place = root;
    for (const word of field.split('.')) {
      const next = place.below.get(word) ?? { below: new Map(), all: false };
      place.below.set(word, next);
      place = next;
    }
    place.all = true;
  }
  return root;
}

function pick(value: unknown, wanted: Wanted): unknown {
  if (wanted.all || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, wanted));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inside]) => {
      const below = wanted.below.get(name);
      return below === undefined ? [] : [[name, pick(inside, below)]];
    }),
  );
}

/** Whole dates and the like are texts by the time that they are sent; so are they when fields are picked. */
const asSent = (body: unknown): unknown => JSON.parse(JSON.stringify(body ?? null));

/** Cuts an answer down to `_fields`, then wraps it where `_envelope` is asked for; the wrapped one is always a 200. */
export function shapeAnswer(answer: HostResponse, query: AddressQuery): HostResponse {
  const fields = listOf(query, '_fields') ?? [];
  const body =
    fields.length > 0 && answer.status < 400 ? pick(asSent(answer.body), treeOf(fields)) : answer.body;
  if (!Object.hasOwn(query, '_envelope')) return { ...answer, body };
  return { ...answer, status: 200, body: { body, status: answer.status, headers: answer.headers ?? {} } };
}
