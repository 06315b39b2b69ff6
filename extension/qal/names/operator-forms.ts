// Owns the filter operators of other languages that are one of ours only with a certain value.
// name + operand -> our operator with its operand; undefined where no one condition says the same.
import { isJsonList, type JsonValue } from '../types/json';
import { FILTER_OPERATORS, type FilterOperator } from '../types/parsed-query';
import { nearest } from './nearest';

export interface OperatorForm {
  readonly operator: FilterOperator;
  readonly value: JsonValue;
  readonly certain: boolean;
}

type Form = (operand: JsonValue) => OperatorForm | undefined;

const isNull = (operator: 'eq' | 'neq'): OperatorForm => ({ operator, value: null, certain: true });

const ifNull: Form = (operand) =>
  operand === true ? isNull('eq') : operand === false ? isNull('neq') : undefined;
const ifNotNull: Form = (operand) =>
  operand === true ? isNull('neq') : operand === false ? isNull('eq') : undefined;

const scalarAs =
  (operator: 'eq' | 'neq'): Form =>
  (operand) =>
    operand === null || typeof operand !== 'object'
      ? { operator, value: operand, certain: operand === null }
      : undefined;

/** One value left out; several have no operator. */
const notIn: Form = (operand) => {
  const [only, ...others] = isJsonList(operand) ? operand : [operand];
  return only === undefined || others.length > 0 ? undefined : scalarAs('neq')(only);
};

/** Its signs for any text are plain letters here. */
const like: Form = (operand) => {
  if (typeof operand !== 'string') return undefined;
  const [, before, text = '', after] = /^(%?)([^%]*)(%?)$/.exec(operand) ?? [];
  if (after !== '%' || text === '') return undefined;
  return { operator: before === '%' ? 'contains' : 'prefix', value: text, certain: false };
};

/** By names in small letters without signs. */
const FORMS: ReadonlyMap<string, Form> = new Map([
  ['isnull', ifNull],
  ['null', ifNull],
  ['isnotnull', ifNotNull],
  ['notnull', ifNotNull],
  ['exists', ifNotNull],
  ['is', scalarAs('eq')],
  ['isnot', scalarAs('neq')],
  ['not', scalarAs('neq')],
  ['nin', notIn],
  ['notin', notIn],
  ['like', like],
  ['ilike', like],
]);

/** Operators that are alike, but not the same. */
const LIKE_OPERATORS: ReadonlyMap<string, FilterOperator> = new Map([
  ['min', 'gte'],
  ['max', 'lte'],
  ['after', 'gt'],
  ['before', 'lt'],
  ['like', 'contains'],
  ['ilike', 'contains'],
  ['icontains', 'contains'],
]);

const fold = (name: string): string =>
  name
    .slice(0, 40)
    .toLowerCase()
    .replace(/[$\s_-]/g, '');

/** What an operator of another language says with this operand. */
export const operatorForm = (name: string, operand: JsonValue): OperatorForm | undefined =>
  FORMS.get(fold(name))?.(operand);

/** Whether several values of a column are to be left out, which takes several views. */
export const leavesOutSeveral = (name: string, operand: JsonValue): boolean =>
  FORMS.get(fold(name)) === notIn && isJsonList(operand) && operand.length > 1;

/** The operator that comes nearest to one that does not exist here; never one that says the opposite. */
export function nearOperator(name: string, operand: JsonValue): FilterOperator | undefined {
  const folded = fold(name);
  const isPattern = typeof operand === 'string' && operand.includes('%');
  const alike = LIKE_OPERATORS.get(folded);
  if (alike !== undefined || FORMS.has(folded)) return isPattern ? undefined : alike;
  const near = nearest(folded, FILTER_OPERATORS);
  // Another beginning is another word, and so is one more word.
  const isOther = near?.charAt(0) !== folded.charAt(0) || /any|not|all|none/.test(folded);
  return isOther ? undefined : FILTER_OPERATORS.find((operator) => operator === near);
}
