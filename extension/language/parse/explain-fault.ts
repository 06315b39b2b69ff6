import type { Fault } from '../errors/fault';
import { featureError } from '../errors/feature-error';
import { hintOf } from '../errors/hint-failure';
import { faultError, type QueryError } from '../errors/query-error';
import { nearest } from '../names/nearest';
import { wordsOf } from '../types/contract';
import { filterListNamed } from '../types/filter-lists';
import { isJsonList, isJsonObject, type JsonObject, scalarText, valueAt } from '../types/json';
import { formatPath } from '../types/path';
import type { PlacedFault } from './cross-checks';
import { columnPlace } from './foreign-condition';
import type { ParseContext } from './foreign-form';
import { intendedMeaning } from './foreign-forms';
import { looseSource } from './loose-source';
import { keysAround } from './normalize-query';
import { joinModes } from './query-schema';

/** Errors reported at an enclosing object or list, with the number of path steps to keep. */
const STEPS: Partial<Readonly<Record<Fault, number>>> = {
  'E_INVALID_VIEW from': 2,
  'E_INVALID_VIEW keep': 2,
  E_INVALID_FROM: 3,
  'E_ADD_NOT_SUBSET_OF_CALC shape': 3,
};

/** Errors reported at the operator in a filter. */
const AT_OPERATOR: ReadonlySet<Fault> = new Set<Fault>([
  'E_FILTER_INVALID value',
  'E_FILTER_INVALID list',
  'E_FILTER_INVALID range',
]);

/** Errors whose hint depends on the key alone. */
const HINTED_BY_KEY: ReadonlySet<Fault> = new Set<Fault>(['E_MISSING_FIELD', 'E_TIME_REQUIRED text']);

/** Returns the error for a fault. Looking for the intended meaning takes time, so it can be turned off for large bodies. */
export function explainFault(
  placed: PlacedFault,
  query: JsonObject,
  context: ParseContext,
  looksForMeaning = true,
): QueryError {
  const { fault } = placed;
  const { contract } = context;
  const steps = AT_OPERATOR.has(fault) ? columnPlace(placed.path).length + 1 : STEPS[fault];
  const path = placed.path.slice(0, steps);
  const isUnknownKey = placed.isUnknownKey === true && path.length === placed.path.length;
  const keys = keysAround(query, isUnknownKey ? path.slice(0, -1) : path, context);
  const wrong = { query, path, value: valueAt(query, path), keys, ...context };
  const meant = placed.meant ?? (looksForMeaning ? intendedMeaning(wrong, isUnknownKey) : undefined);
  if (meant?.feature !== undefined)
    return featureError(contract, meant.feature, formatPath(meant.path ?? path));
  const place = meant?.path ?? path;
  const key = place.at(-1);
  const received = valueAt(query, place);
  const calc = valueAt(query, [...place.slice(0, 2), 'calc']);
  const reported = meant?.fault ?? fault;
  const known = {
    received,
    key,
    list: place.slice(0, -1).findLast((step) => filterListNamed(step) !== undefined),
    hint: HINTED_BY_KEY.has(fault) ? scalarText(key) : undefined,
    keys,
    nearest: isUnknownKey ? hintOf(() => nearest(scalarText(key), keys), context) : undefined,
    material: looseSource(query, place).name,
    calc: reported.startsWith('E_ADD') && isJsonObject(calc) ? Object.keys(calc) : [],
    functions: Object.keys(wordsOf(contract, 'calc_functions')),
    modes: joinModes(contract),
    operators: Object.keys(wordsOf(contract, 'filter_operators')),
    count: isJsonList(received) ? received.length : undefined,
    max: contract.rules.limits[place[0] === 'result' ? 'max_rows' : 'max_list_values'],
  };
  return faultError(reported, formatPath(place), { ...known, ...meant?.given }, meant?.repair);
}
