// WordPress's parameters for any response: `_fields` selects fields, `_envelope` moves status and headers into the body.
// Errors keep all fields.
import type { AddressQuery } from '../auth/authentication';
import { type HostResponse, JsonList } from '../extension-api';
import { listOf } from './route-address';

interface Wanted {
  readonly below: Map<string, Wanted>;
  all: boolean;
}

function treeOf(fields: readonly string[]): Wanted {
  const root: Wanted = { below: new Map(), all: false };
  for (const field of fields) {
    let node = root;
    for (const word of field.split('.')) {
      const next = node.below.get(word) ?? { below: new Map(), all: false };
      node.below.set(word, next);
      node = next;
    }
    node.all = true;
  }
  return root;
}

function pick(value: unknown, wanted: Wanted): unknown {
  if (wanted.all || typeof value !== 'object' || value === null) return value;
  const pickEach = (items: readonly unknown[]) => items.map((item) => pick(item, wanted));
  if (value instanceof JsonList) return value.mapBatches(pickEach);
  if (Array.isArray(value)) return pickEach(value);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inside]) => {
      const below = wanted.below.get(name);
      return below === undefined ? [] : [[name, pick(inside, below)]];
    }),
  );
}

/** Dates become strings, as in the response. */
const asSent = ({ body, hasLists }: HostResponse): unknown =>
  hasLists === true ? body : JSON.parse(JSON.stringify(body ?? null));

/** An enveloped response always has status 200. */
export function shapeAnswer(answer: HostResponse, query: AddressQuery): HostResponse {
  const fields = listOf(query, '_fields') ?? [];
  const body = fields.length > 0 && answer.status < 400 ? pick(asSent(answer), treeOf(fields)) : answer.body;
  if (!Object.hasOwn(query, '_envelope')) return { ...answer, body };
  return { ...answer, status: 200, body: { body, status: answer.status, headers: answer.headers ?? {} } };
}
