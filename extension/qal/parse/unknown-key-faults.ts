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

/** The keys of the object at a path. */
function keysAt(path: Path, contract: Contract): readonly string[] {
  if (path.length === 0) return contract.rules.request.required;
  if (path[0] === 'materials') return ['name'];
  return path[0] === 'time' ? ['start', 'end', 'tz'] : ['from', 'keep', ...CLAUSE_FEATURES.keys()];
}

/** The error of an unknown key of the object at `path`. */
export function explainUnknownKey(path: Path, key: string, query: JsonValue, contract: Contract): QueryError {
  const at = formatPath([...path, key]);
  const inView = path.length === 2 && path[0] === 'make';
  if (key === 'as' && (inView || path[0] === 'materials' || path.length === 0)) {
    return queryError('E_ALIAS_FORBIDDEN', at, undefined);
  }
  if (inView && CLAUSE_FEATURES.has(key)) {
    return queryError('E_FEATURE_DISABLED', at, { feature: CLAUSE_FEATURES.get(key) ?? key });
  }
  if (path[0] === 'result') return resultKey(key, at, query, contract);
  if (path.length === 3 && path[2] === 'sort') {
    return queryError('E_INVALID_SORT', at, { problem: 'key', received: key });
  }
  const allowed = keysAt(path, contract);
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
  const keys = contract.rules.request.result_keys;
  return queryError('E_RESULT_FORBIDDEN_KEY', at, {
    key,
    keys,
    nearest: nearest(key, keys),
    hint: sortHint(key, query),
  });
}

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
