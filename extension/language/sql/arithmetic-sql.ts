// Arithmetic as a fraction of exact numbers. The division comes last, so that the result is rounded only once.
import { type Arithmetic, type ArithmeticOperator, type ExactColumn, valuesOf } from '../types/arithmetic';
import type { Compilation } from './compilation';
import type { Dialect } from './dialect';
import { type SelectScope, withColumns, wrap } from './select-scope';
import { integer, type Sql, sql } from './sql';

/** An exact number with at most `digits` digits before the decimal point. */
interface Exact {
  readonly sql: Sql;
  readonly digits: number;
}

/** dividend / (divisor * 10 ** scale), where null means a divisor of 1. In the database, a divisor of 0 becomes null. */
interface Fraction {
  readonly dividend: Exact;
  readonly divisor: Exact | null;
  readonly scale: number;
}

/** Whole numbers have up to 30 digits before the decimal point. Decimals may be any double, so they have up to 310. */
const DIGITS = { 0: 30, 6: 310 } as const;

const exactName = (column: string): string => `${column}:exact`;

/** Converts the trees' numbers in a subquery, since arithmetic reads each number several times. */
export function withExactNumbers(
  scope: SelectScope,
  trees: readonly Arithmetic<ExactColumn>[],
  names: Iterable<string>,
  compilation: Compilation,
): SelectScope {
  const { dialect } = compilation;
  const read = new Map(trees.flatMap(valuesOf).map((value) => [value.column, value]));
  const numbers = new Map(
    [...read].map(([column, { digits, isInstant }]) => {
      const stored = scope.column(column);
      return [exactName(column), dialect.exact(isInstant ? dialect.seconds(stored) : stored, digits)];
    }),
  );
  return wrap(withColumns(scope, numbers), [...names, ...numbers.keys()], compilation);
}

/** The scope must already have the tree's exact numbers. */
export function arithmeticSql(
  tree: Arithmetic<ExactColumn>,
  column: (name: string) => Sql,
  dialect: Dialect,
): Sql {
  const { dividend, divisor, scale } = fractionOf(tree, column, dialect);
  const one: Exact = { sql: dialect.exact(integer(1), 0), digits: 1 };
  const denominator = timesTen(divisor ?? one, scale);
  return dialect.quotient(timesTen(dividend, -scale).sql, denominator.sql, denominator.digits);
}

function fractionOf(
  tree: Arithmetic<ExactColumn>,
  column: (name: string) => Sql,
  dialect: Dialect,
): Fraction {
  switch (tree.kind) {
    case 'value': {
      const { column: name, digits } = tree.value;
      const scale = dialect.exactScale[digits];
      const dividend = { sql: column(exactName(name)), digits: DIGITS[digits] + scale };
      return { dividend, divisor: null, scale };
    }
    case 'decimal': {
      const dividend = dialect.exact(integer(tree.digits), 0);
      return { dividend: { sql: dividend, digits: MAX_DIGITS }, divisor: null, scale: tree.scale };
    }
    case 'operation': {
      const left = fractionOf(tree.left, column, dialect);
      if (tree.operator === '*' && tree.right.kind === 'decimal' && tree.right.digits === 1)
        return { ...left, scale: left.scale + tree.right.scale };
      return COMBINED[tree.operator](left, fractionOf(tree.right, column, dialect));
    }
  }
}

const COMBINED: Readonly<Record<ArithmeticOperator, (left: Fraction, right: Fraction) => Fraction>> = {
  '+': (left, right) => added(left, right, sql` + `),
  '-': (left, right) => added(left, right, sql` - `),
  '*': (left, right) => ({
    dividend: times(left.dividend, right.dividend),
    divisor: left.divisor === null ? right.divisor : times(left.divisor, right.divisor),
    scale: left.scale + right.scale,
  }),
  '/': (left, right) => {
    const denominator = { ...right.dividend, sql: sql`nullif(${right.dividend.sql}, 0)` };
    return {
      dividend: times(left.dividend, right.divisor),
      divisor: times(denominator, left.divisor),
      scale: left.scale - right.scale,
    };
  },
};

function added(left: Fraction, right: Fraction, operator: Sql): Fraction {
  const scale = Math.max(left.scale, right.scale);
  const one = timesTen(times(left.dividend, right.divisor), scale - left.scale);
  const other = timesTen(times(right.dividend, left.divisor), scale - right.scale);
  return {
    dividend: {
      sql: sql`(${one.sql}${operator}${other.sql})`,
      digits: Math.max(one.digits, other.digits) + 1,
    },
    divisor: left.divisor === null ? right.divisor : times(left.divisor, right.divisor),
    scale,
  };
}

const times = (number: Exact, factor: Exact | null): Exact =>
  factor === null
    ? number
    : { sql: sql`(${number.sql} * ${factor.sql})`, digits: number.digits + factor.digits };

/** The maximum number of digits in a literal. */
const MAX_DIGITS = 15;

/** Multiplies by a power of ten. */
function timesTen(number: Exact, power: number): Exact {
  if (power <= 0) return number;
  const step = Math.min(power, MAX_DIGITS);
  const factor = { sql: integer(10 ** step), digits: step + 1 };
  return timesTen(times(number, factor), power - step);
}
