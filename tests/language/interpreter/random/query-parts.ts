// Parts of random queries that are built from few choices: filters, references, calcs and views.
import fc from 'fast-check';
import type { Column } from '../reading/columns';
import type { Calc, Reference, Test, View } from '../reading/query';
import { at, number, randomOperands, randomOperator, type Samples } from './random-values';
import { callOf } from './random-view';

export const testsRecipe = fc.array(
  fc.record({ which: number, operator: number, values: fc.array(number, { minLength: 3, maxLength: 3 }) }),
  { maxLength: 2 },
);
export type TestsRecipe = typeof testsRecipe extends fc.Arbitrary<infer It> ? It : never;

/** Returns tests of the named columns that exist, at most one per column. */
export function randomTests(
  columns: readonly Column[],
  names: readonly string[],
  recipes: TestsRecipe,
  { samples, tz }: { readonly samples: Samples; readonly tz: string },
): readonly Test[] {
  const tests = recipes.flatMap(({ which, operator, values }): readonly Test[] => {
    const column = columns.find(({ name }) => name === at(names, which));
    if (column === undefined) return [];
    const operation = randomOperator(column.type, operator);
    const value = randomOperands(column, operation, values, samples, tz);
    return [{ column: column.name, operator: operation, value }];
  });
  return tests.filter(({ column }, index) => tests.findIndex((it) => it.column === column) === index);
}

export const reference = (from: string, column: string, side: Reference['side'] = 'from'): Reference => ({
  side,
  column,
  written: `${from}.${column}`,
});

/** `text`: a function and its column, such as `COUNT pv_id`. */
export function calcOf(from: string, text: string, name: string, side: Reference['side'] = 'from'): Calc {
  const [fn = '', column = ''] = text.split(' ');
  return { ...callOf(fn, reference(from, column, side), '90'), name };
}

type Clauses = Partial<Omit<View, 'keep'>> & { readonly keep: readonly (string | Reference)[] };

/** Strings in `keep` are columns of `from`. */
export const newView = (name: string, from: string, { keep, ...clauses }: Clauses): View => ({
  name,
  from,
  time: null,
  join: null,
  filter: [],
  any: null,
  none: null,
  keep: keep.map((it) => (typeof it === 'string' ? reference(from, it) : it)),
  isKeptAgain: false,
  calc: [],
  add: false,
  sort: null,
  fill: null,
  ...clauses,
});
