// Entries of keep and calc in the syntax of other languages: `url`, `DATE(access_time)`, `COUNT(*)`.
import type { Given } from '../errors/fault';
import { usableName } from '../names/foreign-columns';
import { countedColumn, cutTime, functionNamed, nearFunction } from '../names/foreign-functions';
import { isBounceRate, metricOfViews } from '../names/metrics';
import { valuesOf } from '../types/arithmetic';
import { type Contract, isEnabled } from '../types/contract';
import { isJsonList, isJsonObject, isJsonScalar, type JsonValue, scalarText, valueAt } from '../types/json';
import { CALC_FUNCTIONS } from '../types/parsed-query';
import { probably, remove, rename, write } from '../types/repair';
import { calcWords, readCalc } from './calc-expression';
import { OUTPUT_NAME } from './calc-schema';
import { arithmeticForm } from './foreign-arithmetic';
import { callIn, countsAll, repairTo, rightForm, rightReference } from './foreign-expression';
import { LONGEST_TEXT, type Meant, type Rule, type WrongPlace } from './foreign-form';
import { percentileForm } from './foreign-percentile';
import { unwrapped } from './foreign-wrapper';
import { type LooseSource, looseSource } from './loose-source';

/** An entry of `keep` other than `source.column`: a column without its source, or an expression. */
export const keepRule: Rule = (place) => {
  const { path } = place;
  const source = looseSource(place.query, path);
  const value = columnText(place.value);
  if (value === undefined) return undefined;
  const metric = metricMeant(value, source);
  if (metric !== undefined && 'calc' in metric && !value.includes('('))
    return { given: { hint: 'metric', expression: metric.calc } };
  if (/^(?:\w+\.)?\*$/.test(value.trim())) return { given: { hint: 'all' } };
  if (value.includes('(')) return keptExpression(value, source, place);
  return {
    repair: repairTo(rightReference(value.slice(0, LONGEST_TEXT), source), (text) => [write(path, text)]),
  };
};

/** The column in `"url"` or `{"column": "url"}`. */
function columnText(value: JsonValue | undefined): string | undefined {
  if (!isJsonObject(value)) return typeof value === 'string' ? value : undefined;
  const [[key = '', name] = [], ...others] = Object.entries(value);
  const isOne = others.length === 0 && ['column', 'field', 'name', 'dimension'].includes(key);
  return isOne && typeof name === 'string' ? name : undefined;
}

/** A truncated time is a separate column, and a function goes into calc. */
function keptExpression(
  received: string,
  source: LooseSource,
  { path, query, contract }: WrongPlace,
): Meant | undefined {
  const column = isEnabled(contract, 'allpv_time_parts')
    ? cutTime(received.slice(0, LONGEST_TEXT))
    : undefined;
  if (column !== undefined && source.outputs === undefined)
    return { repair: probably(write(path, `${source.name}.${column}`)) };
  const meant = percentileForm(received, source) ?? rightForm(received, source, functionNamed);
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
  const feature = featureOff(value, contract);
  if (feature !== undefined) return { feature };
  const source = looseSource(query, path);
  const written = textOf(value);
  const bare = unwrapped(written);
  const isBare = bare === undefined || bare.text === written.trim();
  const text = bare?.text ?? written;
  const words = calcWords(contract);
  const calcs = valueAt(query, path.slice(0, 3));
  const otherCalc = (other: string): JsonValue | undefined =>
    other !== name && isJsonObject(calcs) && Object.hasOwn(calcs, other) ? calcs[other] : undefined;
  const percentile = percentileForm(text, source);
  const meant =
    percentile ??
    rightForm(isBare ? value : text, source, (it) => functionNamed(it) ?? nearFunction(it)) ??
    arithmeticForm(text, source, { words, otherCalc });
  const readable = meant !== undefined && 'value' in readCalc(meant.text, words) ? meant : undefined;
  const right = readable && { ...readable, certain: readable.certain && bare?.loss === undefined };
  const repair = repairTo(right, (form) => [write(path, form)]);
  const read = typeof value === 'string' ? readCalc(value, words) : undefined;
  const given = read !== undefined && 'fault' in read ? read.given : {};
  if (right !== undefined && bare?.loss !== undefined)
    return { given: { ...given, hint: bare.loss, expression: right.text }, repair };
  const metric = otherCalc(written) === undefined && metricMeant(written, source);
  if (metric) return 'hint' in metric ? { given: metric } : { repair: probably(write(path, metric.calc)) };
  const hint = right === undefined ? noFormOf(written, source) : undefined;
  if (typeof given.function === 'string') {
    const isKnown = percentile !== undefined || functionNamed(given.function) !== undefined;
    return {
      given: { ...given, ...hint, nearest: nearFunction(given.function) },
      repair: isKnown ? repair : undefined,
    };
  }
  const { outputs, calculates, material } = source;
  if (readable !== undefined || outputs === undefined || !countsAll(callIn(value)))
    return { given: { ...given, ...hint }, repair };
  return {
    given: {
      hint: calculates ? 'count a calc' : 'count a column',
      view: source.name,
      column: countedColumn(material),
    },
  };
};

const METRIC = /^\s*(?:(?:count|countunique|sum)\s*\(\s*)?(?:(\w+)\.)?(\w+)\s*\)?\s*$/i;

/** The meaning of another product's metric as a column or a calc. */
function metricMeant(
  written: string,
  { name, outputs }: LooseSource,
): { readonly calc: string } | { readonly hint: string } | undefined {
  const [, prefix = name, word] = METRIC.exec(written) ?? [];
  if (word === undefined || prefix !== name || name !== 'allpv' || outputs !== undefined) return undefined;
  const calc = metricOfViews(word);
  if (calc !== undefined) return { calc };
  return isBounceRate(word) ? { hint: 'bounces' } : undefined;
}

/** Calcs that QAL does not support, with the hint to show for each. */
const NO_FORMS: readonly (readonly [hint: string, form: RegExp])[] = [
  ['texts', /\|\|/],
  [
    'window',
    /\bover\s*\(|\b(?:lag|lead|rank|dense_rank|row_number|ntile|first_value|last_value|cumsum)\s*\(/i,
  ],
  ['condition', /\bcase\s+when\b|\b(?:if|iif|countif|count_if|sumif|sum_if|avgif|avg_if)\s*\(|\bwhere\b/i],
  ['no rounding', /^\s*(?:round|ceil|ceiling|floor|trunc|truncate)\s*\(/i],
  ['columns', /\b\w+\s*\(\s*[\w.]+\s*[-+*/]\s*[\w.]+\s*\)/],
];
const SUM_OF_TWO = /^\s*sum\s*\(\s*([A-Za-z_][\w.]*)\s*([-+])\s*([A-Za-z_][\w.]*)\s*\)\s*$/i;

function noFormOf(text: string, source: LooseSource): Given | undefined {
  const [, one = '', sign, other = ''] = SUM_OF_TWO.exec(text) ?? [];
  const [left, right] = [one, other].map((column) => rightReference(column, source)?.text);
  if (sign !== undefined && left !== undefined && right !== undefined)
    return { hint: 'sum of columns', expression: `SUM(${left}) ${sign} SUM(${right})` };
  const found = NO_FORMS.find(([, pattern]) => pattern.test(text));
  return found && { hint: found[0] };
}

/** A feature that a calc needs but that is off. */
function featureOff(value: JsonValue | undefined, contract: Contract): string | undefined {
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

/** Longer strings are not examined. */
const LONGEST = 1_000;

/** Writes `{"p95": "x"}`, `{"divide": ["a", "b"]}` and `{"sum": {"column": "x"}}` as text. */
function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value.length > LONGEST ? '' : value;
  if (!isJsonObject(value)) return '';
  const [only, ...others] = Object.entries(value);
  if (only === undefined || others.length > 0) return '';
  const [name, operand] = only;
  const operands = (isJsonList(operand) ? operand : [operand]).map((it) => columnText(it) ?? it);
  return operands.every(isJsonScalar) ? textOf(`${name}(${operands.map(scalarText).join(', ')})`) : '';
}
