// Filters written as strings in other languages: `device_type = 'PC' AND pv >= 2`, `pv > 1 && country_code in ["DE", "AT"]`.
import { operatorForm, operatorSynonym } from '../names/foreign-operators';
import type { JsonObject, JsonValue } from '../types/json';
import { LONGEST_TEXT } from './foreign-form';

const VALUE = String.raw`'(?:[^']|'')*'|"[^"]*"|-?\d+(?:\.\d+)?|null\b|true\b|false\b`;
const LIST = String.raw`[(\[]\s*(?:${VALUE})(?:\s*,\s*(?:${VALUE}))*\s*[)\]]`;
const SIGN = String.raw`[=!]=|<>|[<>]=|[=<>]|(?:is\s+not|is|not\s+in|in|not\s+like|like)\b`;
const CONDITION = new RegExp(
  String.raw`\s*([A-Za-z_][\w.]*)\s*(${SIGN})\s*(${LIST}|${VALUE})\s*(and\b|&&?|;|$)`,
  'iy',
);

/** One filter per condition. Undefined if the text has anything but conditions on columns joined by AND. */
export function filtersInText(text: string, operators: readonly string[]): readonly JsonObject[] | undefined {
  if (text.length > LONGEST_TEXT) return undefined;
  const filters: JsonObject[] = [];
  for (let place = 0; place < text.length; place = CONDITION.lastIndex) {
    CONDITION.lastIndex = place;
    const [, column, sign, written, next] = CONDITION.exec(text) ?? [];
    if (column === undefined || sign === undefined || written === undefined) return undefined;
    const value = valueIn(written);
    const known = operatorNamed(sign, value, operators) ?? sign.toLowerCase().replace(/\s+/g, '_');
    filters.push({ [column]: { [known]: value } });
    if (next === '') break;
  }
  return filters.length === 0 ? undefined : filters;
}

/** The operator that a word means with this operand, since `is` can take one value or several. */
export function operatorNamed(
  word: string,
  operand: JsonValue,
  operators: readonly string[],
): string | undefined {
  const known = operatorSynonym(word, operators);
  if (known !== undefined) return known;
  const form = operatorForm(word);
  if (form !== 'eq' && form !== 'neq') return undefined;
  const several = form === 'eq' ? 'in' : 'not_in';
  const meant = Array.isArray(operand) ? several : form;
  return operators.includes(meant) ? meant : undefined;
}

function valueIn(written: string): JsonValue {
  if (/^[([]/.test(written))
    return [...written.slice(1, -1).matchAll(new RegExp(VALUE, 'gi'))].map(([value]) => valueIn(value));
  if (/^["']/.test(written)) return written.slice(1, -1).replaceAll("''", "'");
  return JSON.parse(written.toLowerCase());
}
