// SQL operators.
import { FILTER_OPERATORS, type FilterOperator } from '../types/parsed-query';
import { byWord, fold } from './by-word';
import { nearest } from './nearest';

/** The logical operator that a filter key means. */
export const logicWord = byWord({ and: 'and', or: 'or any', not: 'not', none: 'none' });

const SYMBOLS = byWord({
  eq: '= == equals is',
  neq: '!= <> ne notequals isnot',
  gt: '>',
  gte: '>= ge',
  lt: '<',
  lte: '<= le',
  prefix: 'startswith',
  suffix: 'endswith',
  not_in: 'nin',
});

/** The filter operator for a symbol or another spelling, if it is in `known`: `>`, `$gt`, `GT`, `notIn`. */
export function operatorSynonym(name: string, known: readonly string[]): FilterOperator | undefined {
  const folded = fold(name.trim());
  const meant = FILTER_OPERATORS.find((operator) => fold(operator) === folded) ?? SYMBOLS(name.trim());
  return meant !== undefined && known.includes(meant) ? meant : undefined;
}

/** Operators whose meaning depends on the operand. */
export const operatorForm = byWord({
  'is null': 'isnull null',
  'is not null': 'isnotnull notnull',
  like: 'like',
  'not like': 'notlike',
  pattern: 'regex regexp match matches similarto ilike glob',
  outside: 'notbetween',
});

/** The operator most similar to an unknown one, but never its opposite. */
export function nearOperator(name: string, operators: readonly string[]): string | undefined {
  const folded = fold(name);
  const near = nearest(folded, operators);
  // A name with a different first letter, or with one of these words, means a different operator.
  const isOther = near?.charAt(0) !== folded.charAt(0) || /any|not|all|none/.test(folded);
  return isOther ? undefined : near;
}
