// Owns what of a range each site answers from its counts, and what from its rows.
// Sites and periods -> blocks, and rows to read. Each row of the range lies in exactly one of them.

import type { CountedDays, SiteState } from '../../types/resolved-query';
import type { RollupBlock } from '../../types/rollup-node';
import { blocksOf, type Span, spanOfRows, splitRange, type WholeDays } from './blocks';

/** So many seconds of rows beside the whole days of a site are few: a day at each end, with an hour that clocks add. */
const FEW_SECONDS = 2 * 90_000;

/** Rows of some sites, in one span of time. */
interface RowsToRead {
  readonly siteIds: readonly number[];
  readonly span: Span;
}

/** Rows of one period beside its whole days, whose instants are `counted`. */
export interface Edges {
  readonly siteIds: readonly number[];
  readonly spans: readonly Span[];
  readonly counted: Span;
}

export interface SplitSites {
  readonly versions: readonly { readonly siteId: number; readonly version: number }[];
  readonly blocks: readonly RollupBlock[];
  readonly edges: readonly Edges[];
  /** Rows of periods without a whole day, and of sites without counts. */
  readonly others: readonly RowsToRead[];
}

/** A part of the range whose values are counted apart from those of the others. */
interface AskedPeriod extends Span {
  readonly value: string | null;
}

interface AskedRange {
  readonly siteIds: readonly number[];
  readonly states: ReadonlyMap<number, SiteState>;
  readonly range: Span;
  /** The conditions on the time of the parents. */
  readonly parents: Span;
  /** The periods of a part of the range; undefined where it has none that are spans. */
  readonly periodsOf: (span: Span) => readonly AskedPeriod[] | undefined;
}

/** Splits the range for every site; undefined where the range has no periods that are spans. */
export function splitSites({
  siteIds,
  states,
  range,
  parents,
  periodsOf,
}: AskedRange): SplitSites | undefined {
  const versions: { readonly siteId: number; readonly version: number }[] = [];
  const blocks: RollupBlock[] = [];
  const edges: Edges[] = [];
  const others: RowsToRead[] = [];
  for (const siteId of siteIds) {
    const { rollups = null, version = 0 } = states.get(siteId) ?? {};
    const periods = rollups === null ? [] : periodsOf(spanOfRows(rollups, range));
    if (periods === undefined) return undefined;
    const parts = rollups === null ? [] : splitPeriods(rollups, periods, parents);
    if (rollups === null || !pays(parts)) {
      others.push({ siteIds: [siteId], span: range });
      continue;
    }
    versions.push({ siteId, version });
    for (const { value, days, spans } of parts) {
      if (days === null) others.push(...spans.map((span) => ({ siteIds: [siteId], span })));
      else if (spans.length > 0) edges.push({ siteIds: [siteId], spans, counted: days.span });
      const before = days?.first ?? 0;
      const own = days === null ? [] : blocksOf(days, rollups);
      blocks.push(...own.map((block) => ({ siteId, ...block, before, value })));
    }
  }
  return { versions, blocks, edges: together(edges), others: together(others) };
}

interface Part {
  readonly value: string | null;
  readonly days: WholeDays | null;
  /** What of the period lies beside them. */
  readonly spans: readonly Span[];
}

/** A child lies at most so long behind its parent, and never before it. */
function splitPeriods(rollups: CountedDays, periods: readonly AskedPeriod[], parents: Span): readonly Part[] {
  const within = { start: parents.start + rollups.longestClick, end: parents.end };
  return periods.map(({ value, ...period }) => ({ value, ...splitRange(rollups, period, within) }));
}

/** Whether few rows are left to read; a site without any rows in the range is answered by knowing that. */
function pays(parts: readonly Part[]): boolean {
  const spans = parts.flatMap((part) => part.spans);
  const seconds = spans.reduce((sum, { start, end }) => sum + end - start, 0);
  return spans.length === 0 || (seconds <= FEW_SECONDS && parts.some(({ days }) => days !== null));
}

/** The same with several sites at once, where all but the site is equal. */
function together<Rows extends { readonly siteIds: readonly number[] }>(
  all: readonly Rows[],
): readonly Rows[] {
  const found = new Map<string, Rows>();
  for (const rows of all) {
    const key = JSON.stringify({ ...rows, siteIds: [] });
    const known = found.get(key);
    found.set(key, known === undefined ? rows : { ...known, siteIds: [...known.siteIds, ...rows.siteIds] });
  }
  return [...found.values()];
}
