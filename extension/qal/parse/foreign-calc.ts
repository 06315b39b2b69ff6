// What belongs into keep and calc as other languages write it: `url`, `p95(x)`, `PERCENTILE_CONT(0.95) WITHIN GROUP (ORDER BY x)`,
// `ratio(a, b)`, `clicks / views`.

import { countedColumn, cutTime, functionNamed, nearFunction, usableName } from '../names/foreign-words';
import { valuesOf } from '../types/arithmetic';
import { type Contract, isEnabled } from '../types/contract';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import { CALC_FUNCTIONS } from '../types/parsed-query';
import { probably, remove, rename, write } from '../types/repair';
import { type CalcWords, calcWords, readCalc } from './calc-expression';
import { OUTPUT_NAME } from './calc-schema';
import { callIn, countsAll, type RightForm, repairTo, rightForm, rightReference } from './foreign-expression';
import { LONGEST_TEXT, type Meant, type Rule, type WrongPlace } from './foreign-form';
import { type LooseSource, looseSource } from './loose-source';

/** An entry of `keep` that is not `source.column`: a column without its source, or what belongs into calc. */
export const keepRule: Rule = (place) => {
  const { path, value } = place;
  const source = looseSource(place.query, path);
  if (typeof value !== 'string') return undefined;
  if (value.includes('(')) return keptExpression(value, source, place);
  return {
    repair: repairTo(rightReference(value.slice(0, LONGEST_TEXT), source), (text) => [write(path, text)]),
  };
};

/** A time cut to its day is a column of its own; a function belongs to calc. */
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

/** A calc whose name or expression is malformed, or whose function does not exist. */
export const calcRule: Rule = ({ path, query, value, contract }) => {
  const name = String(path[3]);
  if (!OUTPUT_NAME.test(name)) return { repair: probably(rename(path, usableName(name, 'value'))) };
  const feature = featureOff(value, contract);
  if (feature !== undefined) return { feature };
  const source = looseSource(query, path);
  const written = textOf(value);
  const words = calcWords(contract);
  const { [name]: _, ...others } = calcsOf(valueAt(query, path.slice(0, 3)));
  const percentile = percentileForm(written, source);
  const meant =
    percentile ??
    rightForm(value, source, (it) => functionNamed(it) ?? nearFunction(it)) ??
    arithmeticForm(written, source, { words, others });
  const readable = meant !== undefined && 'value' in readCalc(meant.text, words) ? meant : undefined;
  const repair = repairTo(readable, (text) => [write(path, text)]);
  const read = typeof value === 'string' ? readCalc(value, words) : undefined;
  const given = read !== undefined && 'fault' in read ? read.given : {};
  if (typeof given.function === 'string') {
    const isKnown = percentile !== undefined || functionNamed(given.function) !== undefined;
    return {
      given: { ...given, nearest: nearFunction(given.function) },
      repair: isKnown ? repair : undefined,
    };
  }
  const { outputs, calculates, material } = source;
  if (readable !== undefined || outputs === undefined || !countsAll(callIn(value)))
    return { given: { ...given, ...textsHint(given.rest) }, repair };
  const hint = calculates ? 'count a calc' : 'count a column';
  return { given: { hint, view: source.name, column: countedColumn(material) } };
};

const textsHint = (rest: unknown) =>
  typeof rest === 'string' && rest.startsWith('||') ? { hint: 'texts' } : {};

/** The feature that a calc needs, where it is off. */
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

/** Longer ones are not examined. */
const LONGEST = 1_000;

/** `{"p95": "x"}` and `{"divide": ["a", "b"]}` as texts. */
function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value.length > LONGEST ? '' : value;
  if (!isJsonObject(value)) return '';
  const [only, ...others] = Object.entries(value);
  if (only === undefined || others.length > 0) return '';
  const [name, operand] = only;
  return textOf(`${name}(${isJsonList(operand) ? operand.map(String).join(', ') : String(operand)})`);
}

const COLUMN = String.raw`"?([\w.]+)"?`;
const SHARE = String.raw`(\d{1,3}(?:\.\d+)?|\.\d+)`;

/** Forms of a percentile: whether it is linear between neighbours, and whether the share is one of 1 or of 100. */
const PERCENTILES: readonly {
  readonly form: RegExp;
  readonly certain: boolean;
  readonly of: 1 | 100;
  readonly isShareFirst?: true;
}[] = [
  { form: form('percentile', `${COLUMN}\\s*,\\s*${SHARE}`), certain: true, of: 100 },
  {
    form: form('(?:percentile|quantile)_cont', `${COLUMN}\\s*,\\s*${SHARE}`),
    certain: true,
    of: 1,
  },
  {
    form: form(
      '(?:percentile|quantile)_cont',
      `${SHARE}\\s*\\)\\s*within\\s+group\\s*\\(\\s*order\\s+by\\s+${COLUMN}(?:\\s+asc)?`,
    ),
    certain: true,
    of: 1,
    isShareFirst: true,
  },
  {
    form: form(
      '(?:percentile|quantile)_disc',
      `${SHARE}\\s*\\)\\s*within\\s+group\\s*\\(\\s*order\\s+by\\s+${COLUMN}(?:\\s+asc)?`,
    ),
    certain: false,
    of: 1,
    isShareFirst: true,
  },
  {
    form: form(
      '(?:percentile_disc|quantile_disc|quantile|approx_percentile|approx_quantile|percentile_approx)',
      `${COLUMN}\\s*,\\s*${SHARE}`,
    ),
    certain: false,
    of: 1,
  },
];

function form(name: string, inside: string): RegExp {
  return new RegExp(String.raw`^\s*${name}\s*\(\s*${inside}\s*\)\s*$`, 'i');
}

const NAMED_SHARE = new RegExp(String.raw`^\s*(?:p|percentile_?)(\d\d?)\s*\(\s*${COLUMN}\s*\)\s*$`, 'i');

/** A percentile in any of its forms. */
function percentileForm(text: string, source: LooseSource): RightForm | undefined {
  const [, percentage, named] = NAMED_SHARE.exec(text) ?? [];
  if (percentage !== undefined && named !== undefined)
    return percentileOf(named, Number(percentage), true, source);
  for (const { form: pattern, certain, of, isShareFirst } of PERCENTILES) {
    const [, first, second] = pattern.exec(text) ?? [];
    if (first === undefined || second === undefined) continue;
    const [column, share] = isShareFirst ? [second, first] : [first, second];
    const whole = of === 100 ? Number(share) : Number((Number(share) * 100).toFixed(4));
    return whole <= 100 ? percentileOf(column, whole, certain, source) : undefined;
  }
  return undefined;
}

function percentileOf(column: string, percentage: number, certain: boolean, source: LooseSource) {
  const reference = rightReference(column, source);
  return (
    reference && {
      text: `PERCENTILE(${reference.text}, ${percentage})`,
      certain: certain && reference.certain,
    }
  );
}

/** The calcs of a view that are texts. */
const calcsOf = (calc: JsonValue | undefined): JsonObject =>
  isJsonObject(calc)
    ? Object.fromEntries(Object.entries(calc).filter(([, text]) => typeof text === 'string'))
    : {};

const PART = String.raw`[A-Za-z_]\w*(?:\s*\([^()]*\))?`;
const NULLIF = new RegExp(String.raw`\bnullif\s*\(\s*(${PART})\s*,\s*0(?:\.0+)?\s*\)`, 'gi');
const RATIO = new RegExp(
  String.raw`^\s*(?:ratio|divide|safe_divide)\s*\(\s*(${PART})\s*,\s*(${PART})\s*\)\s*$`,
  'i',
);
const SCALED = /\b(sum|avg|average|mean)\s*\(\s*([\w.]+)\s*([*/])\s*(\d+(?:\.\d+)?)\s*\)/gi;
const SAME_SIGNS: Readonly<Record<string, string>> = { '×': '*', '÷': '/', '−': '-' };

/** Calls and other calcs of the view with signs between them. Of nothing there is a ratio of 0: a divisor 0 gives null. */
function arithmeticForm(
  text: string,
  source: LooseSource,
  { words, others }: { readonly words: CalcWords; readonly others: JsonObject },
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
  // Where both are whole numbers, SQL cuts each quotient.
  const isSame = unscaled === plain;
  const forms: (RightForm | undefined)[] = [];
  const meant = unscaled.replace(new RegExp(`(?<![\\w.])${PART}`, 'g'), (part) => {
    const right = part.endsWith(')') ? callForm(part, source) : calcForm(others[part], words);
    forms.push(right);
    return right?.text ?? part;
  });
  const isWhole = forms.length > 0 && forms.every((it) => it !== undefined);
  const certain = isSame && forms.every((it) => it?.certain === true);
  return isWhole ? { text: meant.trim(), certain } : undefined;
}

const callForm = (part: string, source: LooseSource): RightForm | undefined =>
  percentileForm(part, source) ?? rightForm(part, source, functionNamed);

/** Another calc of the view in the place of its name. */
function calcForm(text: JsonValue | undefined, words: CalcWords): RightForm | undefined {
  const read = typeof text === 'string' ? readCalc(text, words) : undefined;
  if (typeof text !== 'string' || read === undefined || !('value' in read)) return undefined;
  return { text: read.value.kind === 'value' ? text.trim() : `(${text.trim()})`, certain: true };
}
