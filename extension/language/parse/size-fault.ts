import type { Contract } from '../types/contract';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import type { Path } from '../types/path';
import type { PlacedFault } from './cross-checks';
import type { QueryDocument } from './read-document';

const LIMITS = { views: 'max_views', columns: 'max_columns', values: 'max_list_values' } as const;

interface Size {
  readonly path: Path;
  readonly what: keyof typeof LIMITS;
  readonly count: number;
}

/** The first part of a query that exceeds a limit. It is the only error reported, since each part takes time in every phase. */
export function sizeFault(
  { make }: JsonObject,
  document: QueryDocument,
  { rules: { limits } }: Contract,
): PlacedFault | undefined {
  for (const { path, what, count } of sizesIn(make, document)) {
    const max = limits[LIMITS[what]];
    if (count > max) return { path, fault: `E_QUERY_TOO_LARGE ${what}`, meant: { given: { count, max } } };
  }
  return undefined;
}

/** Yields the sizes in document order. */
function* sizesIn(make: JsonValue | undefined, document: QueryDocument): Generator<Size> {
  if (!isJsonObject(make)) return;
  const names = document.keysOf(make);
  yield { path: ['make'], what: 'views', count: names.length };
  for (const name of names) {
    const view = make[name];
    if (!isJsonObject(view)) continue;
    const { keep, calc, filter } = view;
    const path = ['make', name, isJsonList(keep) ? 'keep' : 'calc'];
    yield { path, what: 'columns', count: lengthOf(keep) + lengthOf(calc) };
    yield* listsIn(filter, ['make', name, 'filter'], document);
    for (const calcName of isJsonObject(calc) ? document.keysOf(calc) : [])
      yield* listsIn(
        valueAt(calc ?? null, [calcName, 'filter']),
        ['make', name, 'calc', calcName, 'filter'],
        document,
      );
  }
}

/** The lists in a filter, at any depth. */
function* listsIn(value: JsonValue | undefined, path: Path, document: QueryDocument): Generator<Size> {
  if (value === null || typeof value !== 'object') return;
  if (isJsonList(value)) yield { path, what: 'values', count: value.length };
  for (const step of isJsonList(value) ? value.keys() : document.keysOf(value)) {
    const inner = valueAt(value, [step]);
    if (inner !== null && typeof inner === 'object') yield* listsIn(inner, [...path, step], document);
  }
}

const lengthOf = (value: JsonValue | undefined): number =>
  isJsonList(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0;
