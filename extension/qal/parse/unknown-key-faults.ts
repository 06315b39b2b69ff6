// Owns the faults of keys that an object of the query does not have.
// object's path + key -> the feature that is off, the place where the key belongs, or the nearest key.
import { type Contract, featureError, isEnabled } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { type KeyPlace, type KeySynonym, keySynonym, otherClause, skipsRows } from '../names/key-synonyms';
import { nearest } from '../names/nearest';
import { joinModeSynonym } from '../names/synonyms';
import { isJsonObject, type JsonValue, valueAt } from '../types/json';
import { formatPath, type Path } from '../types/path';
import { certainly, probably, type Repair, remove, rename, write } from '../types/repair';
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

/** The keys of the object at a path. */
function keysAt(path: Path, contract: Contract): readonly string[] {
  if (path.length === 0) return contract.rules.request.required;
  if (path[0] === 'materials') return ['name'];
  if (path[0] === 'result') return contract.rules.request.result_keys;
  if (path[0] === 'time') return ['start', 'end', 'tz'];
  if (path[2] !== 'join') {
    const clauses = [...CLAUSE_FEATURES].filter(([, feature]) => isEnabled(contract, feature));
    return ['from', 'keep', ...clauses.map(([clause]) => clause)];
  }
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
  const parameters = {
    key,
    allowed,
    nearest: nearest(key, allowed),
    belongs: belongs(place, query, contract),
  };
  return queryError('E_UNKNOWN_FIELD', at, parameters, keyRepair(path, key, query, contract));
}

/** A key beside `qal`. */
export function explainBesideQal(
  key: string,
  value: JsonValue | undefined,
  { version }: Contract,
): QueryError {
  const isVersion = key === 'version';
  const belongsTo = isVersion ? ({ to: 'address', version: value } as const) : ({ to: 'qal' } as const);
  const parameters = { key, allowed: ['qal'], belongs: belongsTo };
  const repair = isVersion && value === version ? certainly(remove([key])) : undefined;
  return queryError('E_UNKNOWN_FIELD', formatPath([key]), parameters, repair);
}

function resultKey(key: string, at: string | undefined, query: JsonValue, contract: Contract): QueryError {
  const feature = key === 'return' ? returnFeature(query) : RESULT_FEATURES.get(key);
  if (feature !== undefined) return featureError(contract, feature, at);
  if (sortsInResult(key) && isEnabled(contract, 'sort')) return sortInResult(key, at, query, contract);
  if (key === 'sort') return featureError(contract, key, at);
  const keys = contract.rules.request.result_keys;
  const synonym = keySynonym('result', key);
  const repair = synonym && renamed(['result', key], synonym, query, contract);
  const parameters = { key, keys, nearest: nearest(key, keys), sorts: false, skips: skipsRows(key) };
  return queryError('E_RESULT_FORBIDDEN_KEY', at, parameters, repair);
}

function returnFeature(query: JsonValue): string {
  const format = valueAt(query, ['result', 'return', 'format']);
  return (typeof format === 'string' && FORMAT_FEATURES.get(format.toLowerCase())) || 'return_file';
}

/** A kind of join that there is not. */
const isOtherMode = (value: JsonValue | undefined): boolean =>
  typeof value !== 'string' || joinModeSynonym(value.slice(0, 40)) === undefined;

/** Which object of the query a path leads to. */
function placeOf(path: Path): KeyPlace | undefined {
  const [section = 'top', , clause] = path;
  if (path.length <= 1)
    return section === 'top' || section === 'time' || section === 'result' ? section : undefined;
  if (section !== 'make') return undefined;
  return path.length === 2 ? 'view' : clause === 'join' && path.length === 3 ? 'join' : undefined;
}

/** What a key says that has no one right place. */
function belongs(place: Path, query: JsonValue, contract: Contract) {
  const key = String(place.at(-1));
  const object = placeOf(place.slice(0, -1));
  if (object === 'top' && key === 'version')
    return { to: 'address', version: valueAt(query, place) } as const;
  if (
    object === 'join' &&
    keySynonym('join', key)?.key === 'if not match' &&
    isOtherMode(valueAt(query, place))
  )
    return { to: 'join mode' } as const;
  if (object !== 'view') return undefined;
  if (key === 'limit') return { to: 'result or sort' } as const;
  const clause = isEnabled(contract, 'calc') ? otherClause(key) : undefined;
  return clause && ({ to: clause } as const);
}

function keyRepair(path: Path, key: string, query: JsonValue, contract: Contract): Repair | undefined {
  const place = [...path, key];
  const value = valueAt(query, place);
  const object = placeOf(path);
  const synonym = object && keySynonym(object, key);
  if (synonym !== undefined) {
    if (synonym.key === 'if not match' && isOtherMode(value)) return undefined;
    return renamed(place, synonym, query, contract);
  }
  if (object !== 'top') return undefined;
  // Without the version that it asks for, the query would be another one at any other version.
  if (key === 'version') return value === contract.version ? certainly(remove(place)) : undefined;
  const result = valueAt(query, ['result']);
  if (!['limit', 'use', 'count_only'].includes(key) || !isJsonObject(result) || value === undefined)
    return undefined;
  return key in result ? undefined : certainly(remove(place), write(['result', key], value));
}

/** The key by its own name, where the object may have it and has it not. */
function renamed(
  place: Path,
  { key, certain }: KeySynonym,
  query: JsonValue,
  contract: Contract,
): Repair | undefined {
  const path = place.slice(0, -1);
  const isWrapper = key === 'qal' && isJsonObject(query) && Object.keys(query).length === 1;
  const isFree = valueAt(query, [...path, key]) === undefined;
  if (!isWrapper && !(keysAt(path, contract).includes(key) && isFree)) return undefined;
  return certain ? certainly(rename(place, key)) : probably(rename(place, key));
}
