// Owns the part of the error table about views and their clauses.
import { entry, type Received } from './error-entry';
import { didYouMean, type Instead, list, quote, wordInstead } from './wording';

export interface UnknownColumn {
  readonly problem: 'unknown';
  readonly material: string;
  readonly column: string;
  readonly nearest?: string | undefined;
  /** The joined side, where that has the column of a filter. */
  readonly joined?: { readonly name: string; readonly column: string } | undefined;
  /** What the column of the present name holds, where a value of the filter is none of it. */
  readonly holds?: string | undefined;
  readonly instead?: Instead | undefined;
  /** Whether a calc of the same view has the name. */
  readonly calculated?: boolean;
  /** What there is, where the source is a view. */
  readonly kept?: readonly string[] | undefined;
}

type ColumnProblem =
  | UnknownColumn
  | {
      readonly problem: 'unknown-source';
      readonly prefix: string;
      readonly column: string;
      readonly sources: readonly string[];
      /** Whether the view could join the other source. */
      readonly joins: boolean;
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

const wordColumns = ({ material, column, kept }: UnknownColumn): string =>
  kept === undefined
    ? 'The guide tells the columns of every material.'
    : `The view ${quote(material)} has ${list(kept)}: keep ${quote(column)} there to read it here.`;

function wordUnknown({ joined, holds, instead, nearest, ...p }: UnknownColumn): string | undefined {
  if (p.calculated === true)
    return `${quote(p.column)} is a calc of this view: filter it in a further view that reads from this one.`;
  if (joined !== undefined) {
    return `"${joined.column}" is a column of the joined side, but a filter reads the from side, before the join: filter ${joined.name} in an earlier view and join that view.`;
  }
  if (holds !== undefined) return `Call it ${quote(nearest)}, and write ${holds}.`;
  return instead && wordInstead(instead);
}

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
    example:
      Array.isArray(received) && received.length > 1
        ? 'Name one, and bring the other in by "join" or ask it in a second view.'
        : 'Write "from": ["allpv"].',
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
            hint: wordUnknown(p),
            example: didYouMean(p.nearest) ?? wordColumns(p),
            details: { material: p.material, column: p.column },
          };
        case 'unknown-source':
          return {
            message: `${quote(`${p.prefix}.${p.column}`)} does not belong to this view, which reads ${list(p.sources)}.`,
            example: p.joins ? `Join ${quote(p.prefix)}, or take the column out.` : 'Take the column out.',
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
  E_KEEP_EXPR_FORBIDDEN: entry<{
    received: string;
    /** The calc that it would be. */
    moved?: { readonly name: string; readonly expression: string } | undefined;
  }>(400, 'An expression in `keep`.', ({ received, moved }) => ({
    message: `"keep" takes columns only, not the expression ${quote(received)}.`,
    hint: moved && `Move it to "calc": {"${moved.name}": "${moved.expression}"}.`,
    example: 'Keep the column itself, such as "allpv.url".',
  })),
};
