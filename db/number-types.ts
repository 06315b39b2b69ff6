// Parses PostgreSQL values. A bigint or numeric is parsed as a number; parsing throws if the number would be rounded. A date
// stays a string (YYYY-MM-DD), because a JavaScript Date would shift it by the local time zone.
import { types } from 'pg';

const LIMIT = 2 ** 53;
const { INT8, NUMERIC, DATE } = types.builtins;
const INT8_ARRAY = 1016;
const NUMERIC_ARRAY = 1231;
const DATE_ARRAY = 1182;
// Annotated as a number because pg's type list has no array types.
const TEXT_ARRAY: number = 1009;

type Parser = (text: string) => unknown;

function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && Math.abs(value) < LIMIT) return value;
  throw new RangeError(
    `The database returned ${text}, which a JavaScript number cannot represent exactly (its absolute value must be below 2^53).`,
  );
}

function eachOf(value: unknown, parse: Parser): unknown {
  if (Array.isArray(value)) return value.map((item) => eachOf(item, parse));
  return typeof value === 'string' ? parse(value) : value;
}

function arrayOf(parse: Parser): Parser {
  const split: Parser = types.getTypeParser(TEXT_ARRAY, 'text');
  return (text) => eachOf(split(text), parse);
}

const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [INT8, exactNumber],
  [NUMERIC, exactNumber],
  [DATE, (text) => text],
  [INT8_ARRAY, arrayOf(exactNumber)],
  [NUMERIC_ARRAY, arrayOf(exactNumber)],
  [DATE_ARRAY, arrayOf((text) => text)],
]);

/** For our connections only; other connections in this process keep pg's parsers. */
export const NUMBER_TYPES = {
  getTypeParser(oid: number, format?: string): Parser {
    const own = format === 'binary' ? undefined : PARSERS.get(oid);
    return own ?? types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text');
  },
};
