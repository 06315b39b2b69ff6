// Numbers computed of other numbers: a tree of `+ - * /` with values of any kind as its leaves.
// Its result is exact and rounded once, at the end, to a double; null where a leaf is null or a divisor 0.

export const SIGNS = ['+', '-', '*', '/'] as const;
export type Sign = (typeof SIGNS)[number];

export type Arithmetic<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  | DecimalTerm
  | {
      readonly kind: 'operation';
      readonly sign: Sign;
      readonly left: Arithmetic<Value>;
      readonly right: Arithmetic<Value>;
    };

/** A decimal: `digits` without its point, and how many of them follow it. */
interface DecimalTerm {
  readonly kind: 'decimal';
  readonly digits: number;
  readonly scale: number;
}

export const whole = (digits: number): DecimalTerm => ({ kind: 'decimal', digits, scale: 0 });

export const valueTerm = <Value>(value: Value): Arithmetic<Value> => ({ kind: 'value', value });

export const operation = <Value>(
  sign: Sign,
  left: Arithmetic<Value>,
  right: Arithmetic<Value>,
): Arithmetic<Value> => ({ kind: 'operation', sign, left, right });

/** The values of a tree, from left to right; one may come twice. */
export function valuesOf<Value>(tree: Arithmetic<Value>): readonly Value[] {
  switch (tree.kind) {
    case 'value':
      return [tree.value];
    case 'decimal':
      return [];
    case 'operation':
      return [...valuesOf(tree.left), ...valuesOf(tree.right)];
  }
}

/** The tree with another one in the place of each value. */
export function mapValues<From, To>(
  tree: Arithmetic<From>,
  map: (value: From) => Arithmetic<To>,
): Arithmetic<To> {
  switch (tree.kind) {
    case 'value':
      return map(tree.value);
    case 'decimal':
      return tree;
    case 'operation':
      return operation(tree.sign, mapValues(tree.left, map), mapValues(tree.right, map));
  }
}

/** Whether something in the tree is divided. */
export const divides = (tree: Arithmetic<unknown>): boolean =>
  tree.kind === 'operation' && (tree.sign === '/' || divides(tree.left) || divides(tree.right));

/** A share of ordered values: `of` in `in`, which is a power of ten. */
export interface Share {
  readonly of: number;
  readonly in: number;
}

/** A column with an exact number of at most so many digits behind the point. */
export interface ExactColumn {
  readonly column: string;
  readonly digits: 0 | 6;
}
