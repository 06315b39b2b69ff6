// Owns how the parameters of an event are read: any JSON object that the database can keep and give back as it was.
// Object, or JSON text in a cell -> JSON text with sorted keys, so that equal parameters are equal texts.
import { jsonLoss } from './json-loss';

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
