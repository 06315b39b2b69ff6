// Finds parts of a valid query that cannot match anything, or do not mean what people expect. Reads no data.
import type { Column, Manifest } from '../../../manifests/reader/manifest';
import { valuesOf } from '../types/arithmetic';
import type { Contract } from '../types/contract';
import { conditionsIn } from '../types/filter-parts';
import type {
  ParsedCalc,
  ParsedCall,
  ParsedFilterPart,
  ParsedJoin,
  ParsedQuery,
  ParsedView,
} from '../types/parsed-query';
import type { Note } from '../types/query-result';
import type { ResolvedSource, ResolvedView } from '../types/resolved-query';
import type { Steps } from '../types/steps';
import { channelRule, notesOnCondition, VALUE_RULES } from './condition-notes';
import { pageFlagsIn, placeOf } from './flag-notes';
import { noteAt } from './note-at';

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
  { materials, time, views: parsed }: ParsedQuery,
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
    for (const condition of conditionsIn([...view.filter, ...filtersOfCalcs(view)])) {
      const stored = bound && storedColumn(condition.column, bound.source, views, manifest);
      notes.push(...notesOnCondition(condition, stored, rules, contract, time.tz));
    }
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

/** The column in the manifest that a filter on a source reads. Undefined for calcs, event parameters and columns that a join changes. */
function storedColumn(
  column: string,
  source: ResolvedSource,
  views: readonly ResolvedView[],
  manifest: Manifest,
): Column | undefined {
  if (source.kind !== 'view') return manifest.materials.get(source.rows)?.columns.get(column);
  const view = views.find(({ name }) => name === source.view);
  const side = view?.keep.find(({ name }) => name === column)?.side;
  if (view === undefined || side === undefined) return undefined;
  const { join } = view;
  if (join?.fill.some((filled) => filled.side === side && filled.column === column)) return undefined;
  // If both sides are kept, a key may come from the other side.
  const isFromBoth = side === 'from' && join?.mode === 'keep-both';
  if (isFromBoth && join.on.some(({ left }) => left.name === column)) return undefined;
  const from = side === 'with' ? join?.source : view.source;
  return from && storedColumn(column, from, views, manifest);
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
