// Plans queries without a database.
import { installedContracts } from '../../../extension/api/contracts/choose-contract';
import { parseQuery } from '../../../extension/language/parse/parse-query';
import { readDocument } from '../../../extension/language/parse/read-document';
import { PASSES, planTraced } from '../../../extension/language/plan/plan-query';
import { resolveQuery } from '../../../extension/language/resolve/resolve-query';
import { compilePlan } from '../../../extension/language/sql/compile-plan';
import type { Dialect } from '../../../extension/language/sql/dialect';
import { postgresql } from '../../../extension/language/sql/dialects/postgresql';
import type { Engine } from '../../../extension/language/types/engine';
import type { PlanNode } from '../../../extension/language/types/plan';
import { finish } from '../../../extension/language/types/steps';
import { inputsOf } from '../../../extension/language/types/walk-plan';
import { loadManifest } from '../../../manifests/reader/manifest';
import { rethrow } from '../understood';

export const manifest = loadManifest();
const contract = installedContracts(manifest).at(-1);
if (contract === undefined) throw new Error('No contract is installed.');

/** Materials that support `all`. A query for one site also lists gsc. */
const MATERIALS = ['allpv', 'click_event', 'summary_allpage'];

export interface Question {
  readonly view: object;
  /** Earlier views. */
  readonly earlier?: object;
  /** The number of sites. Their ids start at 1. Default: 1. */
  readonly sites?: number;
  readonly start?: string;
  readonly end?: string;
  readonly tz?: string;
  readonly limit?: number;
  readonly countOnly?: boolean;
  /** The instant up to which the columnar copy has counted distinct values. Default: infinity. */
  readonly countedUntil?: number;
  /** The number of SPREADS that the longest-lasting value exceeds. Default: 0. */
  readonly countedSpread?: number;
  /** Fields with a single value per visit. Default: none. */
  readonly visitFields?: readonly string[];
  /** Fields of page views that clicks also have. Default: none. */
  readonly viewFields?: readonly string[];
  /** The instants up to which the fields of visits, and those of clicks, are known. Default: infinity. */
  readonly visitsKnownUntil?: number;
  readonly clicksKnownUntil?: number;
  /** In seconds, how far a click may be from a page view of its visit. Default: an hour. */
  readonly visitReach?: number;
  /** The number of rows in each dimension in the columnar copy. Default: infinity. */
  readonly dimensionRows?: number;
  /** Default: one that supports the last pass. */
  readonly engine?: Engine;
}

export interface Planned {
  readonly root: PlanNode;
  readonly did: string;
  readonly because: readonly string[];
  sql(dialect?: Dialect): string;
}

/**
 * Plans a query with only these passes, on an engine that supports the last pass. Returns the plan and the trace of that pass.
 */
export function planned(question: Question, only: readonly string[]): Planned {
  const {
    view,
    earlier = {},
    limit = 10,
    countOnly = false,
    countedUntil = Number.POSITIVE_INFINITY,
    countedSpread = 0,
    visitFields = [],
    viewFields = [],
    visitReach = 3_600,
    dimensionRows = Number.POSITIVE_INFINITY,
    visitsKnownUntil = Number.POSITIVE_INFINITY,
    clicksKnownUntil = Number.POSITIVE_INFINITY,
    tz = 'UTC',
    start = '2026-03-01',
    end = '2026-06-01',
  } = question;
  const { sites = 1 } = question;
  const text = JSON.stringify({
    tracking_id: sites > 1 ? 'all' : 'x',
    materials: [...MATERIALS, ...(sites > 1 ? [] : ['gsc'])].map((name) => ({ name })),
    time: { start: localText(start), end: localText(end), tz },
    make: { ...earlier, v: view },
    result: { use: 'v', limit, ...(countOnly ? { count_only: true } : {}) },
  });
  const states = Array.from({ length: sites }, (_, index) => ({
    siteId: index + 1,
    version: `version ${index}`,
  }));
  const scope = {
    trackingId: 'x',
    all: sites > 1,
    siteIds: states.map(({ siteId }) => siteId),
    states,
    goals: [],
    events: new Map(),
    unavailable: new Set<string>(),
  };
  if (contract === undefined) throw new Error('No contract is installed.');
  const { engine = PASSES.find(({ name }) => name === only.at(-1))?.only ?? 'rows' } = question;
  const knownUntil =
    (until: number, fields: readonly string[]) =>
    (_material: string, _sites: readonly number[], end: number) =>
      new Set(end <= until ? fields : []);
  const columns = {
    countedUntil: () => countedUntil,
    countedSpread: () => countedSpread,
    visitFields: knownUntil(visitsKnownUntil, visitFields),
    viewFields: knownUntil(clicksKnownUntil, viewFields),
    visitReach: () => visitReach,
    dimensionRows: () => dimensionRows,
  };
  const known = { contract, manifest, onHintFailure: rethrow, alwaysCount: false, engine, columns } as const;
  const { requested } = finish(
    parseQuery(readDocument(text), { contract, zones: new Set([tz]), onHintFailure: rethrow }),
  );
  const { resolved } = finish(resolveQuery(requested, scope, known));
  const names = finish(planTraced(resolved, known)).passes.map(({ name }) => name);
  const withoutPasses = names.filter((name) => !only.includes(name));
  const { plan, passes } = finish(planTraced(resolved, { ...known, withoutPasses }));
  const trace = passes.find(({ name }) => name === only.at(-1));
  return {
    root: plan.root,
    did: trace?.did ?? '',
    because: trace?.because ?? [],
    sql: (dialect = postgresql) => finish(compilePlan(plan, { dialect, storage: manifest })).text,
  };
}

const localText = (text: string): string => (text.includes('T') ? text : `${text}T00:00:00`);

/** The kinds of the nodes in a plan, from the top down. */
export function kinds(node: PlanNode): string {
  const inputs = inputsOf(node).map(kinds);
  return [node.kind, ...(inputs.length > 1 ? inputs.map((input) => `(${input})`) : inputs)].join(' ');
}

export const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...inputsOf(node).flatMap(nodesOf)];

export const shape = (question: Question, passes: readonly string[]): string =>
  kinds(planned(question, passes).root);

/** A view with a calc. Columns without a prefix belong to allpv. */
export const grouped = (keep: readonly string[], calc: string | object = 'COUNT(allpv.pv_id)') => ({
  from: ['allpv'],
  keep: keep.map((name) => (name.includes('.') ? name : `allpv.${name}`)),
  calc: typeof calc === 'string' ? { n: calc } : calc,
});
export const SESSIONS = 'COUNTUNIQUE(allpv.session_id)';
export const READERS = 'COUNTUNIQUE(allpv.reader_id)';
