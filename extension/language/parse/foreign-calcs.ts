// Lists of calcs in the syntax of other languages: `["COUNT(*) AS n"]`, `[{"name": "n", "fn": "count", "column": "pv_id"}]`.
import { usableName } from '../names/foreign-columns';
import { metricOfViews } from '../names/metrics';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../types/json';
import { certainValue, LONGEST_TEXT, type Rule } from './foreign-form';

const NAME_KEYS = ['name', 'as', 'alias'];
const EXPRESSION_KEYS = ['expression', 'expr', 'formula', 'sql'];

/** Repairs the list if all calcs have a known form and different names. */
export const calcsRule: Rule = ({ path, value }) => {
  if (!isJsonList(value)) return undefined;
  const named = value.flatMap((entry): readonly JsonObject[] => {
    const calc = namedCalc(entry);
    return calc === undefined ? [] : [calc];
  });
  const calcs: JsonObject = Object.assign({}, ...named);
  const isWhole = Object.keys(calcs).length === value.length && value.length > 0;
  return isWhole ? certainValue(path, calcs) : undefined;
};

/** An object with the calc under its name. The expression is not changed. */
function namedCalc(entry: JsonValue): JsonObject | undefined {
  if (typeof entry === 'string') {
    const text = entry.slice(0, LONGEST_TEXT);
    const [, expression, name] = /^(.*\))\s+as\s+"?(\w+)"?\s*$/is.exec(text) ?? [];
    if (expression !== undefined && name !== undefined) return { [name]: expression };
    if (metricOfViews(text) !== undefined) return { [text]: text };
    return text === entry && text.includes('(')
      ? { [usableName(text.toLowerCase(), 'value')]: text }
      : undefined;
  }
  if (!isJsonObject(entry)) return undefined;
  const key = NAME_KEYS.find((it) => typeof entry[it] === 'string');
  const name = key === undefined ? undefined : entry[key];
  const rest = Object.entries(entry).filter(([it]) => it !== key);
  const [[only, value = null] = [], ...others] = rest;
  if (only === undefined) return undefined;
  if (typeof name !== 'string') return others.length === 0 ? entry : undefined;
  const isText = others.length === 0 && EXPRESSION_KEYS.includes(only);
  return { [name]: isText ? value : Object.fromEntries(rest) };
}
