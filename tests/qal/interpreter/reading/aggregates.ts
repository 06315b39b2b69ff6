// The six functions over the values of one column in a group.
import type { ColumnType } from './columns';
import { decimalOf } from './decimals';
import type { Value } from './tables';
import { compare } from './values';

/** A value that is not null, and the site of its row. */
export interface Present {
  readonly value: string | number;
  readonly site: number;
}

/** Numbers that JSON cannot hold exactly are an error of the query, and no random query is meant to reach them. */
export class TooLarge extends Error {}

/** `apart`: ids are told apart by their site. */
export function aggregate(name: string, values: readonly Present[], type: ColumnType, apart: boolean): Value {
  switch (name) {
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
    default:
      throw new Error(`The interpreter has no function ${name}.`);
  }
}

/** The type of what a function gives. */
export function resultType(name: string, type: ColumnType): ColumnType {
  switch (name) {
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
