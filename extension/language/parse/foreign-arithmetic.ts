// Arithmetic in the syntax of other languages: `ratio(a, b)`, `clicks / views`, `SUM(x * 2)`, `a / NULLIF(b, 0)`.
import { functionNamed } from '../names/foreign-functions';
import type { JsonValue } from '../types/json';
import { type CalcWords, readCalc } from './calc-expression';
import { type RightForm, rightForm } from './foreign-expression';
import { percentileForm } from './foreign-percentile';
import type { LooseSource } from './loose-source';

const PART = String.raw`[A-Za-z_]\w*(?:\s*\([^()]*\))?`;
/** Only matches divisors. Anywhere else, NULLIF changes the result. */
const NULLIF = new RegExp(String.raw`(?<=[/,]\s*)nullif\s*\(\s*(${PART})\s*,\s*0(?:\.0+)?\s*\)`, 'gi');
const RATIO = new RegExp(
  String.raw`^\s*(?:ratio|divide|safe_divide)\s*\(\s*(${PART})\s*,\s*(${PART})\s*\)\s*$`,
  'i',
);
const SCALED = /\b(sum|avg|average|mean)\s*\(\s*([\w.]+)\s*([*/])\s*(\d+(?:\.\d+)?)\s*\)/gi;
const SAME_SIGNS: Readonly<Record<string, string>> = { '×': '*', '÷': '/', '−': '-' };

/** Arithmetic with calls and other calcs of the view. NULLIF is not needed, since dividing by 0 returns null. */
export function arithmeticForm(
  text: string,
  source: LooseSource,
  { words, otherCalc }: { readonly words: CalcWords; otherCalc(name: string): JsonValue | undefined },
): RightForm | undefined {
  if (!words.hasArithmetic) return undefined;
  const plain = text
    .replace(/[×÷−]/g, (sign) => SAME_SIGNS[sign] ?? sign)
    .replace(NULLIF, '$1')
    .replace(RATIO, '$1 / $2');
  const unscaled = plain.replace(SCALED, (all, ...[name, column, sign, number]) => {
    const outside = `${name}(${column}) ${sign} ${number}`;
    return all === plain.trim() ? outside : `(${outside})`;
  });
  // Not certain, since SQL truncates the quotient of two integers.
  const isSame = unscaled === plain;
  const forms: (RightForm | undefined)[] = [];
  const meant = unscaled.replace(new RegExp(`(?<![\\w.])${PART}`, 'g'), (part) => {
    const right = part.endsWith(')') ? callForm(part, source) : calcForm(otherCalc(part), words);
    forms.push(right);
    return right?.text ?? part;
  });
  const isWhole = forms.length > 0 && forms.every((it) => it !== undefined);
  const certain = isSame && forms.every((it) => it?.certain === true);
  return isWhole ? { text: meant.trim(), certain } : undefined;
}

const callForm = (part: string, source: LooseSource): RightForm | undefined =>
  percentileForm(part, source) ?? rightForm(part, source, functionNamed);

/** The text of another calc of the view. */
function calcForm(text: JsonValue | undefined, words: CalcWords): RightForm | undefined {
  const read = typeof text === 'string' ? readCalc(text, words) : undefined;
  if (typeof text !== 'string' || read === undefined || !('value' in read)) return undefined;
  return { text: read.value.kind === 'value' ? text.trim() : `(${text.trim()})`, certain: true };
}
