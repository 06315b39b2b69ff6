// Operators from other languages and products.
import { FILTER_OPERATORS, type FilterOperator } from '../types/parsed-query';
import { byWord, fold } from './by-word';
import { nearest } from './nearest';

export const CONDITION_KEYS = {
  column: ['column', 'field', 'name', 'key', 'member', 'property', 'dimension'],
  operator: ['op', 'operator', 'comparison'],
  value: ['value', 'values'],
} as const;

/** Keys for a column to compare with. */
export const COLUMN_KEYS: readonly string[] = ['column', 'col', 'field', 'ref', '$column', '$field'];

/** Keys for the two ends of a range. */
export const RANGE_ENDS: readonly (readonly [low: string, high: string])[] = [
  ['min', 'max'],
  ['low', 'high'],
  ['from', 'to'],
  ['start', 'end'],
];

/** The logical operator that a filter key stands for. */
export const logicWord = byWord({ and: 'and all &&', or: 'or any ||', not: 'not !', none: 'none nor' });
const SIGNS = byWord({
  eq: '= == equals equal exact',
  neq: '!= <> ne noteq notequal notequals doesnotequal',
  gt: '>',
  gte: '>= ge',
  lt: '<',
  lte: '<= le',
  prefix: 'startswith',
  suffix: 'endswith',
  in: 'isin oneof isoneof anyof isanyof',
  not_in: 'nin notin !in isnotin noneof isnoneof notoneof',
  not_contains: 'notcontains doesnotcontain',
  not_prefix: 'notprefix notstartswith doesnotstartwith',
  not_suffix: 'notsuffix notendswith doesnotendwith',
});

/** The filter operator for a symbol or alternative spelling, if it is in `known`: `>`, `$gt`, `GT`, `notIn`. */
export function operatorSynonym(name: string, known: readonly string[]): FilterOperator | undefined {
  const folded = fold(name.trim());
  const meant = FILTER_OPERATORS.find((operator) => fold(operator) === folded) ?? SIGNS(name.trim());
  return meant !== undefined && known.includes(meant) ? meant : undefined;
}

/** Operators whose meaning depends on the operand, such as tests for null and patterns. */
export const operatorForm = byWord({
  'is null': 'isnull null',
  'is not null': 'isnotnull notnull exists',
  eq: 'is',
  neq: 'isnot not',
  'not in': 'nin notin',
  like: 'like ilike',
  'not like': 'notlike notilike',
  pattern: 'regex regexp match matches matchesregex rlike similarto glob ~',
  outside: 'notbetween !between outside notinrange',
});

const LIKE_OPERATORS = byWord({
  gte: 'min',
  lte: 'max',
  gt: 'after',
  lt: 'before',
  contains: 'like ilike icontains has includes',
  between: 'range inrange within',
  in: 'any or',
});

/** The operator most similar to an unknown one, but never its opposite. */
export function nearOperator(
  name: string,
  operand: unknown,
  operators: readonly string[],
): FilterOperator | undefined {
  const isPattern = typeof operand === 'string' && operand.includes('%');
  const alike = LIKE_OPERATORS(name);
  if (alike !== undefined || operatorForm(name) !== undefined) return isPattern ? undefined : alike;
  const folded = fold(name);
  const near = nearest(folded, operators);
  // A different first letter, or one of these words, makes it a different operator.
  const isOther = near?.charAt(0) !== folded.charAt(0) || /any|not|all|none/.test(folded);
  return isOther ? undefined : FILTER_OPERATORS.find((operator) => operator === near);
}
