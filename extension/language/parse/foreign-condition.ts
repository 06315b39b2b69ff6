// Conditions in SQL style: `{">=": 1}`, `{"like": "/a%"}`, `{"or": [...]}`. A condition is repaired only if the repair preserves its meaning.
import { logicWord, nearOperator, operatorForm, operatorSynonym } from '../names/foreign-operators';
import { type Contract, isEnabled, wordsOf } from '../types/contract';
import { featureOf, filterListNamed, filterPlace, listsInside, MAX_LIST_DEPTH } from '../types/filter-lists';
import type { JsonValue } from '../types/json';
import { isJsonList, isJsonObject, isJsonScalar, type JsonObject, scalarText, valueAt } from '../types/json';
import { isListTest, isOrderTest } from '../types/parsed-query';
import type { Path } from '../types/path';
import { certainly, probably, type Repair, rename, write } from '../types/repair';
import type { Meant, Rule, WrongPlace } from './foreign-form';

const operatorsOf = (contract: Contract): readonly string[] =>
  Object.keys(wordsOf(contract, 'filter_operators'));

/** The path of the column that a position in a filter belongs to. */
export const columnPlace = (path: Path): Path => path.slice(0, filterPlace(path).filter.length + 1);

/** A filter key that is a logical operator. QAL has lists of filters instead. */
export const logicRule: Rule = ({ path, value, query, contract }) => {
  const key = scalarText(path.at(-1));
  const word = logicWord(key);
  if (word === undefined) return undefined;
  const given = { nearest: undefined };
  if (word === 'and' || word === 'not') return { fault: `E_FILTER_INVALID ${word}`, path, given };
  const list = word === 'or' ? 'any' : word;
  const isNamed = key === list;
  // An object with operators tests a column named `any` or `none`.
  const operators = operatorsOf(contract);
  if (isNamed && isJsonObject(value) && Object.keys(value).some((it) => operatorSynonym(it, operators)))
    return undefined;
  const isFilters = isJsonList(value) && value.every(isJsonObject);
  if (!isEnabled(contract, featureOf(list))) {
    if (isNamed && isFilters) return { feature: featureOf(list), path };
    return list === 'any' ? { fault: 'E_FILTER_INVALID or', path, given: { hint: 'off' } } : undefined;
  }
  const { around } = filterPlace(path);
  if (!listsInside(around).includes(list)) {
    const about = around.at(-1) === list ? given : { hint: 'deep', max: MAX_LIST_DEPTH };
    return { fault: 'E_FILTER_INVALID inside', path, given: about };
  }
  const filter = valueAt(query, path.slice(0, -1));
  const isFree = isJsonObject(filter) && !(list in filter);
  return {
    fault: isNamed ? 'E_FILTER_INVALID filters' : 'E_FILTER_INVALID or',
    path,
    given,
    repair: isFilters && isFree ? certainly(rename(path, list)) : undefined,
  };
};

/** An entry in a list of filters that is not itself a filter. If the feature is off, the list itself is wrong. */
export const entryRule: Rule = (place) => {
  const path = place.path.slice(0, -1);
  const list = filterListNamed(path.at(-1));
  return list === undefined || isEnabled(place.contract, featureOf(list))
    ? undefined
    : logicRule({ ...place, path, value: valueAt(place.query, path) });
};

/** An operator on a column, or a value in the operator's list. */
export const operatorRule: Rule = (place) => {
  const { path, query, value = null, contract } = place;
  const column = columnPlace(path);
  const condition = valueAt(query, column);
  const logic = logicRule({ ...place, path: column, value: condition });
  if (logic !== undefined || !isJsonObject(condition)) return logic;
  const operator = scalarText(path[column.length]);
  const words = contract.rules.request.filter_operators;
  const word = Object.hasOwn(words, operator) ? words[operator] : undefined;
  if (word === undefined) return unknownOperator(operator, place, condition);
  if (!operatorsOf(contract).includes(operator)) return { feature: word.feature ?? operator };
  if (isOrderTest(operator) && isJsonObject(value)) {
    if (isEnabled(contract, 'filter_columns')) return { given: { hint: 'column' } };
    return 'column' in value ? { feature: 'filter_columns' } : undefined;
  }
  if (isListTest(operator) && isJsonObject(value)) return { given: { hint: 'query' } };
  if (/contains|prefix|suffix/.test(operator) && isJsonList(value))
    return { given: { hint: hintForSeveral(operator, contract) } };
  return { repair: operandRepair(operator, path, value, condition) };
};

function hintForSeveral(operator: string, contract: Contract): string {
  if (!operator.startsWith('not_')) return 'any of several';
  return isEnabled(contract, 'filter_none') ? 'none of several' : 'one by one';
}

const isValue = (value: JsonValue): boolean => value !== null && isJsonScalar(value);

/** Repairs a single value where a list belongs, or a list where a single value belongs. */
function operandRepair(
  operator: string,
  path: Path,
  operand: JsonValue,
  condition: JsonObject,
): Repair | undefined {
  if (isListTest(operator) && isValue(operand)) {
    // A string with separators is probably a list.
    const parts = typeof operand === 'string' ? operand.split(/\s*[,;|]\s*/) : [];
    return parts.length > 1 ? probably(write(path, parts)) : certainly(write(path, [operand]));
  }
  const list = operator === 'eq' ? 'in' : 'not_in';
  const isList = ['eq', 'neq'].includes(operator) && isJsonList(operand) && operand.every(isValue);
  return isList && !(list in condition) ? certainly(rename(path, list)) : undefined;
}

function unknownOperator(operator: string, place: WrongPlace, condition: JsonObject): Meant {
  const { path, value: operand = null, contract } = place;
  const operators = operatorsOf(contract);
  const synonym = operatorSynonym(operator, operators);
  if (synonym !== undefined) {
    const repair = synonym in condition ? undefined : certainly(rename(path, synonym));
    return { given: { nearest: synonym }, repair };
  }
  const form = operatorForm(operator);
  if (form === 'outside') return { given: { hint: 'range', column: columnPlace(path).at(-1) } };
  const isAlone = Object.keys(condition).length === 1;
  const meant = isAlone ? conditionIn(form, operand, operators) : undefined;
  const isLike = form === 'like' || form === 'not like';
  if (meant !== undefined && isLike && typeof operand === 'string' && /(?<!\\)_/.test(operand))
    return { given: { hint: 'any character', column: columnPlace(path).at(-1), meant } };
  if (meant !== undefined) {
    const isNullTest = Object.values(meant)[0] === null;
    return { repair: (isNullTest ? certainly : probably)(write(path.slice(0, -1), meant)) };
  }
  return form === 'pattern' || isLike
    ? { given: { hint: 'pattern' } }
    : { given: { nearest: form === undefined ? nearOperator(operator, operators) : undefined } };
}

/** The QAL condition for an SQL operator and its operand. */
function conditionIn(
  form: ReturnType<typeof operatorForm>,
  operand: JsonValue,
  operators: readonly string[],
): JsonObject | undefined {
  if (form === 'is null' || form === 'is not null')
    return typeof operand === 'boolean'
      ? { [operand === (form === 'is null') ? 'eq' : 'neq']: null }
      : undefined;
  if (form !== 'like' && form !== 'not like') return undefined;
  // In QAL, wildcards are plain characters.
  const [, before, text = '', after] =
    /^(%?)([^%]*)(%?)$/.exec(typeof operand === 'string' ? operand : '') ?? [];
  const test = after !== '%' ? 'suffix' : before === '%' ? 'contains' : 'prefix';
  const known = form === 'like' ? test : `not_${test}`;
  const hasWildcard = before === '%' || after === '%';
  const literal = text.replaceAll('\\_', '_');
  return hasWildcard && text !== '' && operators.includes(known) ? { [known]: literal } : undefined;
}
