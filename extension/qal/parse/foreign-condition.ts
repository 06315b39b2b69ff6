// Conditions as other languages write them: `{"op": ">=", "value": 1}`, `{"nin": [1]}`, lists of conditions, and/or.
// Nothing that was written is left out: where the same condition has no form here, there is none.
import {
  CONDITION_KEYS,
  logicWord,
  nearOperator,
  operatorForm,
  operatorSynonym,
  RANGE_ENDS,
} from '../names/foreign-words';
import { type Contract, wordsOf } from '../types/contract';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import { isListTest } from '../types/parsed-query';
import { certainly, probably, type Repair, rename, write } from '../types/repair';
import { certainValue, type Meant, type Rule, type WrongPlace } from './foreign-form';

const isScalar = (value: JsonValue | undefined): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);
const isValue = (value: JsonValue | undefined): boolean => value !== null && isScalar(value);

const operatorsOf = (contract: Contract): readonly string[] =>
  Object.keys(wordsOf(contract, 'filter_operators'));

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
export const conditionRule: Rule = ({ path, value, contract }) => {
  const logic = logicWord(String(path[3]));
  if (logic !== undefined) return { fault: `E_FILTER_INVALID ${logic}`, path };
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return undefined;
  const { operator, value: operand } = partsOf(value);
  const known = typeof operator === 'string' ? operatorSynonym(operator, operatorsOf(contract)) : undefined;
  if (known === undefined || operand === undefined) return undefined;
  return { fault: 'E_FILTER_INVALID shape', path, ...certainValue(path, { [known]: operand }) };
};

/** One operator of a column, or one value of its list. */
export const operatorRule: Rule = (place) => {
  const column = place.path.slice(0, 4);
  const condition = valueAt(place.query, column);
  const whole = conditionRule({ ...place, path: column, value: condition });
  if (whole !== undefined || !isJsonObject(condition)) return whole;
  const operator = String(place.path[4]);
  const words = place.contract.rules.request.filter_operators;
  const word = Object.hasOwn(words, operator) ? words[operator] : undefined;
  if (word === undefined) return unknownOperator(operator, place, condition);
  if (!operatorsOf(place.contract).includes(operator)) return { feature: word.feature ?? operator };
  return { repair: operandRepair(operator, place, condition) };
};

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

/** What an operator of another language says with this operand; certain for null alone. */
function formOf(
  operator: string,
  operand: JsonValue,
  operators: readonly string[],
): JsonObject | undefined {
  const form = operatorForm(operator);
  switch (form) {
    case 'is null':
    case 'is not null':
      if (typeof operand !== 'boolean') return undefined;
      return { [operand === (form === 'is null') ? 'eq' : 'neq']: null };
    case 'eq':
    case 'neq':
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
