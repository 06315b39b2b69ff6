// Checks a query without running it: reports all of its errors, or what it would read.
import { analytics, rawSql } from '../data/storage/build-query';
import { estimatedRows } from '../data/storage/estimated-rows';
import { QueryError } from '../language/errors/query-error';
import { isRepairable } from '../language/parse/parse-query';
import { type QueryDocument, readDocument } from '../language/parse/read-document';
import { periodsAsRanges } from '../language/plan/passes/periods-as-ranges';
import { planQuery } from '../language/plan/plan-query';
import type { EngineChoice } from '../language/types/engine';
import type { JsonObject } from '../language/types/json';
import type { ParsedQuery } from '../language/types/parsed-query';
import type { Plan, PlanNode } from '../language/types/plan';
import type { Note } from '../language/types/query-result';
import type { ResolvedQuery, Scope } from '../language/types/resolved-query';
import type { ScanNode } from '../language/types/scan-node';
import { inputsOf } from '../language/types/walk-plan';
import { chooseEngine } from './engines';
import { inTurns } from './in-turns';
import { loadScope, type ScopeContext } from './load-scope';
import { notesOn } from './notes-on';
import { repairFromSites } from './repair-from-sites';
import type { PlanContext } from './run/read-from-engine';
import { findFaults, type UnderstandContext, understandQuery } from './understand-query';

export interface QueryCheck {
  /**
   * Structural errors first, then errors in names, each in document order. Parts that depend on a faulty part are not checked.
   */
  readonly faults: readonly QueryError[];
  readonly repaired: JsonObject | undefined;
  /** The data that the query, or the corrected one, would read. */
  readonly reads: QueryReads | undefined;
  /** Notes on parts of the query, or of the corrected one, that people may misread. */
  readonly notes: readonly Note[];
}

interface QueryReads {
  /** [start, end) as instants. */
  readonly bounds: { readonly start: string; readonly end: string; readonly zone: string };
  readonly answeredBy: EngineChoice;
  /** The planner's estimate for each material and period, before any filter is applied. */
  readonly rows: readonly { readonly material: string; readonly rows: number }[];
}

interface ReadsContext extends PlanContext, Pick<ScopeContext, 'database'> {}

interface CheckContext extends UnderstandContext, ScopeContext, ReadsContext {}

/** All errors in a query, including repairs that depend on the user's sites. */
export async function faultsOf(
  document: QueryDocument,
  context: UnderstandContext & ScopeContext,
): Promise<readonly QueryError[]> {
  const faults = await findFaults(document, context, (requested) => loadScope(requested, context));
  return Promise.all(faults.map((fault) => repairFromSites(fault, document, context)));
}

/** Throws only errors that are not the caller's fault. */
export async function checkQuery(document: QueryDocument, context: CheckContext): Promise<QueryCheck> {
  const scopeOf = (requested: ParsedQuery) => loadScope(requested, context);
  const faults = await faultsOf(document, context);
  const valid = faults.length === 0 ? document : await correctedQuery(document, context, scopeOf);
  if (valid === undefined) return { faults, repaired: undefined, reads: undefined, notes: [] };
  const { requested, resolved } = await understandQuery(valid, context, scopeOf);
  const repaired = faults.length === 0 ? undefined : (valid.query ?? undefined);
  return {
    faults,
    repaired,
    reads: await readsOf(resolved, context),
    notes: await notesOn(requested, resolved, context),
  };
}

async function correctedQuery(
  document: QueryDocument,
  context: UnderstandContext,
  scopeOf: (requested: ParsedQuery) => Promise<Scope>,
): Promise<QueryDocument | undefined> {
  if (!isRepairable(document)) return undefined;
  const error: unknown = await understandQuery(document, context, scopeOf).catch((thrown) => thrown);
  if (!(error instanceof QueryError)) throw error;
  const repaired = error.details?.repaired;
  return repaired === undefined ? undefined : readDocument(JSON.stringify(repaired));
}

/** The first and last instants with a four-digit year. A time zone can move a query's range beyond them. */
const [FIRST, LAST] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')];

const instant = (seconds: number): string =>
  new Date(Math.min(Math.max(seconds * 1000, FIRST), LAST)).toISOString();

async function readsOf(resolved: ResolvedQuery, context: ReadsContext): Promise<QueryReads> {
  const answeredBy = chooseEngine(resolved, context);
  // This pass would move a scan's range to a node above the scan.
  const withoutPasses = [periodsAsRanges.name];
  const plan = await inTurns(planQuery(resolved, { ...context, engine: answeredBy.engine, withoutPasses }));
  const { start, end, zone } = resolved.range;
  return {
    bounds: { start: instant(start), end: instant(end), zone },
    answeredBy,
    rows: await Promise.all(
      scansOf(plan).map(async (scan) => ({
        material: scan.material,
        rows: await rowsOfScan(scan, context),
      })),
    ),
  };
}

function scansOf({ root, counted }: Plan): readonly ScanNode[] {
  const scans = (node: PlanNode): readonly ScanNode[] =>
    node.kind === 'scan' ? [node] : inputsOf(node).flatMap(scans);
  const all = [...scans(root), ...(counted === null ? [] : scans(counted))];
  return [...new Map(all.map((scan) => [JSON.stringify(scan), scan])).values()];
}

function rowsOfScan(
  { material, siteIds, bounds }: ScanNode,
  { manifest, database }: Pick<ReadsContext, 'manifest' | 'database'>,
): Promise<number> {
  const table = manifest.materials.get(material)?.table;
  if (table === undefined) throw new Error(`The material ${material} has no table.`);
  if (bounds.kind === 'period') throw new Error('The range of the scan is in a node above it.');
  const ofSites = analytics(table).select(rawSql('1')).whereIn('site_id', siteIds);
  if (bounds.kind === 'always') return estimatedRows(database, ofSites);
  const { field, end } = bounds;
  const inBounds =
    bounds.kind === 'days'
      ? ofSites.whereRaw('?? >= ?::date and ?? < ?::date', [field, bounds.first, field, end])
      : ofSites.whereRaw('?? >= to_timestamp(?) and ?? < to_timestamp(?)', [field, bounds.start, field, end]);
  return estimatedRows(database, inBounds);
}
