// Owns the faults of keys that an object of the query does not have.
// object's path + key -> the feature that is off, the place where the key belongs, or the nearest key.
import type { Contract } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import { isJsonObject, type JsonValue, valueAt } from '../types/json';
import { formatPath, type Path } from '../types/path';
import { CLAUSE_SCHEMAS } from './query-schema';

/** Clauses of a view that have a feature flag: all that are built, and join. */
const CLAUSE_FEATURES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(CLAUSE_SCHEMAS).map(([clause, { feature }]) => [clause, feature] as const),
  ['join', 'join'],
]);

/** Keys of `result` that stand for a feature of their own. */
const RESULT_FEATURES: ReadonlyMap<string, string> = new Map([
  ['sample', 'sample'],
  ['include_count', 'include_count'],
  ['return', 'return_file'],
]);

const KEYS: readonly (readonly [pattern: RegExp, keys: readonly string[]])[] = [
  [/^$/, ['tracking_id', 'materials', 'time', 'make', 'result']],
  [/^materials\[\d+\]$/, ['name']],
  [/^time$/, ['start', 'end', 'tz']],
  [/^make\.[^.]+$/, ['from', 'keep', ...CLAUSE_FEATURES.keys()]],
];

/** The error of an unknown key of the object at `path`. */
export function explainUnknownKey(path: Path, key: string, query: JsonValue, contract: Contract): QueryError {
  const place = formatPath(path) ?? '';
  const at = formatPath([...path, key]);
  const inView = path.length === 2 && path[0] === 'make';
  if (key === 'as' && (inView || path[0] === 'materials' || path.length === 0)) {
    return queryError('E_ALIAS_FORBIDDEN', at, undefined);
  }
  if (inView && CLAUSE_FEATURES.has(key)) {
    return queryError('E_FEATURE_DISABLED', at, { feature: CLAUSE_FEATURES.get(key) ?? key });
  }
  if (place === 'result') return resultKey(key, at, query, contract);
  if (path.length === 3 && path[2] === 'sort') {
    return queryError('E_INVALID_SORT', at, { problem: 'key', received: key });
  }
  const allowed = KEYS.find(([pattern]) => pattern.test(place))?.[1] ?? [];
  return queryError('E_UNKNOWN_FIELD', at, {
    key,
    allowed,
    nearest: nearest(key, allowed),
    hint: elsewhere(key, path, query),
  });
}

function resultKey(key: string, at: string | undefined, query: JsonValue, contract: Contract): QueryError {
  const feature = RESULT_FEATURES.get(key);
  if (feature !== undefined) return queryError('E_FEATURE_DISABLED', at, { feature });
  return queryError('E_RESULT_FORBIDDEN_KEY', at, {
    key,
    hint: sortHint(key, query) ?? didYouMeanResultKey(key, contract.rules.request.result_keys),
  });
}

const didYouMeanResultKey = (key: string, keys: readonly string[]): string | undefined => {
  const near = nearest(key, keys);
  return near === undefined ? undefined : `Did you mean "${near}"?`;
};

/** `sort`, `order_by` or `dir` in result: the same words, in the view that the result uses. */
function sortHint(key: string, query: JsonValue): string | undefined {
  if (!['sort', 'sort_by', 'order', 'order_by', 'by', 'dir', 'direction', 'top'].includes(key))
    return undefined;
  const use = valueAt(query, ['result', 'use']);
  const given = valueAt(query, ['result', key]);
  const isSort = isJsonObject(given) && 'by' in given;
  const sort = isSort ? JSON.stringify(given) : '{"by": "views", "order": "desc"}';
  return `Sorting belongs to the view: make.${typeof use === 'string' ? use : 'top'}.sort = ${sort}.`;
}

/** Keys that belong somewhere else in the request. */
function elsewhere(key: string, path: Path, query: JsonValue): string | undefined {
  if (path.length === 0 && key === 'version') {
    return `The version stands in the address: POST /query?version=${String(valueAt(query, ['version']) ?? 'latest')}.`;
  }
  if (path.length === 0 && ['limit', 'use', 'count_only'].includes(key))
    return `Move "${key}" into "result".`;
  if (path.length === 2 && key === 'limit')
    return 'Write "result": {"limit": ...}, or "sort": {..., "top": ...} in the view.';
  return undefined;
}
