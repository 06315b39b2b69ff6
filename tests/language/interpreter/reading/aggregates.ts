// Aggregate functions over one column of a group, and arithmetic that combines several of them.
import type { ColumnType } from './columns';
import { decimalOf } from './decimals';
import { combined, type Fraction, fractionOf, nearest } from './fractions';
import type { Call, Tree } from './query';
import type { Value } from './tables';
import { compare } from './values';

/** A value that is not null, and the site of its row. */
export interface Present {
  readonly value: string | number;
  readonly site: number | null;
}

/** Thrown for a number that JSON cannot represent exactly. Random queries are designed to avoid such numbers. */
export class TooLarge extends Error {}

/** With `perSite`, identical ids from different sites are counted as different ids. */
export function aggregate(call: Call, values: readonly Present[], type: ColumnType, perSite: boolean): Value {
  switch (call.function) {
    case 'COUNT':
      return values.length;
    case 'COUNTUNIQUE':
      return new Set(values.map(({ value, site }) => (perSite && type === 'id' ? `${site} ${value}` : value)))
        .size;
    case 'SUM':
      return sum(values, type);
    case 'AVERAGE':
      return values.length === 0 ? null : mean(values);
    case 'MIN':
      return extreme(values, 'asc');
    case 'MAX':
      return extreme(values, 'desc');
    case 'MEDIAN':
    case 'PERCENTILE': {
      const percentile = percentileOf(values, Number(call.percentage ?? '50'));
      if (percentile === null) return null;
      return type === 'datetime' ? Number(percentile.over / percentile.under) : nearest(percentile);
    }
    default:
      throw new Error(`The interpreter has no function ${call.function}.`);
  }
}

/** The result of a tree of calls, rounded once. Null if an operand is null or a divisor is 0. */
export function compute(tree: Tree, exactly: (call: Call) => Fraction | null): Value {
  const read = (part: Tree): Fraction | null => {
    if ('call' in part) return exactly(part.call);
    if ('number' in part) return fractionOf(Number(part.number));
    const [left, right] = [read(part.left), read(part.right)];
    return left === null || right === null ? null : combined(part.operator, left, right);
  };
  const result = read(tree);
  return result === null ? null : nearest(result);
}

/** The exact value of an aggregate, without any rounding. */
export function exactAggregate(
  call: Call,
  values: readonly Present[],
  type: ColumnType,
  perSite: boolean,
): Fraction | null {
  const { total, scale } = exactSum(call.function === 'SUM' || call.function === 'AVERAGE' ? values : []);
  const under = 10n ** BigInt(scale);
  switch (call.function) {
    case 'SUM':
      return { over: total, under };
    case 'AVERAGE':
      return values.length === 0 ? null : { over: total, under: under * BigInt(values.length) };
    case 'MEDIAN':
    case 'PERCENTILE': {
      const percentile = percentileOf(values, Number(call.percentage ?? '50'));
      // Datetimes are in whole seconds.
      return percentile === null || type !== 'datetime'
        ? percentile
        : { over: percentile.over / percentile.under, under: 1n };
    }
    default: {
      const value = aggregate(call, values, type, perSite);
      return value === null ? null : fractionOf(Number(value));
    }
  }
}

/** The value at this percentage of the way through the sorted values, interpolated linearly. */
function percentileOf(values: readonly Present[], percentage: number): Fraction | null {
  const sorted = values.map(({ value }) => fractionOf(Number(value))).sort(compareFractions);
  // In millionths of the distance between two neighboring values.
  const position = BigInt(Math.round(percentage * 10_000)) * BigInt(sorted.length - 1);
  const low = sorted[Number(position / STEPS)];
  const high = sorted[Number(position / STEPS) + 1] ?? low;
  if (low === undefined || high === undefined) return null;
  const part = position % STEPS;
  return {
    over: low.over * high.under * (STEPS - part) + high.over * low.under * part,
    under: low.under * high.under * STEPS,
  };
}

const STEPS = 1_000_000n;

function compareFractions(a: Fraction, b: Fraction): number {
  const difference = a.over * b.under - b.over * a.under;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function resultType(name: string, type: ColumnType): ColumnType {
  switch (name) {
    case 'MEDIAN':
    case 'PERCENTILE':
      return type === 'datetime' ? 'datetime' : 'num';
    case 'COUNT':
    case 'COUNTUNIQUE':
      return 'int';
    case 'SUM':
      return type === 'num' ? 'num' : 'int';
    case 'AVERAGE':
      return 'num';
    default:
      return type === 'id' || type === 'flag' ? 'int' : type;
  }
}

const extreme = (values: readonly Present[], order: 'asc' | 'desc'): Value =>
  values.map(({ value }): Value => value).sort((a, b) => compare(a, b, order))[0] ?? null;

/** The number of decimal places of a mean, far more than a double has. */
const MEAN_SCALE = 40;

/** Divides the exact sum as a decimal, and converts only the result to a JSON number. */
function mean(values: readonly Present[]): number {
  const { total, scale } = exactSum(values);
  const digits = (total * 10n ** BigInt(MEAN_SCALE)) / BigInt(values.length);
  return Number(`${digits}e-${scale + MEAN_SCALE}`);
}

/** Adds the decimals exactly as printed, and converts only the result to a JSON number. */
function sum(values: readonly Present[], type: ColumnType): number {
  const { total, scale } = exactSum(values);
  const rounded = Number(`${total}e-${scale}`);
  if (type !== 'num' && !Number.isSafeInteger(rounded)) throw new TooLarge();
  return rounded;
}

function exactSum(values: readonly Present[]): { readonly total: bigint; readonly scale: number } {
  const decimals = values.map(({ value }) => decimalOf(Number(value)));
  const scale = Math.max(0, ...decimals.map((decimal) => decimal.scale));
  const total = decimals.reduce(
    (all, { digits, scale: own }) => all + digits * 10n ** BigInt(scale - own),
    0n,
  );
  return { total, scale };
}
