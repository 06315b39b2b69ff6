// Finds parts of a valid query that cannot match anything, or do not mean what people expect. Reads no data.
import type { Manifest } from '../../../manifests/reader/manifest';
import { fill } from '../errors/query-error';
import { operatorSynonym } from '../names/foreign-operators';
import { nearest } from '../names/nearest';
import { mondayOf } from '../time/calendar';
import { isLocalDate } from '../time/local-time';
import { valuesOf } from '../types/arithmetic';
import { type Contract, isEnabled } from '../types/contract';
import { conditionsIn } from '../types/filter-parts';
import {
  FILTER_OPERATORS,
  type FilterOperator,
  type ParsedCalc,
  type ParsedCall,
  type ParsedCondition,
  type ParsedFilterPart,
  type ParsedJoin,
  type ParsedQuery,
  type ParsedView,
  type Scalar,
} from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import type { Note } from '../types/query-result';
import type { ResolvedView } from '../types/resolved-query';
import type { Steps } from '../types/steps';
import { pageFlagsIn, placeOf } from './flag-notes';
import { NOTES, type NoteName } from './note-table';

/** People would not read a longer list. */
const MAX_NOTES = 5;

interface NoteContext {
  readonly contract: Contract;
  readonly manifest: Manifest;
  /** The query's materials for which the site has no rows. */
  readonly withoutRows: ReadonlySet<string>;
  /** For each flag, whether at least one page of the site has it. */
  readonly pageFlags: ReadonlyMap<string, boolean>;
  /** The channels in the sites' rules. */
  readonly channels: readonly string[];
}

/** `views` are the query's bound views. */
export function* findNotes(
  { materials, views: parsed }: ParsedQuery,
  views: readonly ResolvedView[],
  { contract, manifest, withoutRows, pageFlags, channels }: NoteContext,
): Steps<readonly Note[]> {
  const isRead = (name: string) => parsed.some(({ from, join }) => from === name || join?.with === name);
  const notes = materials.flatMap((material, index) =>
    withoutRows.has(material) && isRead(material)
      ? [noteAt(['materials', index, 'name'], 'no rows', { material })]
      : [],
  );
  const rules = [...VALUE_RULES, channelRule(channels)];
  for (const view of parsed) {
    if (notes.length >= MAX_NOTES) break;
    const bound = views.find(({ name }) => name === view.name);
    for (const column of bound === undefined ? [] : pageFlagsIn(bound))
      if (pageFlags.get(column) === false) notes.push(noteAt(placeOf(column, view), 'no page', { column }));
    yield;
    for (const condition of conditionsIn([...view.filter, ...filtersOfCalcs(view)]))
      if (isStored(condition.column, view.name, views, manifest))
        notes.push(...notesOnCondition(condition, rules, contract));
    yield;
    for (const calc of view.calc)
      for (const call of valuesOf(calc.value)) notes.push(...notesOnCall(call, calc, view));
  }
  return notes.slice(0, MAX_NOTES);
}

/** The filters of calcs that read the from side. */
const filtersOfCalcs = ({ calc, join }: ParsedView): readonly ParsedFilterPart[] =>
  calc.flatMap(({ value, filter }) =>
    valuesOf(value).some(({ reference }) => reference.prefix === join?.with) ? [] : filter,
  );

function noteAt(path: Path, name: NoteName, given: Readonly<Record<string, unknown>>): Note {
  const words: { readonly message: string; readonly hint?: string } = NOTES[name];
  const { message, hint } = words;
  const place = { at: formatPath(path) ?? '', message: fill(message, given) };
  const isKnown = hint !== undefined && (given.right !== undefined || !/<right[:>]/.test(hint));
  return isKnown ? { ...place, hint: fill(hint, given) } : place;
}

/** Whether a filter reads a column in the manifest, rather than a calc or an event parameter. */
function isStored(column: string, view: string, views: readonly ResolvedView[], manifest: Manifest): boolean {
  const { source } = views.find(({ name }) => name === view) ?? {};
  if (source?.kind === 'view') {
    const { keep = [] } = views.find(({ name }) => name === source.view) ?? {};
    const isKept = keep.some(({ name }) => name === column);
    return isKept && isStored(column, source.view, views, manifest);
  }
  return source !== undefined && manifest.materials.get(source.rows)?.columns.has(column) === true;
}

interface ValueRule {
  readonly note: NoteName;
  /** If absent, the rule applies to all columns. */
  readonly columns?: readonly string[];
  readonly operators: readonly FilterOperator[];
  /** The feature that the hint needs. */
  readonly feature?: string;
  readonly isWrong: (value: string) => boolean;
  readonly right?: (value: string) => string | undefined;
}

const EQUALITY = ['eq', 'neq', 'in', 'not_in'] as const;
const MONDAY = 1;
const WHOLE_URL = /^https?:\/\//i;
const TWO_LETTERS = /^[a-z]{2}$/i;
const NULL_TEXT =
  /^(?:|null|none|nil|undefined|n\/a|direct \/ none|\((?:direct|none|not set|not provided)\))$/i;
const DIGITS_OF_MONTH = /^(\d{4})[-/.]?(0?[1-9]|1[0-2])(?!\d)/;

const MONTHS = {
  note: 'month form',
  columns: ['access_month', 'month'],
  right: (value: string) => {
    const [, year, month] = DIGITS_OF_MONTH.exec(value) ?? [];
    return month === undefined ? undefined : `${year}-${month.padStart(2, '0')}`;
  },
} as const;

const OF_URLS = [...EQUALITY, 'prefix', 'not_prefix'] as const;

const VALUE_RULES: readonly ValueRule[] = [
  { note: 'null as text', operators: EQUALITY, isWrong: (value) => NULL_TEXT.test(value) },
  {
    note: 'path of url',
    feature: 'url_parts',
    columns: ['url'],
    operators: OF_URLS,
    isWrong: (value) => /^\/[^?#]*$/.test(value),
  },
  {
    note: 'part of url',
    columns: ['url', 'prev_url', 'next_url'],
    operators: OF_URLS,
    isWrong: (value) => !WHOLE_URL.test(value) && !'https://'.startsWith(value),
  },
  {
    note: 'country form',
    columns: ['country_code'],
    operators: EQUALITY,
    isWrong: (value) => !/^[A-Z]{2}$/.test(value),
    right: (value) => (TWO_LETTERS.test(value) ? value.toUpperCase() : undefined),
  },
  {
    ...MONTHS,
    operators: [...EQUALITY, 'gt', 'lte', 'between'],
    isWrong: (value) => !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(value),
  },
  // A year alone sorts before its months, which is right for these operators.
  { ...MONTHS, operators: ['gte', 'lt'], isWrong: (value) => !/^\d{4}(?:-(?:0[1-9]|1[0-2]))?$/.test(value) },
  {
    note: 'week form',
    columns: ['access_week', 'week'],
    operators: EQUALITY,
    isWrong: (value) => isLocalDate(value) && new Date(value).getUTCDay() !== MONDAY,
    right: mondayOf,
  },
];

const channelRule = (channels: readonly string[]): ValueRule => ({
  note: 'no channel',
  columns: ['channel'],
  operators: EQUALITY,
  isWrong: (value) => !channels.includes(value),
  right: (value) => nearest(value, channels),
});

function notesOnCondition(
  condition: ParsedCondition,
  rules: readonly ValueRule[],
  contract: Contract,
): readonly Note[] {
  const { column, operator, path } = condition;
  const texts = valuesIn(condition).filter((value) => typeof value === 'string');
  const isListAlone = 'values' in condition && path.at(-1) === column;
  const [first = ''] = texts;
  // Two letters may be a country or a language: NE is Niger, and ne is Nepali.
  const mayBeOperator = isListAlone && !TWO_LETTERS.test(first);
  const meant = mayBeOperator ? operatorSynonym(first, FILTER_OPERATORS) : undefined;
  if (meant !== undefined)
    return [noteAt(path, 'operator in list', { column, received: first, right: meant })];
  return rules
    .flatMap(({ note, feature, columns, operators, isWrong, right }) => {
      if (columns?.includes(column) === false || !operators.includes(operator)) return [];
      if (feature !== undefined && !isEnabled(contract, feature)) return [];
      const received = texts.find(isWrong);
      return received === undefined
        ? []
        : [noteAt(path, note, { column, received, right: right?.(received) })];
    })
    .slice(0, 1);
}

function valuesIn(condition: ParsedCondition): readonly Scalar[] {
  if ('values' in condition) return condition.values;
  if ('low' in condition) return [condition.low, condition.high];
  return 'value' in condition ? [condition.value] : [];
}

/** The ratios in gsc, each with the same ratio computed from sums. */
const WEIGHTED: ReadonlyMap<string, string> = new Map([
  ['position', 'SUM(gsc.position_weighted) / SUM(gsc.impressions)'],
  ['ctr', 'SUM(gsc.clicks) / SUM(gsc.impressions)'],
]);

/** Whether a join fills a column in rows without a match. */
function isFilled(
  { prefix, column }: ParsedCall['reference'],
  { mode, fill, on, with: joined }: ParsedJoin,
): boolean {
  if (fill === null || mode === 'drop') return false;
  return mode === 'keep-both' ? on.every(({ left }) => left.column !== column) : joined === prefix;
}

function notesOnCall(call: ParsedCall, { path, filter }: ParsedCalc, { join }: ParsedView): readonly Note[] {
  const { function: name, reference: to, share } = call;
  const reference = `${to.prefix}.${to.column}`;
  const percentage = share === null ? 0 : (share.of / share.in) * 100;
  if (percentage > 0 && percentage < 1) {
    const right = Number((percentage * 100).toFixed(4));
    return [noteAt(path, 'share as percentage', { reference, right })];
  }
  const right = to.prefix === 'gsc' ? WEIGHTED.get(to.column) : undefined;
  if (name === 'AVERAGE' && right !== undefined)
    return [noteAt(path, 'mean of ratios', { reference, right })];
  if (
    join !== null &&
    isFilled(to, join) &&
    filter.length === 0 &&
    (name === 'COUNT' || name === 'COUNTUNIQUE')
  )
    return [noteAt(path, 'filled count', { function: name, fill: join.fill })];
  return [];
}
