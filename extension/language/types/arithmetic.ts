// Arithmetic as a tree. The result is computed exactly and rounded to a double at the end. It is null if a leaf is null or a
// divisor is 0.

export const ARITHMETIC_OPERATORS = ['+', '-', '*', '/'] as const;
export type ArithmeticOperator = (typeof ARITHMETIC_OPERATORS)[number];

export type Arithmetic<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  | DecimalTerm
  | {
      readonly kind: 'operation';
      readonly operator: ArithmeticOperator;
      readonly left: Arithmetic<Value>;
      readonly right: Arithmetic<Value>;
    };

/** `digits` is the number without its decimal point; `scale` is the number of digits after the point. */
interface DecimalTerm {
  readonly kind: 'decimal';
  readonly digits: number;
  readonly scale: number;
}

export const whole = (digits: number): DecimalTerm => ({ kind: 'decimal', digits, scale: 0 });

export const valueTerm = <Value>(value: Value): Arithmetic<Value> => ({ kind: 'value', value });

export const operation = <Value>(
  operator: ArithmeticOperator,
  left: Arithmetic<Value>,
  right: Arithmetic<Value>,
): Arithmetic<Value> => ({ kind: 'operation', operator, left, right });

/** The values of a tree from left to right, with duplicates. */
export function valuesOf<Value>(tree: Arithmetic<Value>): readonly Value[] {
  const values: Value[] = [];
  const collect = (part: Arithmetic<Value>): void => {
    if (part.kind === 'value') values.push(part.value);
    if (part.kind !== 'operation') return;
    collect(part.left);
    collect(part.right);
  };
  collect(tree);
  return values;
}

/** Replaces each value with a tree. */
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
      return operation(tree.operator, mapValues(tree.left, map), mapValues(tree.right, map));
  }
}

export const divides = (tree: Arithmetic<unknown>): boolean =>
  tree.kind === 'operation' && (tree.operator === '/' || divides(tree.left) || divides(tree.right));

/** The fraction `of / in`, where `in` is a power of ten. */
export interface Share {
  readonly of: number;
  readonly in: number;
}

/** A column of exact numbers with at most `digits` decimal places, or of instants, which are read as epoch seconds. */
export interface ExactColumn {
  readonly column: string;
  readonly digits: 0 | 6;
  readonly isInstant?: true;
}
