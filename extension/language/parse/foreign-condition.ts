// Conditions in the syntax of other languages: `{"op": ">=", "value": 1}`, `{"nin": [1]}`, `{"not_between": [1, 5]}`.
// A condition is only repaired if nothing is lost.
import {
  COLUMN_KEYS,
  nearOperator,
  operatorForm,
  operatorSynonym,
  RANGE_ENDS,
} from '../names/foreign-operators';
import { isEnabled } from '../types/contract';
import { featureOf, filterListNamed, filterPlace } from '../types/filter-lists';
import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  scalarText,
  valueAt,
} from '../types/json';
import { isListTest, isOrderTest } from '../types/parsed-query';
import type { Path } from '../types/path';
import { certainly, probably, type Repair, rename, write } from '../types/repair';
import { certainValue, type Meant, type Rule, type WrongPlace } from './foreign-form';
import { logicRule, operatorsOf, oppositeOf, partsOf } from './foreign-logic';

const isScalar = (value: JsonValue | undefined): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);
const isValue = (value: JsonValue | undefined): boolean => value !== null && isScalar(value);

/** The path of the column for a place in a filter. */
export const columnPlace = (path: Path): Path => path.slice(0, filterPlace(path).filter.length + 1);

/** The whole condition of one column. */
export const conditionRule: Rule = (place) => {
  const { path, value, contract } = place;
  const logic = logicRule(place);
  if (logic !== undefined) return logic;
  if (!isJsonObject(value)) return undefined;
  const parts = partsOf(value);
  const { operator, value: operand } = parts;
  const range = rangeIn(value);
  // In other languages, the range may exclude its ends.
  if (range !== undefined) return { repair: probably(write(path, { between: range })) };
  const known = typeof operator === 'string' ? operatorSynonym(operator, operatorsOf(contract)) : undefined;
  if (known === undefined || operand === undefined || parts.length() !== 2) return undefined;
  return { fault: 'E_FILTER_INVALID shape', path, ...certainValue(path, { [known]: operand }) };
};

/** An entry of a list of filters that is not a filter. If the feature is off, the list itself is wrong. */
export const entryRule: Rule = (place) => {
  const path = place.path.slice(0, -1);
  const list = filterListNamed(path.at(-1));
  return list === undefined || isEnabled(place.contract, featureOf(list))
    ? undefined
    : conditionRule({ ...place, path, value: valueAt(place.query, path) });
};

/** An operator of a column, or a value in its list. */
export const operatorRule: Rule = (place) => {
  const column = columnPlace(place.path);
  const condition = valueAt(place.query, column);
  const whole = conditionRule({ ...place, path: column, value: condition });
  if (whole !== undefined || !isJsonObject(condition)) return whole;
  const operator = scalarText(place.path[column.length]);
  const words = place.contract.rules.request.filter_operators;
  const word = Object.hasOwn(words, operator) ? words[operator] : undefined;
  if (word === undefined) return unknownOperator(operator, place, condition);
  if (!operatorsOf(place.contract).includes(operator)) return { feature: word.feature ?? operator };
  const other = isOrderTest(operator) ? columnIn(place.value) : undefined;
  if (other === undefined)
    return isListTest(operator) && isQuery(place.value)
      ? { given: { hint: 'query' } }
      : (textsMeant(operator, place, condition) ?? { repair: operandRepair(operator, place, condition) });
  if (!isEnabled(place.contract, 'filter_columns')) return { feature: 'filter_columns' };
  return certainValue(place.path, { column: other });
};

/** A view, or a reference to one, instead of values. */
const isQuery = (operand: JsonValue | undefined): boolean =>
  isJsonObject(operand) && ['keep', 'select', 'use', 'view'].some((key) => Object.hasOwn(operand, key));

/** The column in an object such as `{"column": "x"}`. */
function columnIn(operand: JsonValue | undefined): string | undefined {
  const [[key, name] = [], ...others] = isJsonObject(operand) ? Object.entries(operand) : [];
  const isOne = key !== undefined && others.length === 0 && COLUMN_KEYS.includes(key);
  return isOne && typeof name === 'string' && name !== '' ? name : undefined;
}

/** Repairs the operand of a known operator. */
function operandRepair(
  operator: string,
  { path, value: operand = null }: WrongPlace,
  condition: JsonObject,
): Repair | undefined {
  if (isListTest(operator) && isValue(operand)) {
    // Text with separators is probably a list.
    const parts = typeof operand === 'string' ? operand.split(/\s*[,;|]\s*/) : [];
    return parts.length > 1 ? probably(write(path, parts)) : certainly(write(path, [operand]));
  }
  const range = operator === 'between' ? rangeIn(operand) : undefined;
  if (range !== undefined) return probably(write(path, range));
  const list = operator === 'eq' ? 'in' : 'not_in';
  const isList = ['eq', 'neq'].includes(operator) && isJsonList(operand) && operand.every(isValue);
  return isList && !(list in condition) ? certainly(rename(path, list)) : undefined;
}

/** The ends of a range such as `{"min": 1, "max": 5}`. */
function rangeIn(operand: JsonValue): readonly JsonValue[] | undefined {
  if (!isJsonObject(operand)) return undefined;
  const ends = RANGE_ENDS.find((keys) => keys.every((key) => isValue(operand[key])));
  return ends && Object.keys(operand).length === 2 ? ends.map((key) => operand[key] ?? null) : undefined;
}

/** A list of strings: any of them must match or, with a negated operator, all must not. */
function textsMeant(operator: string, place: WrongPlace, condition: JsonObject): Meant | undefined {
  const { value, path } = place;
  if (!/contains|prefix|suffix/.test(operator) || !isJsonList(value) || !value.every(isValue))
    return undefined;
  const [only = null] = value;
  if (value.length === 1) return certainValue(path, only);
  if (operator.startsWith('not_'))
    return { given: { hint: isEnabled(place.contract, 'filter_none') ? 'none of several' : 'one by one' } };
  const repair = asAlternatives(
    place,
    condition,
    value.map((text) => ({ [operator]: text })),
  );
  return repair === undefined ? { given: { hint: 'any of several' } } : { repair };
}

/** Values outside a range. */
function outsideMeant(operand: JsonValue, place: WrongPlace, condition: JsonObject): Meant {
  const [low, high, ...others] = isJsonList(operand) ? operand : (rangeIn(operand) ?? []);
  const tests =
    low === undefined || high === undefined || others.length > 0 ? [] : [{ lt: low }, { gt: high }];
  const repair = tests.every((test) => Object.values(test).every(isValue))
    ? asAlternatives(place, condition, tests)
    : undefined;
  const { contract, path } = place;
  if (repair !== undefined) return { repair };
  const column = columnPlace(path).at(-1);
  return { given: { hint: isEnabled(contract, 'filter_any') ? 'range as any' : 'range as views', column } };
}

/**
 * Replaces an operator with several tests, as filters of `any`. Never certain, since null passes none of them but may pass the
 * original in another language.
 */
function asAlternatives(
  { path, query, contract }: WrongPlace,
  condition: JsonObject,
  tests: readonly JsonObject[],
): Repair | undefined {
  const column = columnPlace(path);
  const around = column.slice(0, -1);
  const filter = valueAt(query, around);
  if (!isEnabled(contract, 'filter_any') || !isJsonObject(filter) || tests.length === 0) return undefined;
  const { [scalarText(column.at(-1))]: _, ...others } = filter;
  const { [scalarText(path[column.length])]: __, ...rest } = condition;
  const filters = tests.map((test) => ({ [scalarText(column.at(-1))]: { ...rest, ...test } }));
  const index = around.at(-1);
  if (typeof index !== 'number')
    return 'any' in filter ? undefined : probably(write(around, { ...others, any: filters }));
  const outer = around.slice(0, -1);
  const list = valueAt(query, outer);
  if (!isJsonList(list)) return undefined;
  const flat = list.flatMap((entry, place) =>
    place === index ? filters.map((it) => ({ ...others, ...it })) : [entry],
  );
  return probably(write(outer, flat));
}

function unknownOperator(operator: string, place: WrongPlace, condition: JsonObject): Meant {
  const { path, value: operand = null, contract } = place;
  const operators = operatorsOf(contract);
  const synonym = operatorSynonym(operator, operators);
  if (synonym !== undefined) {
    const repair = synonym in condition ? undefined : certainly(rename(path, synonym));
    return { given: { nearest: synonym }, repair };
  }
  if (operatorForm(operator) === 'outside') return outsideMeant(operand, place, condition);
  const isSeveral = operatorForm(operator) === 'not in' && isJsonList(operand) && operand.length > 1;

  const meant = formOf(operator, operand, operators);
  const form = meant && Object.keys(condition).length === 1 ? meant : undefined;
  const nearest = nearOperator(operator, operand, operators);
  const isPattern = /^(pattern|(not )?like)$/.test(operatorForm(operator) ?? '') && !form && !nearest;
  const hint = isSeveral ? 'several' : isPattern ? 'pattern' : undefined;
  const edit = form && write(path.slice(0, -1), form);
  const isCertain = form !== undefined && Object.values(form)[0] === null;
  return { given: { nearest, hint }, repair: edit && (isCertain ? certainly(edit) : probably(edit)) };
}

/** What an operator of another language means with this operand. */
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
      // In QAL, wildcards are plain characters.
      const [, before, text = '', after] =
        /^(%?)([^%]*)(%?)$/.exec(typeof operand === 'string' ? operand : '') ?? [];
      const test = after !== '%' ? 'suffix' : before === '%' ? 'contains' : 'prefix';
      const known = form === 'like' ? test : `not_${test}`;
      const hasWildcard = before === '%' || after === '%';
      return hasWildcard && text !== '' && operators.includes(known) ? { [known]: text } : undefined;
    }
    case 'pattern':
    case 'outside':
    case undefined:
      return undefined;
  }
}
