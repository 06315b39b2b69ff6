// Owns how the parameters of an event are read: any JSON object that the database can keep and give back as it was.
// Object, or JSON text in a cell -> JSON text with sorted keys, so that equal parameters are equal texts.

const LONGEST_PARAMS = 65_536;
const DEEPEST = 32;
const SUSPECT = /[\0\uD800-\uDFFF]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Reads parameters; throws a RangeError whose message says what would be right. */
export function parseParams(value: unknown): string {
  const params = typeof value === 'string' ? parseJson(value) : value;
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw new RangeError('must be a JSON object, such as {"value": 12.5}');
  }
  const text = write(params, 0);
  if (text.length > LONGEST_PARAMS) {
    throw new RangeError(`must be at most ${LONGEST_PARAMS} characters long, and has ${text.length}`);
  }
  return text;
}

function parseJson(text: string): unknown {
  if (text.length > LONGEST_PARAMS) {
    throw new RangeError(`must be at most ${LONGEST_PARAMS} characters long, and has ${text.length}`);
  }
  const value = parsed(text);
  const loss = jsonLoss(text, value, 'outside');
  if (loss !== undefined) throw new RangeError(loss);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new RangeError(`is not JSON (${error.message})`);
    throw error;
  }
}

// By concatenation: an object built anew would lose a key such as __proto__.
function write(value: unknown, depth: number): string {
  if (depth > DEEPEST) throw new RangeError(`nests too deeply; ${DEEPEST} levels are the most`);
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${quoted(key)}:${write(item, depth + 1)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

function quoted(text: string): string {
  if (SUSPECT.test(text)) {
    if (text.includes('\0'))
      throw new RangeError('holds the character U+0000, which the database cannot keep');
    if (LONE_SURROGATE.test(text))
      throw new RangeError('holds half a character (a lone surrogate); write it as UTF-8');
  }
  return JSON.stringify(text);
}

/** Whether numbers count right away, or only those inside of members: the columns of a row see to their own. */
export type NumbersFrom = 'outside' | 'inside';

/** What is lost of a text that was read as `value`. */
export function jsonLoss(text: string, value: unknown, numbers: NumbersFrom): string | undefined {
  const numbersCount = numbers === 'outside' || hasInside(value);
  const plain = keysWritten(text) === keysRead(value, 0) && !(numbersCount && LONG_NUMBER.test(text));
  return plain ? undefined : lossByToken(text, numbers === 'outside' ? 1 : 2);
}

const LONG_NUMBER = /[\d.]{16}|\d[eE][+-]?\d/;
/** Values that nest deeper are refused for that; to count their keys could overflow the stack. */
const DEEPEST_COUNTED = 64;

const COLON = ':';
const QUOTE = 0x22;

/** Never too few: a quote and a colon may stand together inside of texts too. */
function keysWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf(COLON); at >= 0; at = text.indexOf(COLON, at + 1)) {
    let before = at - 1;
    while (before > 0 && text.charCodeAt(before) <= 0x20) before -= 1;
    if (text.charCodeAt(before) === QUOTE) count += 1;
  }
  return count;
}

function keysRead(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > DEEPEST_COUNTED) return 0;
  const members: readonly unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) if (typeof member === 'object') count += keysRead(member, depth + 1);
  return count;
}

function hasInside(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => typeof member === 'object' && member !== null);
}

const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]|-?\d[\d.eE+-]*/g;

function lossByToken(text: string, numbersFrom: number): string | undefined {
  // The keys of each object that is open; a list has none.
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
    else if (open.length >= numbersFrom && !isKept(token)) {
      return `holds the number ${shown(token)}, which would be kept as ${Number(token)}; write it as text`;
    }
  }
  return undefined;
}

const MOST_DIGITS = 100;

/** Whether the double behind a number, written with as many digits, is that number. */
function isKept(written: string): boolean {
  const digits = (/[1-9]\d*/.exec(mantissaOf(written)) ?? [''])[0];
  const value = Number(written);
  if (digits === '') return true;
  if (value === 0 || !Number.isFinite(value) || digits.length > MOST_DIGITS) return false;
  return mantissaOf(value.toPrecision(digits.length)).replace(/^0+/, '') === digits;
}

/** The digits of a number, without sign, point and exponent. */
function mantissaOf(written: string): string {
  return written.replace(/[eE].*$/, '').replace(/\D/g, '');
}

function shown(token: string): string {
  return token.length > 40 ? `${token.slice(0, 37)}...` : token;
}
