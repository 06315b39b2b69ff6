// Owns the part of the error table about views and their clauses.
import { entry, type Received } from './error-entry';
import { didYouMean, list, quote } from './wording';

type ColumnProblem =
  | {
      readonly problem: 'unknown';
      readonly material: string;
      readonly column: string;
      readonly nearest?: string | undefined;
      /** The joined side, where that has the column of a filter. */
      readonly joined?: { readonly name: string; readonly column: string } | undefined;
    }
  | {
      readonly problem: 'unknown-source';
      readonly prefix: string;
      readonly column: string;
      readonly sources: readonly string[];
    }
  | {
      readonly problem: 'not-output';
      readonly column: string;
      readonly columns: readonly string[];
      readonly nearest?: string | undefined;
    }
  | ({ readonly problem: 'unqualified'; readonly material: string } & Received)
  | { readonly problem: 'empty'; readonly material: string; readonly calc: boolean }
  | ({ readonly problem: 'not-list'; readonly material: string } & Received);

type FilterProblem =
  | ({ readonly problem: 'shape'; readonly inList?: boolean } & Received)
  | {
      readonly problem: 'operator';
      readonly operator: string;
      readonly operators: readonly string[];
      readonly nearest?: string | undefined;
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
  | { readonly problem: 'synonym'; readonly column: string; readonly received: string };

export const VIEW_ERRORS = {
  E_INVALID_MAKE: entry<Received>(400, '`make` is not an object, or is empty.', ({ received }) => ({
    message: `"make" must be an object with at least one view, but it is ${quote(received)}.`,
    hint: 'Write "make": {"top": {"from": ["allpv"], "keep": ["allpv.url"]}}.',
  })),
  E_INVALID_VIEW_NAME: entry<{ name: string; problem: 'pattern' | 'material' }>(
    400,
    'A view is named outside `[a-zA-Z0-9_]+`, or like a material of the query.',
    ({ name, problem }) => ({
      message: {
        pattern: `The view name ${quote(name)} has other characters than letters, digits and "_".`,
        material: `The view name ${quote(name)} is the name of a material of the query.`,
      }[problem],
    }),
  ),
  E_DUPLICATE_VIEW: entry<{ name: string }>(400, 'Two views of `make` have one name.', ({ name }) => ({
    message: `Two views are named ${quote(name)}.`,
    hint: 'Give each view a name of its own.',
  })),
  E_INVALID_VIEW: entry<
    { problem: 'shape'; received: unknown } | { problem: 'missing'; key: 'from' | 'keep' }
  >(400, 'A view is not an object, or has no `from` or no `keep`.', (p) => {
    switch (p.problem) {
      case 'shape':
        return {
          message: `A view must be an object, but here stands ${quote(p.received)}.`,
          hint: 'Write {"from": ["allpv"], "keep": ["allpv.url"]}.',
        };
      case 'missing':
        return {
          message: `The view has no ${quote(p.key)}.`,
          hint:
            p.key === 'from'
              ? 'Add "from": ["allpv"].'
              : 'Add "keep": ["allpv.url"], or "keep": [] beside a calc for one total.',
        };
    }
  }),
  E_INVALID_FROM: entry<Received>(400, '`from` is not a list of exactly one name.', ({ received }) => ({
    message: `"from" must be a list of exactly one name, but it is ${quote(received)}.`,
    example: 'Write "from": ["allpv"].',
  })),
  E_UNKNOWN_VIEW: entry<{
    received: string;
    defined: readonly string[];
    /** Materials that may stand there as well. */
    materials: readonly string[];
    nearest?: string | undefined;
  }>(
    400,
    '`result.use` names no view; `from` names neither a material nor an earlier view.',
    ({ received, defined, materials, nearest }) => ({
      message: `There is no view ${quote(received)} to use here.`,
      hint: didYouMean(nearest) ?? `Here may stand ${list([...materials, ...defined])}.`,
      details: { defined_views: defined },
    }),
  ),
  E_UNKNOWN_COLUMN: entry<ColumnProblem>(
    400,
    'A column of `keep`, `filter` or `sort.by` does not exist; `keep` is empty without calc, or has an entry that is not qualified text.',
    (p) => {
      switch (p.problem) {
        case 'unknown':
          return {
            message: `${quote(p.material)} has no column ${quote(p.column)}.${p.column.includes('.') ? ' A filter names columns without their source.' : ''}`,
            hint:
              p.joined === undefined
                ? undefined
                : `"${p.joined.column}" is a column of the joined side, but a filter reads the from side, before the join: filter ${p.joined.name} in an earlier view and join that view.`,
            example: didYouMean(p.nearest) ?? 'The guide tells the columns of every material.',
            details: { material: p.material, column: p.column },
          };
        case 'unknown-source':
          return {
            message: `${quote(`${p.prefix}.${p.column}`)} does not belong to this view, which reads ${list(p.sources)}.`,
            details: { material: p.prefix, column: p.column },
          };
        case 'not-output':
          return {
            message: `${quote(p.column)} is not an output column of the view, which has ${list(p.columns)}.`,
            example: didYouMean(p.nearest) ?? 'Sort by a kept column or by the key of a calc.',
            details: { column: p.column, columns: p.columns },
          };
        case 'unqualified':
          return {
            message: `A column in "keep" is written material.column, but here stands ${quote(p.received)}.`,
            example: 'Write text such as "allpv.url".',
            details: { material: p.material, column: p.received },
          };
        case 'empty':
          return {
            message: '"keep" is empty, so that the view would have no column.',
            hint: `Keep at least one column${p.calc ? ', or add a calc for one total over everything' : ''}.`,
            details: { material: p.material },
          };
        case 'not-list':
          return {
            message: `"keep" must be a list of columns, but it is ${quote(p.received)}.`,
            example: 'Write "keep": ["allpv.url"].',
            details: { material: p.material, column: p.received },
          };
      }
    },
  ),
  E_KEEP_EXPR_FORBIDDEN: entry<{ received: string; name: string; expression: string }>(
    400,
    'An expression in `keep`.',
    ({ received, name, expression }) => ({
      message: `"keep" takes columns only, not the expression ${quote(received)}.`,
      hint: `Move it to "calc": {"${name}": "${expression}"}.`,
    }),
  ),
  E_FILTER_INVALID: entry<FilterProblem>(
    400,
    '`filter` is not an object, has an unknown operator, an operator that the type does not have, a value of another type, or a word that the column does not use for a value.',
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
        case 'operator':
          return {
            message: `There is no filter operator ${quote(p.operator)}.`,
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
        shape: 'Write "sort": {"by": "views", "order": "desc", "top": 10}.',
        order: 'Write "order": "asc" or "order": "desc".',
        top: 'Write a whole number from 1, or leave "top" out to keep all rows.',
        by: 'Write "by" as the name of a kept column or of a calc.',
        key: 'Write "sort": {"by": "views", "order": "desc", "top": 10}.',
      }[problem],
    }),
  ),
};
