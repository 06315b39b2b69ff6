import {
  isJoinMode,
  type KeyPlace,
  keySynonym,
  otherClause,
  skipsRows,
  writtenElsewhere,
} from '../names/foreign-keys';
import { toolOf } from '../names/other-tools';
import { isEnabled } from '../types/contract';
import { isJsonObject, scalarText, valueAt } from '../types/json';
import type { Path } from '../types/path';
import { certainly, probably, remove, rename, write } from '../types/repair';
import type { Meant, WrongPlace } from './foreign-form';
import { movedSortRule, SORTS_IN_RESULT } from './foreign-sort';
import { CLAUSE_FEATURES, JOIN_FEATURES } from './query-schema';

/** The feature that `offset` and `data_version` need. */
const PAGES = 'result_offset';

/** Keys of `result` that need a feature; `result.return` needs one per format. */
const RESULT_FEATURES: Readonly<Record<string, string>> = {
  sample: 'sample',
  include_count: 'include_count',
};
const FORMAT_FEATURES: Readonly<Record<string, string>> = { csv: 'return_csv', parquet: 'return_parquet' };

/** The meaning of an unknown key: a feature that is off, a key with a different name, or a key that belongs elsewhere. */
export function unknownKey(place: WrongPlace): Meant | undefined {
  const { path, query, contract } = place;
  const key = scalarText(path.at(-1));
  const object = keyPlace(path.slice(0, -1));
  const tool = object === 'top' && isEnabled(contract, 'calc') ? toolOf(query) : undefined;
  if (tool !== undefined) return { given: { hint: tool, tool } };
  if (object === 'result') return unknownResultKey(key, place);
  if (key === 'as' && object !== 'time')
    return { fault: 'E_ALIAS_FORBIDDEN', repair: certainly(remove(path)) };
  const features: Readonly<Record<string, string>> =
    object === 'view' ? CLAUSE_FEATURES : object === 'join' ? JOIN_FEATURES : {};
  const feature = Object.hasOwn(features, key) ? features[key] : undefined;
  if (feature !== undefined && contract.rules.features.has(feature)) return { feature };
  // Only a view's time has no zone.
  if (object === 'time' && key === 'tz') return { given: { hint: 'one zone' } };
  if (object === 'top' && key === 'version') return otherVersion(place);
  if (object === 'top' && ['limit', 'use', 'count_only'].includes(key)) return inResult(key, place);
  if (object === 'view' && ['limit', 'top'].includes(key)) return { given: { hint: 'limit in view' } };
  if (object === 'top' && (keySynonym.time(key) ?? key) === 'tz') return { given: { hint: 'in time' } };
  if (object !== undefined && skipsRows(key) && isEnabled(contract, PAGES))
    return { given: { hint: object === 'view' ? 'offset in view' : 'page' } };
  if (object === 'join' && isJoinMode(key)) return { given: { hint: 'join mode' } };
  const clause = object === 'view' && isEnabled(contract, 'calc') ? otherClause(key) : undefined;
  if (clause !== undefined) return { given: { hint: clause } };
  return otherForm(key, place) ?? (object && renamedKey(object, place)) ?? inView(key, object);
}

function inResult(key: string, { path, query, value = null }: WrongPlace): Meant {
  if (isJsonObject(query.result) && key in query.result)
    return { given: { hint: 'same key', meant: `result.${key}` } };
  const repair = isJsonObject(query.result) ? certainly : probably;
  return { repair: repair(remove(path), write(['result', key], value)) };
}

function otherVersion({ path, value, contract }: WrongPlace): Meant {
  const version = typeof value === 'string' ? value.slice(0, 10) : 'latest';
  // In another version, the query could mean something else.
  const repair = value === contract.version ? certainly(remove(path)) : undefined;
  return { given: { hint: 'other version', version }, repair };
}

/** The features that the hints of `writtenElsewhere` need. */
const FORMS = {
  'other period': 'view_time',
  'time part': 'allpv_time_parts',
  totals: 'calc',
  format: 'answer_formats',
} as const;

/** Recognizes keys, in any object, for things that are written differently in QAL. */
function otherForm(key: string, { contract }: WrongPlace): Meant | undefined {
  const form = writtenElsewhere(key);
  if (form === undefined) return undefined;
  if (isEnabled(contract, FORMS[form])) return { given: { hint: form } };
  return form === 'other period' ? { given: { hint: 'other query' } } : undefined;
}

const VIEW_CLAUSES = ['from', 'keep', 'filter', 'join', 'calc', 'sort'];

/** Recognizes a view clause at the top level or in the result. */
function inView(key: string, object: KeyPlace | undefined): Meant | undefined {
  if (object !== 'top' && object !== 'result') return undefined;
  const other = otherClause(key);
  if (other === 'grouping') return { given: { hint: other } };
  const clause = other === 'having' ? 'filter' : (keySynonym.view(key) ?? key);
  return VIEW_CLAUSES.includes(clause) ? { given: { hint: 'in view', clause } } : undefined;
}

function unknownResultKey(key: string, place: WrongPlace): Meant | undefined {
  const { contract, value } = place;
  if (Object.hasOwn(RESULT_FEATURES, key)) return { feature: RESULT_FEATURES[key] ?? key };
  if (key === 'return') {
    const format = isJsonObject(value) ? value.format : undefined;
    const feature = typeof format === 'string' ? FORMAT_FEATURES[format.toLowerCase()] : undefined;
    return { feature: feature ?? 'return_file' };
  }
  if (SORTS_IN_RESULT.includes(key) && isEnabled(contract, 'sort')) return movedSortRule(place);
  if (key === 'sort') return { feature: key };
  if (['offset', 'data_version'].includes(key) && contract.rules.features.has(PAGES))
    return { feature: PAGES };
  if (skipsRows(key)) return { given: { hint: isEnabled(contract, PAGES) ? 'page' : 'skip' } };
  return otherForm(key, place) ?? renamedKey('result', place) ?? inView(key, 'result');
}

/** The kind of object at a path. */
function keyPlace(path: Path): KeyPlace | undefined {
  const [section = 'top', , clause] = path;
  if (path.length <= 1)
    return section === 'top' || section === 'time' || section === 'result' ? section : undefined;
  if (section !== 'make') return undefined;
  if (path.length === 2) return 'view';
  return path.length === 3 && (clause === 'join' || clause === 'time') ? clause : undefined;
}

/** Renames a synonym to the key that it means, if the object may have that key and does not have it yet. */
function renamedKey(object: KeyPlace, { path, query, keys, value }: WrongPlace): Meant | undefined {
  const meant = keySynonym[object](scalarText(path.at(-1)));
  if (meant === undefined) return undefined;
  if (meant === 'qal') {
    if (typeof value === 'string') return { given: { hint: 'sql' } };
    return Object.keys(query).length === 1 ? { repair: certainly(rename(path, meant)) } : undefined;
  }
  if (!keys.includes(meant)) return undefined;
  const isFree = valueAt(query, [...path.slice(0, -1), meant]) === undefined;
  if (!isFree) return { given: { hint: 'same key', meant } };
  return { repair: (UNSURE.includes(meant) ? probably : certainly)(rename(path, meant)) };
}

/** Synonyms of these keys may take different values: an end date may be inclusive. */
const UNSURE = ['tracking_id', 'start', 'end'];
