// The parameters of WordPress that shape any answer: `_fields` picks fields, `_envelope` puts status and headers into the
// body. Errors keep all their fields.
import type { AddressQuery } from '../auth/authentication';
import { type HostResponse, JsonList } from '../extension-api';
import { listOf } from './route-address';

/** A tree of field names: all of a field, or only what is below. */
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

/** As it is sent: a Date is a text. A body with lists has none. */
const asSent = ({ body, hasLists }: HostResponse): unknown =>
  hasLists === true ? body : JSON.parse(JSON.stringify(body ?? null));

/** Picks `_fields`, then wraps where `_envelope` is there; a wrapped answer is always a 200. */
export function shapeAnswer(answer: HostResponse, query: AddressQuery): HostResponse {
  const fields = listOf(query, '_fields') ?? [];
  const body = fields.length > 0 && answer.status < 400 ? pick(asSent(answer), treeOf(fields)) : answer.body;
  if (!Object.hasOwn(query, '_envelope')) return { ...answer, body };
  return { ...answer, status: 200, body: { body, status: answer.status, headers: answer.headers ?? {} } };
}
