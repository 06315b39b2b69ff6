// Owns what reading a text as JSON would lose in silence: a number that a double cannot hold, a key that stands twice.
// Text and what it was read as in -> why it is refused, or undefined. Most texts pass on a glance: as many keys were read
// as were written, and no number is long; only the others are looked at token by token.

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
const DEEPEST = 64;

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
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return 0;
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
