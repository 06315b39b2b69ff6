// Owns the part of the error table about `calc` and `add`.
import { entry, type Received } from './error-entry';
import { didYouMean, type Instead, list, quote, wordInstead } from './wording';

const wordUncounted = (p: { view: string; column: string; calculates: boolean }): string =>
  p.calculates
    ? `COUNT leaves out rows in which its column is empty: add a COUNT to the calc of ${quote(p.view)}, and count that.`
    : `COUNT leaves out rows in which its column is empty: keep ${quote(p.column)} in ${quote(p.view)}, and count that.`;

export const CALC_ERRORS = {
  E_CALC_INVALID_EXPRESSION: entry<
    | ({ problem: 'shape' } & Received)
    | { problem: 'empty' }
    | { problem: 'too-large' }
    | ({
        problem: 'expression';
        /** A view of which all rows were to be counted, though nothing in it is sure to be there. */
        uncounted?:
          | { readonly view: string; readonly column: string; readonly calculates: boolean }
          | undefined;
      } & Received)
    | { problem: 'name'; name: string; reason: 'pattern' | 'kept' }
    | { problem: 'type'; function: string; column: string; type: string; types: readonly string[] }
  >(
    400,
    'A calc is not `FUNC(material.column)`, its name is not allowed or is kept already, or its function does not work on the type.',
    (p) => {
      switch (p.problem) {
        case 'shape':
          return {
            message: `"calc" must map names to expressions, but here stands ${quote(p.received)}.`,
            example: 'Write "calc": {"views": "COUNT(allpv.pv_id)"}.',
          };
        case 'too-large':
          return {
            message: 'A sum is larger than 2^53: JSON readers could not hold it exactly.',
            hint: 'Sum something smaller than ids, or ask for a shorter time range.',
          };
        case 'empty':
          return {
            message: '"calc" is empty.',
            hint: 'Leave "calc" out for plain rows, or name a calculation: {"views": "COUNT(allpv.pv_id)"}.',
          };
        case 'expression':
          return {
            message: `A calc is written FUNC(material.column), but here stands ${quote(p.received)}.`,
            hint: p.uncounted && wordUncounted(p.uncounted),
            example: 'Write one function of one column, such as "views": "COUNT(allpv.pv_id)".',
          };
        case 'name':
          return {
            message:
              p.reason === 'kept'
                ? `The calc ${quote(p.name)} has the name of a kept column.`
                : `The calc name ${quote(p.name)} has other characters than letters, digits and "_".`,
          };
        case 'type':
          return {
            message: `${p.function} does not work on ${quote(p.column)}, which is of type ${p.type}.`,
            hint: `${p.function} takes columns of type ${list(p.types)}; COUNT and COUNTUNIQUE take any.`,
            details: { type: p.type, types: p.types },
          };
      }
    },
  ),
  E_CALC_INVALID_FUNCTION: entry<{
    received: string;
    functions: readonly string[];
    nearest?: string | undefined;
  }>(400, 'An unknown function in a calc.', ({ received, functions, nearest }) => ({
    message: `There is no function ${quote(received)}.`,
    example: didYouMean(nearest) ?? `The functions are ${list(functions)}.`,
    details: { functions },
  })),
  E_CALC_COLUMN_UNRESOLVED: entry<{
    reference: string;
    sources: readonly string[];
    nearest?: string | undefined;
    /** A source that could be joined. */
    joins?: string | undefined;
    instead?: Instead | undefined;
  }>(
    400,
    'A calc names a source that the view does not read, or a column that its source does not have.',
    ({ reference, sources, nearest, joins, instead }) => ({
      message: `${quote(reference)} cannot be found: this view reads ${list(sources)}.`,
      hint: instead && wordInstead(instead),
      example:
        didYouMean(nearest) ??
        (joins === undefined ? undefined : `Join ${quote(joins)}, or take the calc out.`),
      details: { reference, sources },
    }),
  ),
  E_ADD_NOT_SUBSET_OF_CALC: entry<{ received: unknown; missing: readonly string[]; calc: readonly string[] }>(
    400,
    '`add` names something that is no key of calc.',
    ({ received, missing, calc }) => ({
      message:
        missing.length === 0
          ? `"add" must be a list of names, but it is ${quote(received)}.`
          : `"add" names ${list(missing.map((name) => `${quote(name)}`))}, which calc does not define.`,
      hint: `Leave "add" out, or make it ${JSON.stringify(calc)}.`,
    }),
  ),
  E_CALC_NOT_SUBSET_OF_ADD: entry<{ missing: readonly string[]; calc: readonly string[] }>(
    400,
    'calc defines a key that `add` does not name.',
    ({ missing, calc }) => ({
      message: `calc defines ${list(missing.map((name) => `${quote(name)}`))}, which "add" does not name.`,
      hint: `Leave "add" out, or make it ${JSON.stringify(calc)}.`,
    }),
  ),
};
