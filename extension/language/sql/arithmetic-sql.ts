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

/**
 * Adds the trees' values. Each step is a subquery, since the next step or the order of the rows reads its columns several times.
 * Whole numbers are converted where they are read.
 */
export function withQuotients(
  scope: SelectScope,
  trees: ReadonlyMap<string, Arithmetic<ExactColumn>>,
  names: ReadonlySet<string>,
  compilation: Compilation,
): SelectScope {
  const { dialect } = compilation;
  const withMore = (inner: SelectScope, more: ReadonlyMap<string, Sql>): SelectScope =>
    more.size === 0 ? inner : wrap(withColumns(inner, more), [...names, ...more.keys()], compilation);
  const exactIn = ({ column: columnOf }: SelectScope, { column, digits, isInstant }: ExactColumn): Sql =>
    dialect.exact(isInstant ? dialect.seconds(columnOf(column)) : columnOf(column), digits);
  const isDecimal = ({ digits }: ExactColumn): boolean => digits > 0;
  const decimals = [...trees.values()].flatMap(valuesOf).filter(isDecimal);
  const converted = withMore(
    scope,
    new Map(decimals.map((value) => [exactName(value), exactIn(scope, value)])),
  );
  const exactOf = (value: ExactColumn): Sql =>
    isDecimal(value) ? converted.column(exactName(value)) : exactIn(converted, value);
  const one: Exact = { sql: dialect.exact(integer(1), 0), digits: 1 };
  const fractions = [...trees].map(([name, tree]) => {
    const { dividend, divisor, scale } = fractionOf(tree, exactOf, dialect);
    return { name, over: timesTen(dividend, -scale), under: timesTen(divisor ?? one, scale) };
  });
  const parts = fractions.flatMap(({ name, over, under }) => [
    [dividendOf(name), over.sql] as const,
    [divisorOf(name), under.sql] as const,
  ]);
  const divided = withMore(converted, new Map(parts));
  const quotients = fractions.map(({ name, over, under }) => {
    const isSmall = Math.max(over.digits, under.digits) < 2 * DIGITS[0];
    const parts = [divided.column(dividendOf(name)), divided.column(divisorOf(name))] as const;
    return [name, dialect.quotient(...parts, under.digits, isSmall)] as const;
  });
  return withMore(divided, new Map(quotients));
}

const exactName = ({ column }: ExactColumn): string => `${column}:exact`;
const dividendOf = (name: string): string => `${name}:dividend`;
const divisorOf = (name: string): string => `${name}:divisor`;

function fractionOf(
  tree: Arithmetic<ExactColumn>,
  exactOf: (value: ExactColumn) => Sql,
  dialect: Dialect,
): Fraction {
  switch (tree.kind) {
    case 'value': {
      const { digits } = tree.value;
      const scale = dialect.exactScale[digits];
      const dividend = { sql: exactOf(tree.value), digits: DIGITS[digits] + scale };
      return { dividend, divisor: null, scale };
    }
    case 'decimal': {
      const dividend = dialect.exact(integer(tree.digits), 0);
      return { dividend: { sql: dividend, digits: MAX_DIGITS }, divisor: null, scale: tree.scale };
    }
    case 'operation': {
      const left = fractionOf(tree.left, exactOf, dialect);
      if (tree.operator === '*' && tree.right.kind === 'decimal' && tree.right.digits === 1)
        return { ...left, scale: left.scale + tree.right.scale };
      return COMBINED[tree.operator](left, fractionOf(tree.right, exactOf, dialect));
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
