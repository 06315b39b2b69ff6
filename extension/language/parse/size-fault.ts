// Checks the sizes of a query first, since each view, column and value takes time in every phase.
// query -> the first list or object in document order that exceeds a limit.
import type { Contract } from '../types/contract';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import type { Path } from '../types/path';
import type { PlacedFault } from './cross-checks';
import type { QueryDocument } from './read-document';

type Size = 'views' | 'columns' | 'values';

/** The only fault of a query that is too large. */
export function sizeFault(
  { make }: JsonObject,
  document: QueryDocument,
  { rules: { limits } }: Contract,
): PlacedFault | undefined {
  if (!isJsonObject(make)) return undefined;
  const views = document.keysOf(make);
  const tooMany = tooLarge(['make'], 'views', views.length, limits.max_views);
  if (tooMany !== undefined) return tooMany;
  for (const name of views) {
    const found = inView(make[name], ['make', name], document, limits);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inView(
  view: JsonValue | undefined,
  path: Path,
  document: QueryDocument,
  limits: Contract['rules']['limits'],
): PlacedFault | undefined {
  if (!isJsonObject(view)) return undefined;
  const { keep, calc, filter } = view;
  const columns = [...path, isJsonList(keep) ? 'keep' : 'calc'];
  const count = sizeOf(keep) + sizeOf(calc);
  return (
    tooLarge(columns, 'columns', count, limits.max_columns) ??
    listIn(filter, [...path, 'filter'], document, limits.max_list_values)
  );
}

/** The first list in a filter, at any depth, that is too long. */
function listIn(
  value: JsonValue | undefined,
  path: Path,
  document: QueryDocument,
  max: number,
): PlacedFault | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (isJsonList(value) && value.length > max) return tooLarge(path, 'values', value.length, max);
  for (const step of isJsonList(value) ? value.keys() : document.keysOf(value)) {
    const inner = valueAt(value, [step]);
    if (inner === null || typeof inner !== 'object') continue;
    const found = listIn(inner, [...path, step], document, max);
    if (found !== undefined) return found;
  }
  return undefined;
}

const sizeOf = (value: JsonValue | undefined): number =>
  value === null || typeof value !== 'object'
    ? 0
    : isJsonList(value)
      ? value.length
      : Object.keys(value).length;

const tooLarge = (path: Path, what: Size, count: number, max: number): PlacedFault | undefined =>
  count > max ? { path, fault: `E_QUERY_TOO_LARGE ${what}`, meant: { given: { count, max } } } : undefined;
