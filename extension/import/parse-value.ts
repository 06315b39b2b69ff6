// Owns how a value of a file becomes a value of the database, by the type that the manifest gives to the column.
// JSON value or CSV cell in -> number or text out; a fault throws a RangeError that says what would be right.
import type { Column } from '../../manifests/reader/manifest';
import { LAST_GIVEN_ID } from './generated-ids';
import type { PhysicalType } from './table-layout';

const INTEGER = /^-?\d{1,16}$/;
const DECIMAL = /^-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?$/;
const SUSPECT = /[\0\uD800-\uDFFF]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

// In characters. Longer ones are no measurements, and a batch of them would not fit into memory.
const LONGEST_TEXT = 2048;
const LONGEST_ADDRESS = 8192;
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'referrer', 'to_url']);

const LARGEST: Readonly<Record<PhysicalType, number>> = {
  int2: 32_767,
  int4: 2_147_483_647,
  int8: Number.MAX_SAFE_INTEGER,
  float8: Number.MAX_VALUE,
  bool: 1,
  timestamptz: Number.MAX_SAFE_INTEGER,
  date: 0,
  uuid: 0,
  text: 0,
  jsonb: 0,
};

/** A parser for the numbers of a column that is stored as `physical`. */
export function numberParser(column: Column, physical: PhysicalType): (value: unknown) => number {
  if (column.type === 'flag') return parseFlag;
  if (column.per !== undefined) return parseShifted(column, column.per, LARGEST[physical]);
  if (column.type === 'num') return rangeChecked(parseDecimal, column.min, column.max);
  if (column.type === 'id') return rangeChecked(parseInteger, 1, Math.min(LAST_GIVEN_ID, LARGEST[physical]));
  const largest = LARGEST[physical];
  const parse = rangeChecked(parseInteger, column.min ?? -largest, Math.min(column.max ?? largest, largest));
  return column.words === undefined ? parse : wordParser(column.words, parse);
}

/** Takes a word for its number, besides the number itself. */
function wordParser(words: Readonly<Record<string, number>>, parse: (value: unknown) => number) {
  const numbers = new Map(Object.entries(words));
  const names = [...numbers.keys()].join(', ');
  return (value: unknown): number => {
    const number = typeof value === 'string' ? numbers.get(value.toLowerCase()) : undefined;
    if (number !== undefined) return number;
    try {
      return parse(value);
    } catch (error) {
      if (error instanceof RangeError) throw new RangeError(`must be one of ${names}, or its number`);
      throw error;
    }
  };
}

/** A decimal that is stored as a whole number: times `per`, rounded half up as it is written. */
function parseShifted(column: Column, per: number, largest: number): (value: unknown) => number {
  const digits = Math.log10(per);
  const parse = rangeChecked(parseDecimal, column.min, Math.min(column.max ?? largest / per, largest / per));
  return (value) => {
    const written = String(parse(value));
    return Math.round(Number(written.includes('e') ? Number(written) * per : `${written}e${digits}`));
  };
}

/** A parser for the texts that are stored in a field. */
export function textParser(field: string): (value: unknown) => string {
  const longest = ADDRESSES.has(field) ? LONGEST_ADDRESS : LONGEST_TEXT;
  return (value) => parseText(value, longest);
}

/** Reads a text. Numbers are taken as their digits, so that an id without quotes is not lost. */
export function parseText(value: unknown, longest = LONGEST_TEXT): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string') throw new RangeError('must be text');
  if (value.length > longest)
    throw new RangeError(`must be at most ${longest} characters long, and has ${value.length}`);
  if (SUSPECT.test(value)) {
    if (value.includes('\0'))
      throw new RangeError('holds the character U+0000, which the database cannot keep');
    if (LONE_SURROGATE.test(value))
      throw new RangeError('holds half a character (a lone surrogate); write it as UTF-8');
  }
  return value;
}

/** Two letters of a country, in capitals. */
export function parseCountry(value: unknown): string {
  const text = parseText(value);
  if (!/^[A-Za-z]{2}$/.test(text))
    throw new RangeError('must be a country of ISO 3166-1 in two letters, such as JP');
  return text.toUpperCase();
}

/** What else the devices are called in the files of others; compared without regard to case. */
export const DEVICE_SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['pc', 'PC'],
  ['desktop', 'PC'],
  ['tablet', 'tablet'],
  ['tab', 'tablet'],
  ['sp', 'SP'],
  ['smp', 'SP'],
  ['mobile', 'SP'],
  ['smartphone', 'SP'],
]);

const FLAGS: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  [true, 1],
  [false, 0],
  [1, 1],
  [0, 0],
  ['1', 1],
  ['0', 0],
  ['true', 1],
  ['false', 0],
]);

function parseFlag(value: unknown): number {
  const flag = FLAGS.get(value);
  if (flag === undefined) throw new RangeError('must be 0, 1, true or false');
  return flag;
}

function parseInteger(value: unknown): number {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  } else if (typeof value === 'string' && INTEGER.test(value)) {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number === 0 ? 0 : number;
  }
  throw new RangeError('must be a whole number');
}

function parseDecimal(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && DECIMAL.test(value)) {
    const number = Number(value);
    if (Number.isFinite(number)) return number;
  }
  throw new RangeError('must be a number');
}

function rangeChecked(
  parse: (value: unknown) => number,
  min = -Number.MAX_VALUE,
  max = Number.MAX_VALUE,
): (value: unknown) => number {
  return (value) => {
    const number = parse(value);
    if (number >= min && number <= max) return number;
    throw new RangeError(number < min ? `must be at least ${min}` : `must be at most ${max}`);
  };
}
