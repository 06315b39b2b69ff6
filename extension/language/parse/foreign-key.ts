import {
  clauseOfView,
  joinMode,
  type KeyPlace,
  keySynonym,
  otherClause,
  SORTS_IN_RESULT,
  skipsRows,
  writtenElsewhere,
} from '../names/foreign-keys';
import { type Contract, isEnabled } from '../types/contract';
import { isJsonObject, scalarText, valueAt } from '../types/json';
import type { Path } from '../types/path';
import { certainly, probably, remove, rename, write } from '../types/repair';
import type { Meant, WrongPlace } from './foreign-form';
import { havingMeant } from './foreign-having';
import { movedSortRule } from './foreign-sort';
import { CLAUSE_FEATURES } from './query-schema';

/** The feature of `offset` and `data_version`. */
const PAGES = 'result_offset';

/** Keys of `result` that need a feature; `result.return` needs one per format. */
const RESULT_FEATURES: Readonly<Record<string, string>> = {
  sample: 'sample',
  include_count: 'include_count',
};
const FORMAT_FEATURES: Readonly<Record<string, string>> = { csv: 'return_csv', parquet: 'return_parquet' };

/** What an unknown key means: a feature that is off, another name, or another place. */
export function unknownKey(place: WrongPlace): Meant | undefined {
  const { path, query, contract, value } = place;
  const key = scalarText(path.at(-1));
  const object = keyPlace(path.slice(0, -1));
  if (object === 'result') return unknownResultKey(key, place);
  if (key === 'as' && object !== 'time')
    return { fault: 'E_ALIAS_FORBIDDEN', repair: certainly(remove(path)) };
  const clauses: Readonly<Record<string, string>> = CLAUSE_FEATURES;
  const feature = object === 'view' && Object.hasOwn(clauses, key) ? (clauses[key] ?? key) : undefined;
  if (feature !== undefined && contract.rules.features.has(feature)) return { feature };
  // Only the time of a view has no zone.
  if (object === 'time' && key === 'tz') {
    const isSame = isJsonObject(query.time) && query.time.tz === value;
    return isSame ? { repair: certainly(remove(path)) } : { given: { hint: 'one zone' } };
  }
  if (object === 'top' && key === 'version') {
    const version = typeof value === 'string' ? value.slice(0, 10) : 'latest';
    // In another version, the query could mean something else.
    const repair = value === contract.version ? certainly(remove(path)) : undefined;
    return { given: { hint: 'other version', version }, repair };
  }
  if (object === 'top' && isResultKey(key, contract)) {
    const edits = [remove(path), write(['result', key], value ?? null)];
    if (!isJsonObject(query.result)) return { repair: probably(...edits) };
    if (!(key in query.result)) return { repair: certainly(...edits) };
    return { given: { hint: 'same key', meant: `result.${key}` } };
  }
  if (object === 'view' && ['limit', 'top', 'head'].includes(key))
    return { given: { hint: 'limit in view' } };
  if ((object === 'view' || object === 'top') && skipsRows(key) !== undefined && isEnabled(contract, PAGES))
    return { given: { hint: object === 'view' ? 'offset in view' : 'page' } };
  if (object === 'top' && (key === 'tz' || keySynonym('time', key)?.key === 'tz')) return movedZone(place);
  const clause = object === 'view' && isEnabled(contract, 'calc') ? otherClause(key) : undefined;
  if (clause === 'having') return havingMeant(place);
  if (clause !== undefined) return { given: { hint: clause } };
  return otherForm(key, place) ?? (object && renamedKey(object, place)) ?? inView(key, object, place);
}

/** A zone next to the time. */
function movedZone({ query: { time }, path, value = null }: WrongPlace): Meant {
  if (isJsonObject(time) && time.tz === value) return { repair: certainly(remove(path)) };
  return isJsonObject(time) && !('tz' in time)
    ? { repair: certainly(remove(path), write(['time', 'tz'], value)) }
    : { given: { hint: 'same key', meant: 'time.tz' } };
}

/** The features that the hints of `writtenElsewhere` need. */
const FORMS = {
  'other period': 'view_time',
  'time part': 'allpv_time_parts',
  totals: 'calc',
  format: 'answer_formats',
} as const;

/** Keys that QAL writes in another form, whatever the object. */
function otherForm(key: string, { contract }: WrongPlace): Meant | undefined {
  const form = writtenElsewhere(key);
  if (form === undefined) return undefined;
  if (isEnabled(contract, FORMS[form])) return { given: { hint: form } };
  return form === 'other period' ? { given: { hint: 'other query' } } : undefined;
}

/** Moves a clause from the top level or the result into the view that the result uses, unless the view has it already. */
function inView(key: string, object: KeyPlace | undefined, place: WrongPlace): Meant | undefined {
  const { query, path, value = null } = place;
  if (object !== 'top' && object !== 'result') return undefined;
  const other = otherClause(key);
  if (other === 'grouping') return { given: { hint: other } };
  if (other === 'having') return { given: { hint: 'in view', clause: 'filter' } };
  const clause = clauseOfView(key);
  if (clause === undefined) return undefined;
  const { result } = query;
  const use = isJsonObject(result) && typeof result.use === 'string' ? result.use : '';
  const view = valueAt(query, ['make', use]);
  // A filter in the result may be about a calc.
  const isMovable = isJsonObject(view) && !(clause in view) && !(clause === 'filter' && 'calc' in view);
  return isMovable
    ? { repair: probably(remove(path), write(['make', use, clause], value)) }
    : { given: { hint: 'in view', clause } };
}

function unknownResultKey(key: string, place: WrongPlace): Meant | undefined {
  const { contract, value, query, path } = place;
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
  const skips = skipsRows(key);
  if (skips === undefined)
    return otherForm(key, place) ?? renamedKey('result', place) ?? inView(key, 'result', place);
  if (!isEnabled(contract, PAGES)) return { given: { hint: 'skip' } };
  const isCount = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  const isFree = valueAt(query, ['result', 'offset']) === undefined;
  return skips === 'count' && isCount && isFree
    ? { repair: certainly(rename(path, 'offset')) }
    : { given: { hint: 'page' } };
}

const isResultKey = (key: string, contract: Contract): boolean =>
  ['limit', 'use', 'count_only'].includes(key) || (key === 'offset' && isEnabled(contract, PAGES));

/** The kind of object at a path. */
function keyPlace(path: Path): KeyPlace | undefined {
  const [section = 'top', , clause] = path;
  if (path.length <= 1)
    return section === 'top' || section === 'time' || section === 'result' ? section : undefined;
  if (section !== 'make') return undefined;
  if (path.length === 2) return 'view';
  return path.length === 3 && (clause === 'join' || clause === 'time') ? clause : undefined;
}

/** Renames a synonym if the object can have the key and does not have it yet. */
function renamedKey(object: KeyPlace, { path, query, keys, value }: WrongPlace): Meant | undefined {
  const synonym = keySynonym(object, scalarText(path.at(-1)));
  if (synonym === undefined) return undefined;
  const isOtherMode = typeof value !== 'string' || joinMode(value) === undefined;
  if (synonym.key === 'if not match' && isOtherMode) return { given: { hint: 'join mode' } };
  if (synonym.key === 'qal' && typeof value === 'string') return { given: { hint: 'sql' } };
  const isWrapper = synonym.key === 'qal' && Object.keys(query).length === 1;
  const isFree = valueAt(query, [...path.slice(0, -1), synonym.key]) === undefined;
  if (!isWrapper && !keys.includes(synonym.key)) return undefined;
  if (!isWrapper && !isFree) return { given: { hint: 'same key', meant: synonym.key } };
  const edit = rename(path, synonym.key);
  return { repair: synonym.certain ? certainly(edit) : probably(edit) };
}
