// Rejects JSON that would lose something when it is parsed: digits of a number, or a repeated key of an object. In files from
// other programs, which users cannot change, numbers that would lose digits are read as text.
import { textFault } from '../storage/plain-text';
import { MAX_PARAMS_LENGTH } from './limits';

/** The maximum length of parameters as PostgreSQL writes them: with spaces, and with large numbers in full. */
const MAX_WRITTEN_LENGTH = 1_000_000;
const MAX_DEPTH = 32;

/**
 * Returns an event's parameters (an object or JSON text) as JSON text with sorted keys, so that equal parameters have equal text.
 * Throws a RangeError that describes the problem.
 */
export function parseParams(value: unknown): string {
  const params = typeof value === 'string' ? parseExactly(value) : value;
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new RangeError('must be a JSON object, such as {"value": 12.5}');
  const text = write(params, 0);
  refuseLong(text, MAX_PARAMS_LENGTH);
  return text;
}

function parseExactly(text: string): unknown {
  refuseLong(text, MAX_WRITTEN_LENGTH);
  try {
    const value: unknown = JSON.parse(text);
    const loss = jsonLoss(text, value, 'outside');
    if (loss !== undefined) throw new RangeError(loss);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) throw new RangeError(`is not JSON (${error.message})`);
    throw error;
  }
}

function refuseLong({ length }: string, max: number): void {
  if (length > max)
    throw new RangeError(`must be at most ${MAX_PARAMS_LENGTH} characters long, but is ${length}`);
}

// Concatenates, because rebuilding an object would lose a key such as __proto__.
function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new RangeError(`is nested too deeply; the maximum is ${MAX_DEPTH} levels`);
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${quoted(key)}:${write(item, depth + 1)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

function quoted(text: string): string {
  const fault = textFault(text);
  if (fault !== undefined) throw new RangeError(fault);
  return JSON.stringify(text);
}

/** Whether all numbers are checked, or only nested ones: the top-level numbers of a row are checked by their columns. */
type NumbersFrom = 'outside' | 'inside';

/**
 * Describes what a string loses when parsed as `value`: digits of a number, or a repeated key. Returns undefined if it loses
 * nothing. Most strings pass a quick check: the text has as many keys as the value, and no number is long. Only the others
 * are read token by token.
 */
export function jsonLoss(text: string, value: unknown, numbers: NumbersFrom): string | undefined {
  const checksNumbers = numbers === 'outside' || hasInside(value);
  const plain = keysWritten(text) === keysRead(value, 0) && !(checksNumbers && LONG_NUMBER.test(text));
  return plain ? undefined : lossByToken(text, numbers === 'outside' ? 1 : 2);
}

/** A long number inside an object or a list. It may also match inside a string. */
const LONG_NUMBER = /[\s:,[]-?(?:[\d.]{16}|[\d.]+[eE])/;

/**
 * Parses JSON. Numbers that would lose digits are read as text, like ids with too many digits in CSV. Throws a SyntaxError if
 * the text is not JSON.
 */
export const parseKeepingDigits = (text: string): unknown =>
  LONG_NUMBER.test(text) ? JSON.parse(text, withAllDigits) : JSON.parse(text);

const withAllDigits = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && !isExact(context.source)
    ? context.source
    : value;

/** Deeper values are rejected anyway; counting their keys could overflow the stack. */
const MAX_COUNTED_DEPTH = 64;
const QUOTE = 0x22;

/** Counts the keys in JSON text. The count is never too low, but may be too high: a string may contain a quote and a colon. */
function keysWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (before > 0 && text.charCodeAt(before) <= 0x20) before -= 1;
    if (text.charCodeAt(before) === QUOTE) count += 1;
  }
  return count;
}

function keysRead(value: unknown, depth: number): number {
  if (!isOpen(value) || depth > MAX_COUNTED_DEPTH) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const member of value) count += keysRead(member, depth + 1);
  else for (const key in value) count += 1 + keysRead(value[key], depth + 1);
  return count;
}

// Here and above, `for ... in` avoids creating a list of the values.
function hasInside(value: unknown): boolean {
  if (isOpen(value)) for (const key in value) if (isOpen(value[key])) return true;
  return false;
}

/** Whether a value is an object or a list. */
const isOpen = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]|-?\d[\d.eE+-]*/g;

function lossByToken(text: string, numbersFrom: number): string | undefined {
  // The keys of each open object; a list has none.
  const open: Set<unknown>[] = [];
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (string !== undefined) {
      if (colon === undefined) continue;
      const keys = open.at(-1);
      const key: unknown = JSON.parse(string);
      if (keys?.has(key) === true) return `has the key ${shown(string)} twice`;
      keys?.add(key);
    } else if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (open.length >= numbersFrom && !isExact(token)) {
      return `contains the number ${shown(token)}, which would be stored as ${Number(token)}; write it as text`;
    }
  }
  return undefined;
}

const MAX_DIGITS = 100;
/** A double preserves all numbers with up to this many digits, except those smaller than the smallest normal double. */
const CERTAIN_DIGITS = 15;
const SMALLEST_NORMAL = 2.2250738585072014e-308;

/** Whether a number's double, printed with the same number of digits, is the same number. */
function isExact(written: string): boolean {
  const value = Number(written);
  const isNormal = Number.isFinite(value) && Math.abs(value) >= SMALLEST_NORMAL;
  if (isNormal && written.length <= CERTAIN_DIGITS) return true;
  const [digits] = /[1-9]\d*/.exec(mantissaOf(written)) ?? [];
  if (digits === undefined) return true;
  if (value === 0 || !Number.isFinite(value) || digits.length > MAX_DIGITS) return false;
  return mantissaOf(value.toPrecision(digits.length)).replace(/^0+/, '') === digits;
}

/** The digits of a number, without sign, decimal point, exponent or trailing zeros: 1e300 may be written with all its zeros. */
const mantissaOf = (written: string): string =>
  written
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/(?<!0)0+$/, '');

const shown = (token: string): string => (token.length > 40 ? `${token.slice(0, 37)}...` : token);
