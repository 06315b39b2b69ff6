// Owns the faults of shape inside `join`.
// what was written -> E_INVALID_JOIN with the right form of that very value.
import { type QueryError, queryError } from '../../errors/query-error';
import { joinModeSynonym } from '../names/synonyms';
import { isJsonList, isJsonObject, type JsonValue, valueAt } from '../types/json';
import { formatPath, type Path } from '../types/path';
import { certainly, type Repair, write } from '../types/repair';
import { type LooseSource, looseSource, textIn } from './loose-source';
import { OUTPUT_NAME, QUALIFIED_NAME } from './query-schema';
import type { Fault } from './shape-faults';

/** `join` that is no object. */
export function joinFault({ at, path, received }: Fault): QueryError {
  if (!isJsonList(received)) return queryError('E_INVALID_JOIN', at, { problem: 'shape', received });
  const [only] = received;
  const repair =
    received.length === 1 && isJsonObject(only) ? certainly(write(path.slice(0, 3), only)) : undefined;
  return queryError('E_INVALID_JOIN', at, { problem: 'several' }, repair);
}

/** `with` that is no text. */
export function joinWithFault({ at, path, received }: Fault): QueryError {
  const name = textIn(received);
  const repair = name === undefined || name === '' ? undefined : certainly(write(path.slice(0, 4), name));
  return queryError('E_INVALID_JOIN', at, { problem: 'with-shape', received }, repair);
}

/** `on` that is no list of pairs; one pair alone, or a column that both sides have, is as good as a list. */
export function joinOnFault({ at, path, received, query }: Fault): QueryError {
  const pairs = isJsonList(received) ? received : received === undefined ? [] : [received];
  const meant = pairs.map((pair) => pairIn(pair, looseSource(query, path)));
  const repair =
    meant.length > 0 && meant.every((pair) => pair !== undefined)
      ? certainly(write(path.slice(0, 4), meant))
      : undefined;
  return queryError('E_INVALID_JOIN', at, { problem: 'on', received }, repair);
}

/** A pair that is no object: the name of a column that both sides have. */
export function joinPairFault({ at, path, received, query }: Fault): QueryError {
  const pair = pairIn(received, looseSource(query, path));
  const repair = pair === undefined ? undefined : certainly(write(path.slice(0, 5), pair));
  return queryError('E_INVALID_JOIN', at, { problem: 'on', received }, repair);
}

function pairIn(written: JsonValue | undefined, source: LooseSource): JsonValue | undefined {
  if (isJsonObject(written)) return written;
  if (typeof written !== 'string' || !OUTPUT_NAME.test(written)) return undefined;
  return source.joined === undefined || source.joined === ''
    ? undefined
    : { left: `${source.material}.${written}`, right: `${source.joined}.${written}` };
}

/** A side of a pair that is absent, no text or unqualified. */
export const joinSideFault =
  (side: 'left' | 'right'): ((fault: Fault) => QueryError) =>
  ({ path, received, query }) => {
    const place = path.slice(0, 6);
    const repair = sideRepair(side, place, received, query);
    return queryError('E_INVALID_JOIN', formatPath(place), { problem: 'reference', received }, repair);
  };

/** Both sides of a pair name one key, so that each tells the other. */
function sideRepair(
  side: 'left' | 'right',
  place: Path,
  received: JsonValue | undefined,
  query: JsonValue,
): Repair | undefined {
  const source = looseSource(query, place);
  const prefix = side === 'left' ? source.material : source.joined;
  const other = valueAt(query, [...place.slice(0, 5), side === 'left' ? 'right' : 'left']);
  const written = received ?? other;
  if (typeof written !== 'string' || prefix === undefined || prefix === '') return undefined;
  const column = OUTPUT_NAME.test(written) ? written : QUALIFIED_NAME.exec(written)?.[2];
  return column === undefined ? undefined : certainly(write(place, `${prefix}.${column}`));
}

/** `if not match` that is none of its two words. */
export function joinModeFault({ at, path, received }: Fault): QueryError {
  const mode = typeof received === 'string' ? joinModeSynonym(received.slice(0, 40)) : undefined;
  const repair = mode === undefined ? undefined : certainly(write(path.slice(0, 4), mode));
  return queryError('E_INVALID_JOIN', at, { problem: 'mode', received }, repair);
}

/** `fill` that is a list or an object. */
export function joinFillFault({ at, received }: Fault): QueryError {
  return queryError('E_INVALID_JOIN', at, { problem: 'fill-shape', received });
}
