// Conditions as other languages write them: `{"op": ">=", "value": 1}`, `{"nin": [1]}`, lists of conditions, and/or.
// Nothing that was written is left out: where the same condition has no form here, there is none.
import {
  COLUMN_KEYS,
  CONDITION_KEYS,
  logicWord,
  nearOperator,
  operatorForm,
  operatorSynonym,
  RANGE_ENDS,
} from '../names/foreign-words';
import { type Contract, isEnabled, wordsOf } from '../types/contract';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import { type FilterOperator, isListTest, isOrderTest } from '../types/parsed-query';
import type { Path } from '../types/path';
import { certainly, probably, type Repair, rename, write } from '../types/repair';
import { certainValue, type Meant, type Rule, type WrongPlace } from './foreign-form';

const isScalar = (value: JsonValue | undefined): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);
const isValue = (value: JsonValue | undefined): boolean => value !== null && isScalar(value);

const operatorsOf = (contract: Contract): readonly string[] =>
  Object.keys(wordsOf(contract, 'filter_operators'));

/** The place of the column that a place in a filter belongs to, in one of the filters of `any` too. */
export const columnPlace = (path: Path): Path =>
  path.slice(0, path[3] === 'any' && typeof path[4] === 'number' ? 6 : 4);

/** `[{"column": "pv", "op": "gte", "value": 2}]` -> `{"pv": {"gte": 2}}`; each column may stand there once. */
export const conditionsRule: Rule = ({ path, value, contract }) => {
  if (!isJsonList(value) || value.length === 0) return undefined;
  const operators = operatorsOf(contract);
  const filter = Object.fromEntries(value.flatMap((entry) => listedCondition(entry, operators) ?? []));
  return Object.keys(filter).length === value.length ? certainValue(path, filter) : undefined;
};

function listedCondition(
  entry: JsonValue,
  operators: readonly string[],
): readonly (readonly [string, JsonValue])[] | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { column, operator, value } = partsOf(entry);
  if (typeof column !== 'string' || value === undefined) return undefined;
  const { length } = Object.keys(entry);
  if (operator === undefined) return length === 2 ? [[column, value]] : undefined;
  const known = typeof operator === 'string' ? operatorSynonym(operator, operators) : undefined;
  return length === 3 && known !== undefined ? [[column, { [known]: value }]] : undefined;
}

function partsOf(received: JsonObject) {
  const part = (keys: readonly string[]): JsonValue | undefined => {
    const key = keys.find((name) => Object.hasOwn(received, name));
    return key === undefined ? undefined : received[key];
  };
  const { column, operator, value } = CONDITION_KEYS;
  return { column: part(column), operator: part(operator), value: part(value) };
}

/** The whole condition of one column. */
export const conditionRule: Rule = (place) => {
  const { path, value, contract } = place;
  const logic = logicWord(String(path.at(-1)));
  if (logic === 'and') return { fault: 'E_FILTER_INVALID and', path };
  if (logic === 'not') return { fault: 'E_FILTER_INVALID not', path };
  const any = logic === 'or' ? anyRule(place) : undefined;
  if (any !== undefined) return any;
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return undefined;
  const { operator, value: operand } = partsOf(value);
  const known = typeof operator === 'string' ? operatorSynonym(operator, operatorsOf(contract)) : undefined;
  if (known === undefined || operand === undefined) return undefined;
  return { fault: 'E_FILTER_INVALID shape', path, ...certainValue(path, { [known]: operand }) };
};

const isListOfObjects = (value: JsonValue | undefined): value is readonly JsonValue[] =>
  isJsonList(value) && value.every(isJsonObject);

/** `or`, or `any` with something else than a list of filters. */
function anyRule({ path, value, query, contract }: WrongPlace): Meant | undefined {
  const key = String(path.at(-1));
  const operators = operatorsOf(contract);
  const isOperator = (name: string) =>
    operatorSynonym(name, operators) !== undefined || operatorForm(name) !== undefined;
  // The test of a column that is called so.
  if (key === 'any' && isJsonObject(value) && Object.keys(value).some(isOperator)) return undefined;
  if (!isEnabled(contract, 'filter_any')) {
    if (key === 'any' && isListOfObjects(value)) return { feature: 'filter_any', path };
    return { fault: 'E_FILTER_INVALID or', path, given: { hint: 'off' } };
  }
  if (path.length > 4) return insideAny({ path, value, query });
  const fault = key === 'any' ? 'E_FILTER_INVALID any' : 'E_FILTER_INVALID or';
  const filter = valueAt(query, path.slice(0, 3));
  const isFree = key === 'any' || (isJsonObject(filter) && !('any' in filter));
  if (isListOfObjects(value) && key !== 'any')
    return { fault, path, repair: isFree ? certainly(rename(path, 'any')) : undefined };
  if (!isJsonObject(value) || !isFree) return { fault, path };
  const filters = Object.entries(value).map(([column, test]) => ({ [column]: test }));
  const edits = key === 'any' ? [] : [rename(path, 'any')];
  return { fault, path, repair: probably(write(path, filters), ...edits) };
}

/** A list of filters inside one of the filters of `any`: where it is all of it, its filters go into the outer list. */
function insideAny({ path, value, query }: Pick<WrongPlace, 'path' | 'value' | 'query'>): Meant {
  const outer = path.slice(0, 4);
  const list = valueAt(query, outer);
  const around = valueAt(query, path.slice(0, 5));
  const isAll = isJsonObject(around) && Object.keys(around).length === 1;
  const flat =
    isAll && isListOfObjects(value) && isJsonList(list)
      ? list.flatMap((entry, index) => (index === path[4] ? value : [entry]))
      : undefined;
  return {
    fault: 'E_FILTER_INVALID any-inside',
    path,
    repair: flat && certainly(write(outer, flat)),
  };
}

/** An entry of `any` that is no filter; where the feature is off, all of `any` is the fault. */
export const alternativeRule: Rule = (place) => {
  const path = place.path.slice(0, 4);
  return isEnabled(place.contract, 'filter_any')
    ? undefined
    : conditionRule({ ...place, path, value: valueAt(place.query, path) });
};

/** One operator of a column, or one value of its list. */
export const operatorRule: Rule = (place) => {
  const column = columnPlace(place.path);
  const condition = valueAt(place.query, column);
  const whole = conditionRule({ ...place, path: column, value: condition });
  if (whole !== undefined || !isJsonObject(condition)) return whole;
  const operator = String(place.path[column.length]);
  const words = place.contract.rules.request.filter_operators;
  const word = Object.hasOwn(words, operator) ? words[operator] : undefined;
  if (word === undefined) return unknownOperator(operator, place, condition);
  if (!operatorsOf(place.contract).includes(operator)) return { feature: word.feature ?? operator };
  const other = isOrderTest(operator) ? columnIn(place.value) : undefined;
  if (other === undefined) return { repair: operandRepair(operator, place, condition) };
  if (!isEnabled(place.contract, 'filter_columns')) return { feature: 'filter_columns' };
  return certainValue(place.path, { column: other });
};

/** The column in `{"column": "x"}` and the like. */
function columnIn(operand: JsonValue | undefined): string | undefined {
  const [[key, name] = [], ...others] = isJsonObject(operand) ? Object.entries(operand) : [];
  const isOne = key !== undefined && others.length === 0 && COLUMN_KEYS.includes(key);
  return isOne && typeof name === 'string' && name !== '' ? name : undefined;
}

/** The right form of the operand of a known operator. */
function operandRepair(
  operator: string,
  { path, value: operand = null }: WrongPlace,
  condition: JsonObject,
): Repair | undefined {
  if (isListTest(operator) && isValue(operand)) {
    // A text with separators was probably meant as several.
    const parts = typeof operand === 'string' ? operand.split(/\s*[,;|]\s*/) : [];
    return parts.length > 1 ? probably(write(path, parts)) : certainly(write(path, [operand]));
  }
  if (operator === 'between' && isJsonObject(operand) && Object.keys(operand).length === 2) {
    const ends = RANGE_ENDS.find((keys) => keys.every((key) => Object.hasOwn(operand, key)));
    // Whether the ends count, another language may see otherwise.
    return (
      ends &&
      probably(
        write(
          path,
          ends.map((key) => operand[key] ?? null),
        ),
      )
    );
  }
  const list = operator === 'eq' ? 'in' : 'not_in';
  const isList = ['eq', 'neq'].includes(operator) && isJsonList(operand) && operand.every(isValue);
  return isList && !(list in condition) ? certainly(rename(path, list)) : undefined;
}

function unknownOperator(
  operator: string,
  { path, value: operand = null, contract }: WrongPlace,
  condition: JsonObject,
): Meant {
  const operators = operatorsOf(contract);
  const synonym = operatorSynonym(operator, operators);
  if (synonym !== undefined) {
    const repair = synonym in condition ? undefined : certainly(rename(path, synonym));
    return { given: { nearest: synonym }, repair };
  }
  const isSeveral = operatorForm(operator) === 'not in' && isJsonList(operand) && operand.length > 1;
  const hint = isSeveral ? 'several' : undefined;
  const form = Object.keys(condition).length > 1 ? undefined : formOf(operator, operand, operators);
  const edit = form && write(path.slice(0, -1), form);
  const isCertain = form !== undefined && Object.values(form)[0] === null;
  return {
    given: { nearest: nearOperator(operator, operand, operators), hint },
    repair: edit && (isCertain ? certainly(edit) : probably(edit)),
  };
}

const OPPOSITES: Partial<Record<FilterOperator, FilterOperator>> = {
  eq: 'neq',
  in: 'not_in',
  contains: 'not_contains',
  prefix: 'not_prefix',
};

/** `{"contains": "x"}` -> `{"not_contains": "x"}`. */
function oppositeOf(condition: JsonObject, operators: readonly string[]): JsonObject | undefined {
  const [[name, operand] = [], ...others] = Object.entries(condition);
  const known = name === undefined ? undefined : operatorSynonym(name, operators);
  const opposite = known && OPPOSITES[known];
  const isKnown = others.length === 0 && opposite !== undefined && operators.includes(opposite);
  return isKnown && operand !== undefined && operand !== null ? { [opposite]: operand } : undefined;
}

/** What an operator of another language says with this operand; certain for null alone. */
function formOf(operator: string, operand: JsonValue, operators: readonly string[]): JsonObject | undefined {
  const form = operatorForm(operator);
  switch (form) {
    case 'is null':
    case 'is not null':
      if (typeof operand !== 'boolean') return undefined;
      return { [operand === (form === 'is null') ? 'eq' : 'neq']: null };
    case 'eq':
    case 'neq':
      if (form === 'neq' && isJsonObject(operand)) return oppositeOf(operand, operators);
      return isScalar(operand) ? { [form]: operand } : undefined;
    case 'not in': {
      const [only, ...others] = isJsonList(operand) ? operand : [operand];
      return isScalar(only) && others.length === 0 ? { neq: only } : undefined;
    }
    case 'like':
    case 'not like': {
      // Its signs for any text are plain letters here.
      const [, before, text = '', after] =
        /^(%?)([^%]*)(%?)$/.exec(typeof operand === 'string' ? operand : '') ?? [];
      const test = before === '%' ? 'contains' : 'prefix';
      const known = form === 'like' ? test : `not_${test}`;
      return after === '%' && text !== '' && operators.includes(known) ? { [known]: text } : undefined;
    }
    case undefined:
      return undefined;
  }
}
