// Converts values in files to stored values, according to the type of their column. Each parser takes a JSON value or a CSV
// cell and throws a RangeError that describes what is expected.
import { KNOWN_WORDS } from '../../../manifests/reader/known-words';
import type { Column } from '../../../manifests/reader/manifest';
import { LAST_GIVEN_ID } from '../rows/generated-ids';
import type { PhysicalType } from '../rows/table-layout';
import { textFault } from '../storage/plain-text';
import { countryCode } from './derive/countries';
import { readOr } from './import-error';

type Parser<T> = (value: unknown) => T;

const INTEGER = /^-?\d{1,300}$/;
const DECIMAL = /^-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?$/;

// In characters. A batch of longer strings would not fit in memory.
const MAX_TEXT_LENGTH = 2048;
const MAX_ADDRESS_LENGTH = 8192;
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'referrer', 'to_url']);

const LARGEST: Readonly<Partial<Record<PhysicalType, number>>> = { int2: 32_767, int4: 2_147_483_647 };

/** The largest number of a type that can be stored exactly. */
export const largestOf = (type: PhysicalType): number => LARGEST[type] ?? Number.MAX_SAFE_INTEGER;

/** Returns a parser for the numbers of a column that is stored as `physical`. */
export function numberParser(column: Column, physical: PhysicalType): Parser<number> {
  const { type, per, words, min, max } = column;
  const largest = largestOf(physical);
  if (type === 'flag') return parseFlag;
  if (per !== undefined) return shifted(per, inRange(parseDecimal, min, max ?? largest / per));
  if (type === 'num') return inRange(parseDecimal, min, max);
  if (type === 'id') return inRange(parseInteger, 1, Math.min(LAST_GIVEN_ID, largest));
  const parse = inRange(parseInteger, min ?? -largest, max ?? largest);
  return words === undefined ? parse : wordParser(words, parse);
}

/** Accepts a word for a number, or the number itself. */
function wordParser(words: Readonly<Record<string, number>>, parse: Parser<number>): Parser<number> {
  const numbers = new Map(Object.entries(words));
  const names = [...numbers.keys()].join(', ');
  return (value) => {
    const number = typeof value === 'string' ? numbers.get(value.toLowerCase()) : undefined;
    const parsed = number ?? readOr(parse, value, undefined);
    if (parsed === undefined) throw new RangeError(`must be one of ${names}, or its number`);
    return parsed;
  };
}

/** A decimal that is stored as an integer: multiplied by `per`, and rounded half up from its written digits. */
function shifted(per: number, parse: Parser<number>): Parser<number> {
  const digits = Math.log10(per);
  return (value) => {
    const written = String(parse(value));
    return Math.round(Number(written.includes('e') ? Number(written) * per : `${written}e${digits}`));
  };
}

const PLAIN_ID = /^[1-9]\d{0,15}$/;
const MAX_ID_LENGTH = 255;

/**
 * Returns a parser for ids: a plain number in the range stays a number; any other number or text is an id as
 * written, so "007" and "7" differ.
 */
export function idParser({ max = LAST_GIVEN_ID }: Pick<Column, 'max'>): Parser<number | string> {
  return (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= max) return value;
    const written = typeof value === 'number' && Number.isSafeInteger(value) ? String(value + 0) : value;
    if (typeof written === 'number' && Number.isInteger(written))
      throw new RangeError('has more digits than a JSON number keeps exactly; write it as text');
    if (typeof written !== 'string' || written.trim() === '')
      throw new RangeError('must be an id: a whole number, or text');
    // Many programs write 0 for an unknown visitor.
    if (written === '0') throw new RangeError('must be at least 1');
    const number = PLAIN_ID.test(written) ? Number(written) : Number.POSITIVE_INFINITY;
    return number <= max ? number : parseText(written, MAX_ID_LENGTH);
  };
}

/** Returns a parser for the strings in a column. */
export function textParser(column: Column): Parser<string> {
  if (column.name === 'country_code') return (value) => countryCode(parseText(value));
  const longest = ADDRESSES.has(column.field ?? column.name) ? MAX_ADDRESS_LENGTH : MAX_TEXT_LENGTH;
  return (value) => parseText(value, longest);
}

/** Integers are read as their digits, so that an unquoted id is accepted. */
export function parseText(value: unknown, longest = MAX_TEXT_LENGTH): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string') throw new RangeError('must be text');
  if (value.length > longest)
    throw new RangeError(`must be at most ${longest} characters long, but is ${value.length}`);
  const fault = textFault(value);
  if (fault !== undefined) throw new RangeError(fault);
  return value;
}

/** Returns a parser that converts one of these words, or a synonym, to its number. */
export function codeParser(words: Readonly<Record<string, number>>): Parser<number> {
  const ids = new Map(Object.entries(words));
  const synonyms = new Map(Object.entries(KNOWN_WORDS.devices));
  const message = `must be one of ${[...ids.keys()].join(', ')} (or ${[...synonyms.keys()].join(', ')})`;
  return (value) => {
    const text = parseText(value);
    const id = ids.get(text) ?? ids.get(synonyms.get(text.toLowerCase()) ?? '');
    if (id === undefined) throw new RangeError(message);
    return id;
  };
}

const FLAGS = new Map<unknown, number>([
  ...[true, 1, '1', 'true'].map((value) => [value, 1] as const),
  ...[false, 0, '0', 'false'].map((value) => [value, 0] as const),
]);

export function parseFlag(value: unknown): number {
  const flag = FLAGS.get(value);
  if (flag === undefined) throw new RangeError('must be 0, 1, true or false');
  return flag;
}

function parseInteger(value: unknown): number {
  const number = typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
  // Adding 0 turns -0 into 0. Integers that may have been rounded exceed the range of every column.
  if (typeof number === 'number' && Number.isInteger(number)) return number + 0;
  throw new RangeError('must be a whole number');
}

function parseDecimal(value: unknown): number {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new RangeError('must be a number');
}

function inRange(
  parse: Parser<number>,
  min = -Number.MAX_VALUE,
  max = Number.MAX_VALUE,
): (value: unknown) => number {
  return (value) => {
    const number = parse(value);
    if (number >= min && number <= max) return number;
    throw new RangeError(number < min ? `must be at least ${min}` : `must be at most ${max}`);
  };
}
