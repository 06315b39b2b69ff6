// Checks a query without running it: everything wrong with it at once, and otherwise what it would read.
// document -> faults, repaired query, period, engine and rows. It reads names of sites and the estimates of the planner.
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
import type { Plan, PlanNode, ScanNode } from '../language/types/plan';
import type { ResolvedQuery, Scope } from '../language/types/resolved-query';
import { inputsOf } from '../language/types/walk-plan';
import { chooseEngine } from './engines';
import { loadScope, type ScopeContext } from './load-scope';
import type { PlanContext } from './run/read-from-engine';
import { findFaults, type UnderstandContext, understandQuery } from './understand-query';

export interface QueryCheck {
  /** Those of the shape, then those of the names, each in document order. What depends on a fault is not judged. */
  readonly faults: readonly QueryError[];
  /** The corrected query, where there are faults and each has a certain repair. */
  readonly repaired: JsonObject | undefined;
  /** Of the query, or of the corrected one. */
  readonly reads: QueryReads | undefined;
}

/** What a query would read. */
interface QueryReads {
  /** [start, end) as instants. */
  readonly bounds: { readonly start: string; readonly end: string; readonly zone: string };
  readonly answeredBy: EngineChoice;
  /** Of each material and period once, as the planner expects them before any filter. */
  readonly rows: readonly { readonly material: string; readonly rows: number }[];
}

interface ReadsContext extends PlanContext, Pick<ScopeContext, 'database'> {}

interface CheckContext extends UnderstandContext, ScopeContext, ReadsContext {}

/** Checks a query. Throws only what is not the caller's fault. */
export async function checkQuery(document: QueryDocument, context: CheckContext): Promise<QueryCheck> {
  const scopeOf = (asked: ParsedQuery) => loadScope(asked, context);
  const faults = await findFaults(document, context, scopeOf);
  const right = faults.length === 0 ? document : await correctedQuery(document, context, scopeOf);
  if (right === undefined) return { faults, repaired: undefined, reads: undefined };
  const { resolved } = await understandQuery(right, context, scopeOf);
  const repaired = faults.length === 0 ? undefined : (right.query ?? undefined);
  return { faults, repaired, reads: await readsOf(resolved, context) };
}

/** Undefined where a repair is not certain. */
async function correctedQuery(
  document: QueryDocument,
  context: UnderstandContext,
  scopeOf: (asked: ParsedQuery) => Promise<Scope>,
): Promise<QueryDocument | undefined> {
  if (!isRepairable(document)) return undefined;
  const error: unknown = await understandQuery(document, context, scopeOf).catch((thrown) => thrown);
  if (!(error instanceof QueryError)) throw error;
  const repaired = error.details?.repaired;
  return repaired === undefined ? undefined : readDocument(JSON.stringify(repaired));
}

const instant = (seconds: number): string => new Date(seconds * 1000).toISOString();

async function readsOf(resolved: ResolvedQuery, context: ReadsContext): Promise<QueryReads> {
  const answeredBy = chooseEngine(resolved, context);
  // By periods, a scan would not have its own range.
  const withoutPasses = [periodsAsRanges.name];
  const plan = planQuery(resolved, { ...context, engine: answeredBy.engine, withoutPasses });
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

/** The tables that a plan reads, each once for the same period. */
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
  if (table === undefined) throw new Error(`No table is known for the material ${material}.`);
  if (bounds.kind === 'period') throw new Error('The scan has the range of a node above it.');
  const ofSites = analytics(table).select(rawSql('1')).whereIn('site_id', siteIds);
  const rows =
    bounds.kind === 'always'
      ? ofSites
      : bounds.kind === 'days'
        ? ofSites.whereRaw('?? >= ?::date and ?? < ?::date', [
            bounds.field,
            bounds.first,
            bounds.field,
            bounds.end,
          ])
        : ofSites.whereRaw('?? >= to_timestamp(?) and ?? < to_timestamp(?)', [
            bounds.field,
            bounds.start,
            bounds.field,
            bounds.end,
          ]);
  return estimatedRows(database, rows);
}
