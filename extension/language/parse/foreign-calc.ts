// `keep` and `calc` entries in the style of SQL or of the QAL reference's examples: `url`, `COUNT(*)`, `{"count": "*"}`.
import { usableName } from '../names/foreign-columns';
import { countedColumn, nearFunction } from '../names/foreign-functions';
import { metricHint } from '../names/metrics';
import { valuesOf } from '../types/arithmetic';
import { type Contract, isEnabled } from '../types/contract';
import { isJsonObject, type JsonObject, type JsonValue, scalarText, valueAt } from '../types/json';
import { CALC_FUNCTIONS } from '../types/parsed-query';
import type { Path } from '../types/path';
import { certainly, probably, remove, rename, write } from '../types/repair';
import { calcWords, readCalc } from './calc-expression';
import { FEATURES_OF_FILTERED, isFilteredCalc, OUTPUT_NAME } from './calc-schema';
import { repairTo, rightForm, rightReference } from './foreign-expression';
import { MAX_TEXT_LENGTH, type Meant, type Rule, type WrongPlace } from './foreign-form';
import { type LooseSource, looseSource } from './loose-source';

/** An entry of `keep` other than `source.column`: a column without its source, or an expression. */
export const keepRule: Rule = (place) => {
  const { path, value, query, contract } = place;
  if (typeof value !== 'string') return undefined;
  const source = looseSource(query, path);
  if (/^(?:\w+\.)?\*$/.test(value.trim())) return { given: { hint: 'all' } };
  if (value.includes('(')) return keptExpression(value, source, place);
  const mayBeMetric = source.outputs === undefined && isEnabled(contract, 'calc');
  const hint = mayBeMetric ? metricHint(value.slice(value.indexOf('.') + 1)) : undefined;
  if (hint !== undefined) return { given: { hint } };
  return {
    repair: repairTo(rightReference(value.slice(0, MAX_TEXT_LENGTH), source), (text) => [write(path, text)]),
  };
};

/** A time function is a time-part column in QAL, and any other function belongs in `calc`. */
function keptExpression(
  received: string,
  source: LooseSource,
  { path, query, contract }: WrongPlace,
): Meant | undefined {
  if (/^\s*\w+\s*\(.*time\b/i.test(received) && isEnabled(contract, 'allpv_time_parts'))
    return { given: { hint: 'time part' } };
  const meant = rightForm(received, source);
  if (meant === undefined || !('value' in readCalc(meant.text, calcWords(contract)))) return undefined;
  const name = usableName(meant.text.toLowerCase(), 'value');
  const calc = [...path.slice(0, 2), 'calc', name];
  const isFree = valueAt(query, calc) === undefined;
  return {
    given: { hint: 'calc', name, expression: meant.text },
    repair: isFree ? repairTo(meant, (text) => [remove(path), write(calc, text)]) : undefined,
  };
}

/** A calc with a malformed name or expression, or an unknown function. */
export const calcRule: Rule = ({ path, query, value, contract }) => {
  const name = scalarText(path[3]);
  if (!OUTPUT_NAME.test(name)) return { repair: probably(rename(path, usableName(name, 'value'))) };
  const feature = disabledFeature(value, contract);
  if (feature !== undefined) return { feature };
  const source = looseSource(query, path);
  if (isFilteredCalc(value)) return undefined;
  if (isJsonObject(value) && 'filter' in value && isEnabled(contract, 'calc_filter'))
    return filteredCalc(value, source, path, contract);
  const words = calcWords(contract);
  const text = typeof value === 'string' ? value : '';
  const read = readCalc(text, words);
  const given = 'fault' in read ? read.given : {};
  const calcs = otherCalcs(path, source, query);
  const meant = wordsIn(text).some((word) => calcs.includes(word)) ? undefined : rightForm(value, source);
  if (meant !== undefined && 'value' in readCalc(meant.text, words))
    return { given, repair: repairTo(meant, (form) => [write(path, form)]) };
  const { outputs, calculates, material } = source;
  if (outputs !== undefined && /^\s*count\s*\(\s*[*1]?\s*\)\s*$/i.test(text))
    return {
      given: {
        hint: calculates ? 'count a calc' : 'count a column',
        view: source.name,
        column: countedColumn(material),
      },
    };
  const hint = hintFor(text, calcs);
  const nearest = typeof given.function === 'string' ? nearFunction(given.function) : undefined;
  return { given: { ...given, hint, nearest } };
};

/** A calc with `of` but no filter means the expression alone. */
export const calcFilterRule: Rule = ({ path, value, query }) => {
  // A filter that is a string would be split into characters by Object.entries.
  if (value !== undefined) return undefined;
  const calc = path.slice(0, 4);
  const [[key, of = null] = [], ...others] = Object.entries(valueAt(query, calc) ?? {});
  const isAlone = key === 'of' && others.length === 0;
  return isAlone ? { repair: certainly(write(calc, of)) } : undefined;
};

/** Moves the call in `{"count": "*", "filter": {...}}` to `of`. */
function filteredCalc(value: JsonObject, source: LooseSource, path: Path, contract: Contract): Meant {
  const { filter = null, ...call } = value;
  const meant = rightForm(call, source);
  const isRight = meant !== undefined && 'value' in readCalc(meant.text, calcWords(contract));
  const repair = isRight ? repairTo(meant, (of) => [write(path, { of, filter })]) : undefined;
  return { fault: 'E_CALC_INVALID_EXPRESSION no-of', repair };
}

/** Calcs that are written differently in QAL, each with the hint to show. */
const OTHER_FORMS: readonly (readonly [hint: string, form: RegExp])[] = [
  ['texts', /\|\|/],
  ['window', /\bover\s*\(|\b(?:lag|lead|rank|dense_rank|row_number|ntile|first_value|last_value)\s*\(/i],
  ['condition', /\bcase\s+when\b|\b(?:if|iif|(?:count|sum|avg)_?if)\s*\(|\bwhere\b/i],
  ['rounding', /\b(?:round|ceil|ceiling|floor|trunc|truncate|cast)\s*\(|::/i],
  ['nulls', /\b(?:coalesce|ifnull|nvl|nullif)\s*\(/i],
  ['percentile', /\b(?:p\d\d|percentile_\w+|quantile\w*|approx_\w+)\s*\(/i],
  ['columns', /\b\w+\s*\(\s*[\w.]+\s*[-+*/]\s*[\w.]+\s*\)/],
];

function hintFor(text: string, calcs: readonly string[]): string | undefined {
  const short = text.slice(0, MAX_TEXT_LENGTH);
  const form = OTHER_FORMS.find(([, pattern]) => pattern.test(short));
  if (form !== undefined) return form[0];
  const names = wordsIn(text);
  const metric = names.map(metricHint).find((hint) => hint !== undefined);
  return names.some((word) => calcs.includes(word)) ? 'other calc' : metric;
}

/** The unqualified names in an expression. */
const wordsIn = (text: string): readonly string[] =>
  [...text.slice(0, MAX_TEXT_LENGTH).matchAll(/(?<![\w.])[A-Za-z_]\w*(?!\s*\(|[\w.])/g)].map(
    ([word]) => word,
  );

/** The view's other calcs, except those that share a name with a column of its source. */
function otherCalcs(path: Path, { outputs = [] }: LooseSource, query: JsonObject): readonly string[] {
  const calcs = valueAt(query, path.slice(0, 3));
  const names = isJsonObject(calcs) ? Object.keys(calcs) : [];
  return names.filter((name) => name !== path[3] && !outputs.includes(name));
}

/** The first feature that a calc needs but that is off. */
function disabledFeature(value: JsonValue | undefined, contract: Contract): string | undefined {
  if (isFilteredCalc(value)) return FEATURES_OF_FILTERED.find((feature) => !isEnabled(contract, feature));
  if (typeof value !== 'string') return undefined;
  const read = readCalc(value, { functions: CALC_FUNCTIONS, hasArithmetic: true });
  if ('fault' in read) return undefined;
  const { features, request } = contract.rules;
  const needed = [
    ...(read.value.kind === 'value' ? [] : ['calc_expressions']),
    ...valuesOf(read.value).flatMap((call) => request.calc_functions[call.function]?.feature ?? []),
  ];
  return needed.find((name) => features.has(name) && !isEnabled(contract, name));
}
