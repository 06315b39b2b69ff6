// The functions over the values of one column in a group, and what is computed of several of them.
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

/** Numbers that JSON cannot hold exactly are an error of the query, and no random query is meant to reach them. */
export class TooLarge extends Error {}

/** `apart`: ids are told apart by their site. */
export function aggregate(call: Call, values: readonly Present[], type: ColumnType, apart: boolean): Value {
  switch (call.function) {
    case 'COUNT':
      return values.length;
    case 'COUNTUNIQUE':
      return new Set(values.map(({ value, site }) => (apart && type === 'id' ? `${site} ${value}` : value)))
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
      const share = shareOf(values, Number(call.percentage ?? '50'));
      if (share === null) return null;
      return type === 'datetime' ? Number(share.over / share.under) : nearest(share);
    }
    default:
      throw new Error(`The interpreter has no function ${call.function}.`);
  }
}

/** The result of a tree of calls, rounded once; null where a part is null or a divisor 0. */
export function compute(tree: Tree, exactly: (call: Call) => Fraction | null): Value {
  const read = (part: Tree): Fraction | null => {
    if ('call' in part) return exactly(part.call);
    if ('number' in part) return fractionOf(Number(part.number));
    const [left, right] = [read(part.left), read(part.right)];
    return left === null || right === null ? null : combined(part.sign, left, right);
  };
  const result = read(tree);
  return result === null ? null : nearest(result);
}

/** A number of a group before any rounding. */
export function exactAggregate(
  call: Call,
  values: readonly Present[],
  type: ColumnType,
  apart: boolean,
): Fraction | null {
  const { total, scale } = exactSum(call.function === 'SUM' || call.function === 'AVERAGE' ? values : []);
  const under = 10n ** BigInt(scale);
  switch (call.function) {
    case 'SUM':
      return { over: total, under };
    case 'AVERAGE':
      return values.length === 0 ? null : { over: total, under: under * BigInt(values.length) };
    case 'MEDIAN':
    case 'PERCENTILE':
      return shareOf(values, Number(call.percentage ?? '50'));
    default: {
      const value = aggregate(call, values, type, apart);
      return value === null ? null : fractionOf(Number(value));
    }
  }
}

/** So many percent of the way from the least to the greatest value. */
function shareOf(values: readonly Present[], percentage: number): Fraction | null {
  const sorted = values.map(({ value }) => fractionOf(Number(value))).sort(compareFractions);
  // In steps of a millionth of the way between two neighbours.
  const way = BigInt(Math.round(percentage * 10_000)) * BigInt(sorted.length - 1);
  const low = sorted[Number(way / STEPS)];
  const high = sorted[Number(way / STEPS) + 1] ?? low;
  if (low === undefined || high === undefined) return null;
  const part = way % STEPS;
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

/** The type of what a function gives. */
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

/** The digits of a mean after its point: far more than a double holds. */
const MEAN_SCALE = 40;

/** The exact sum divided as a decimal, and only then a JSON number. */
function mean(values: readonly Present[]): number {
  const { total, scale } = exactSum(values);
  const digits = (total * 10n ** BigInt(MEAN_SCALE)) / BigInt(values.length);
  return Number(`${digits}e-${scale + MEAN_SCALE}`);
}

/** The exact sum of the decimals as they are printed, and only then a JSON number. */
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
