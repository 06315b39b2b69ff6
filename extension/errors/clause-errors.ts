// Owns the part of the error table about `filter` and `sort`.
import { entry, type Received } from './error-entry';
import { didYouMean, list, quote } from './wording';

type FilterProblem =
  | ({ readonly problem: 'shape'; readonly inList?: boolean } & Received)
  | ({ readonly problem: 'logic'; readonly logic: 'and' | 'or' } & Received)
  | {
      readonly problem: 'operator';
      readonly operator: string;
      readonly operators: readonly string[];
      readonly nearest?: string | undefined;
      /** Whether it was to leave out several values. */
      readonly several: boolean;
    }
  | {
      readonly problem: 'operand';
      readonly operator: string;
      readonly received: unknown;
      readonly expected: string;
    }
  | {
      readonly problem: 'operator-for-type';
      readonly operator: string;
      readonly column: string;
      readonly type: string;
      readonly operators: readonly string[];
    }
  | {
      readonly problem: 'value';
      readonly column: string;
      readonly type: string;
      readonly received: unknown;
      readonly expected: string;
      readonly operators: readonly string[];
    }
  | {
      readonly problem: 'day';
      readonly column: string;
      readonly received: string;
      /** Its first second. */
      readonly first: string;
      /** The column of days beside that of instants. */
      readonly dates: string | undefined;
    }
  | {
      readonly problem: 'no-value';
      readonly column: string;
      readonly received: string;
      readonly values: readonly string[];
    }
  | { readonly problem: 'synonym'; readonly column: string; readonly received: string };

export const CLAUSE_ERRORS = {
  E_FILTER_INVALID: entry<FilterProblem>(
    400,
    '`filter` is not an object, has an unknown operator, an operator that the type does not have, a value of another type, or a text that the column never holds.',
    (p) => {
      switch (p.problem) {
        case 'shape':
          return {
            message: `A filter maps columns to a value, a list or operators, but here stands ${quote(p.received)}.`,
            hint: p.inList
              ? 'A list holds values without null; rows without a value are found by {"eq": null}.'
              : undefined,
            example: 'Write "filter": {"device_type": "SP", "pv": {"gte": 2}}.',
          };
        case 'logic':
          return {
            message: `A filter maps columns to conditions that must all hold, but here stands ${quote(p.received)}.`,
            hint: {
              and: 'Write the conditions beside each other in "filter".',
              or: 'For either of several values of a column write a list; for either of two columns make a view for each.',
            }[p.logic],
          };
        case 'operator':
          return {
            message: `There is no filter operator ${quote(p.operator)}.`,
            hint: p.several
              ? 'Leave out one value with "neq", and the next in a view that reads from this one.'
              : undefined,
            example: didYouMean(p.nearest) ?? `The operators are ${list(p.operators)}.`,
            details: { operators: p.operators },
          };
        case 'operand':
          return {
            message: `${quote(p.operator)} takes ${p.expected}, but here stands ${quote(p.received)}.`,
          };
        case 'operator-for-type':
          return {
            message: `${quote(p.operator)} does not work on ${quote(p.column)}, which is of type ${p.type}.`,
            hint: `Operators of type ${p.type}: ${list(p.operators)}.`,
            details: { type: p.type, operators: p.operators },
          };
        case 'value':
          return {
            message: `${quote(p.received)} is no value for ${quote(p.column)}, which is of type ${p.type}: it takes ${p.expected}.`,
            example:
              p.received === null ? 'Only eq and neq take null: {"eq": null}, {"neq": null}.' : undefined,
            details: { type: p.type, operators: p.operators },
          };
        case 'day':
          return {
            message: `${quote(p.received)} is a whole day, but ${quote(p.column)} holds instants.`,
            hint: `${p.dates === undefined ? 'For' : `For the day filter ${quote(p.dates)}, for`} its first second write "${p.first}".`,
          };
        case 'no-value':
          return {
            message: `${quote(p.column)} is never ${quote(p.received)}.`,
            hint: `Its values are ${list(p.values.map(quote))}.`,
            details: { values: p.values },
          };
        case 'synonym':
          return { message: `${quote(p.column)} has another word for ${quote(p.received)}.` };
      }
    },
  ),
  E_INVALID_SORT: entry<Received & { problem: 'shape' | 'order' | 'top' | 'key' | 'by' }>(
    400,
    '`sort` has another shape, order, top or key.',
    ({ problem, received }) => ({
      message: {
        shape: `"sort" must be an object, but it is ${quote(received)}.`,
        order: `sort.order must be "asc" or "desc", but it is ${quote(received)}.`,
        top: `sort.top must be a whole number from 1, but it is ${quote(received)}.`,
        by: `sort.by must be the name of an output column, but it is ${quote(received)}.`,
        key: `"sort" has no key ${quote(received)}; its keys are by, order and top.`,
      }[problem],
      example: {
        shape: 'Write "sort": {"by": "views", "order": "desc"}.',
        order: 'Write "order": "asc" or "order": "desc".',
        top: 'Write a whole number from 1, or leave "top" out to keep all rows.',
        by: 'Write "by" as the name of a kept column or of a calc.',
        key: 'Write "sort": {"by": "views", "order": "desc"}.',
      }[problem],
    }),
  ),
};
