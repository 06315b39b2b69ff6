// Owns the faults of keys that an object of the query does not have.
// object's path + key -> the feature that is off, the place where the key belongs, or the nearest key.
import { type Contract, featureError, isEnabled } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import { isJsonObject, type JsonValue, valueAt } from '../types/json';
import { formatPath, type Path } from '../types/path';
import { certainly, type Repair, remove, rename, write } from '../types/repair';
import { CLAUSE_SCHEMAS } from './query-schema';
import { sortInResult, sortKeyFault, sortsInResult } from './sort-faults';

/** Clauses of a view that have a feature flag. */
const CLAUSE_FEATURES: ReadonlyMap<string, string> = new Map(
  Object.entries(CLAUSE_SCHEMAS).map(([clause, { feature }]) => [clause, feature]),
);

/** Keys of `result` that stand for a feature of their own. */
const RESULT_FEATURES: ReadonlyMap<string, string> = new Map([
  ['sample', 'sample'],
  ['include_count', 'include_count'],
]);

/** Forms of an answer, as `result.return.format` names them. */
const FORMAT_FEATURES: ReadonlyMap<string, string> = new Map([
  ['csv', 'return_csv'],
  ['parquet', 'return_parquet'],
]);

/** Other spellings of the keys of a join, in small letters without spaces and signs. */
const JOIN_KEYS: ReadonlyMap<string, string> = new Map([
  ['ifnotmatch', 'if not match'],
  ['ifnotmatched', 'if not match'],
  ['ifnomatch', 'if not match'],
  ['type', 'if not match'],
  ['how', 'if not match'],
  ['mode', 'if not match'],
  ['jointype', 'if not match'],
  ['material', 'with'],
  ['table', 'with'],
]);

/** The keys of the object at a path. */
function keysAt(path: Path, contract: Contract): readonly string[] {
  if (path.length === 0) return contract.rules.request.required;
  if (path[0] === 'materials') return ['name'];
  if (path[0] === 'time') return ['start', 'end', 'tz'];
  if (path[2] !== 'join') return ['from', 'keep', ...CLAUSE_FEATURES.keys()];
  return path.length === 3 ? ['with', 'on', 'if not match', 'fill'] : ['left', 'right'];
}

/** Objects in which clients try to give another name. */
const takesNoAlias = (path: Path): boolean =>
  path.length === 0 ||
  path[0] === 'materials' ||
  (path[0] === 'make' && (path.length === 2 || path[2] === 'join'));

/** The error of an unknown key of the object at `path`. */
export function explainUnknownKey(path: Path, key: string, query: JsonValue, contract: Contract): QueryError {
  const place = [...path, key];
  const at = formatPath(place);
  if (key === 'as' && takesNoAlias(path))
    return queryError('E_ALIAS_FORBIDDEN', at, undefined, certainly(remove(place)));
  const feature = path.length === 2 && path[0] === 'make' ? CLAUSE_FEATURES.get(key) : undefined;
  if (feature !== undefined) return featureError(contract, feature, at);
  if (path[0] === 'result') return resultKey(key, at, query, contract);
  if (path.length === 3 && path[2] === 'sort') return sortKeyFault(path, key, at, query);
  const allowed = keysAt(path, contract);
  const parameters = { key, allowed, nearest: nearest(key, allowed), belongs: belongs(place, query) };
  return queryError('E_UNKNOWN_FIELD', at, parameters, keyRepair(path, key, query));
}

/** A key beside `qal`. Taking the version out leaves the query as it is. */
export function explainBesideQal(key: string, value: JsonValue | undefined): QueryError {
  const isVersion = key === 'version';
  const belongsTo = isVersion ? ({ to: 'address', version: value } as const) : ({ to: 'qal' } as const);
  const parameters = { key, allowed: ['qal'], belongs: belongsTo };
  const repair = isVersion ? certainly(remove([key])) : undefined;
  return queryError('E_UNKNOWN_FIELD', formatPath([key]), parameters, repair);
}

function resultKey(key: string, at: string | undefined, query: JsonValue, contract: Contract): QueryError {
  const feature = key === 'return' ? returnFeature(query) : RESULT_FEATURES.get(key);
  if (feature !== undefined) return featureError(contract, feature, at);
  if (sortsInResult(key) && isEnabled(contract, 'sort')) return sortInResult(key, at, query, contract);
  if (key === 'sort') return featureError(contract, key, at);
  const keys = contract.rules.request.result_keys;
  return queryError('E_RESULT_FORBIDDEN_KEY', at, { key, keys, nearest: nearest(key, keys), sorts: false });
}

function returnFeature(query: JsonValue): string {
  const format = valueAt(query, ['result', 'return', 'format']);
  return (typeof format === 'string' && FORMAT_FEATURES.get(format.toLowerCase())) || 'return_file';
}

/** Where a key belongs that has no one right place. */
function belongs(place: Path, query: JsonValue) {
  if (place.length === 1 && place[0] === 'version')
    return { to: 'address', version: valueAt(query, place) } as const;
  return place.length === 3 && place[2] === 'limit' ? ({ to: 'result or sort' } as const) : undefined;
}

function keyRepair(path: Path, key: string, query: JsonValue): Repair | undefined {
  const place = [...path, key];
  if (path[2] === 'join' && path.length === 3) {
    const meant = JOIN_KEYS.get(
      key
        .slice(0, 40)
        .toLowerCase()
        .replace(/[\s_-]/g, ''),
    );
    const isFree = meant !== undefined && valueAt(query, [...path, meant]) === undefined;
    return isFree ? certainly(rename(place, meant)) : undefined;
  }
  if (path.length > 0) return undefined;
  if (key === 'version') return certainly(remove(place));
  const result = valueAt(query, ['result']);
  const value = valueAt(query, place);
  if (!['limit', 'use', 'count_only'].includes(key) || !isJsonObject(result) || value === undefined)
    return undefined;
  return key in result ? undefined : certainly(remove(place), write(['result', key], value));
}
