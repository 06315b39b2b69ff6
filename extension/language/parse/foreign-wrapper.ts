// Removes wrappers used in other languages from a calc: `ROUND(x, 2)`, `COALESCE(x, 0)`, `CAST(x AS float)`, `x::numeric`.

interface Unwrapped {
  readonly text: string;
  /** What the removal changes, if anything. */
  readonly loss: 'rounded' | 'filled' | undefined;
}

const AROUND =
  /\b(round|ceil|ceiling|floor|trunc|truncate|coalesce|ifnull|nvl|cast|safe_cast|try_cast)\s*\(/i;
const NO_PLACES = /::\s*(?:float\d?|real|double precision|numeric|decimal)\b/gi;
const CAST_TO = /^(.*)\s+as\s+(\w+)(?:\s+precision)?\s*(\([\d\s,]*\))?\s*$/is;
const FRACTIONS = ['float', 'float4', 'float8', 'float64', 'real', 'double', 'numeric', 'decimal'];
/** Calls that return 0 if there are no rows. In other languages, SUM returns null then. */
const NEVER_NULL = /^\s*(?:count|countunique|sum)\s*\([^()]*\)\s*$/i;
const IS_SUM = /^\s*sum\b/i;
const ZERO = /^\s*0+(?:\.0+)?\s*$/;

/** The number of wrappers to remove. */
const MOST = 16;

/** Removes all wrappers. Undefined if one of them has an unknown form. */
export function unwrapped(written: string): Unwrapped | undefined {
  let text = written.replace(NO_PLACES, '');
  let loss: Unwrapped['loss'];
  for (let count = 0; count < MOST; count += 1) {
    const around = AROUND.exec(text);
    if (around === null) return { text: text.trim(), loss };
    const [opening, name = ''] = around;
    const start = around.index + opening.length;
    const end = endOf(text, start);
    const inner = end === undefined ? undefined : insideOf(name.toLowerCase(), text.slice(start, end));
    if (end === undefined || inner === undefined) return undefined;
    loss ??= inner.loss;
    const isAlone = around.index === 0 && end === text.length - 1;
    const isCall = /^\w+\s*\([^()]*\)$/.test(inner.text);
    const parenthesized = isAlone || isCall ? inner.text : `(${inner.text})`;
    text = text.slice(0, around.index) + parenthesized + text.slice(end + 1);
  }
  return undefined;
}

function insideOf(name: string, inside: string): Unwrapped | undefined {
  if (name.endsWith('cast')) {
    const [, text, type = '', places] = CAST_TO.exec(inside) ?? [];
    const loss = FRACTIONS.includes(type.toLowerCase()) && places === undefined ? undefined : 'rounded';
    return text === undefined ? undefined : { text: text.trim(), loss };
  }
  const [text = '', filling, ...others] = partsOf(inside);
  if (!/^(coalesce|ifnull|nvl)$/.test(name)) return { text: text.trim(), loss: 'rounded' };
  if (filling === undefined || others.length > 0 || (IS_SUM.test(text) && !ZERO.test(filling)))
    return undefined;
  return { text: text.trim(), loss: NEVER_NULL.test(text) ? undefined : 'filled' };
}

/** The position of the parenthesis that closes the one before `start`. */
function endOf(text: string, start: number): number | undefined {
  let depth = 1;
  for (let place = start; place < text.length; place += 1) {
    if (text[place] === '(') depth += 1;
    if (text[place] === ')') depth -= 1;
    if (depth === 0) return place;
  }
  return undefined;
}

/** Splits at commas outside parentheses. */
function partsOf(inside: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of inside) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts;
}
