// Plans of questions, without a database: the sites and their rollups are given.

import { installedContracts } from '../../../extension/contracts/choose-contract';
import { parseQuery } from '../../../extension/qal/parse/parse-query';
import { readDocument } from '../../../extension/qal/parse/read-document';
import { planTraced } from '../../../extension/qal/plan/plan-query';
import { resolveQuery } from '../../../extension/qal/resolve/resolve-query';
import { compilePlan } from '../../../extension/qal/sql/compile-plan';
import { postgresql } from '../../../extension/qal/sql/dialects/postgresql';
import type { PlanNode } from '../../../extension/qal/types/plan';
import type { CountedDays, SiteState } from '../../../extension/qal/types/resolved-query';
import { inputsOf } from '../../../extension/qal/types/walk-plan';
import { zoneOffsets } from '../../../extension/time/zone-offsets';
import { loadManifest } from '../../../manifests/reader/manifest';

export const manifest = loadManifest();
const contract = installedContracts(manifest).at(-1);
if (contract === undefined) throw new Error('No contract is installed.');

const DAY = 86_400;

/** Those of several sites; gsc is asked of one. */
const MATERIALS = ['allpv', 'click_event', 'summary_allpage'];

/** The number of a date, as days are numbered. */
export const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000 / DAY;

/** Counts of a site whose rows lie between two dates, the second one not included. */
export function countsOf(zone: string, first: string, end: string, longestClick = 3600): CountedDays {
  const clock = zoneOffsets((dayNumber(first) - 3) * DAY, (dayNumber(end) + 3) * DAY, zone);
  return { clock, firstDay: dayNumber(first), endDay: dayNumber(end), longestClick };
}

export interface Question {
  readonly view: object;
  /** Views before it. */
  readonly earlier?: object;
  /** The counts of each site, numbered from 1; null where none are kept. */
  readonly sites?: readonly (CountedDays | null)[];
  readonly start?: string;
  readonly end?: string;
  readonly tz?: string;
  readonly limit?: number;
  readonly countOnly?: boolean;
}

export interface Planned {
  readonly root: PlanNode;
  readonly did: string;
  readonly because: readonly string[];
  sql(): string;
}

/** The plan of a question with one pass alone, or with these, and what became of the last of them. */
export function planned(question: Question, only: readonly string[] = ['read-rollups']): Planned {
  const {
    view,
    earlier = {},
    limit = 10,
    countOnly = false,
    tz = 'UTC',
    start = '2026-03-01',
    end = '2026-06-01',
  } = question;
  const { sites = [countsOf('UTC', '2026-01-01', '2027-01-01')] } = question;
  const text = JSON.stringify({
    tracking_id: sites.length > 1 ? 'all' : 'x',
    materials: [...MATERIALS, ...(sites.length > 1 ? [] : ['gsc'])].map((name) => ({ name })),
    time: { start: localText(start), end: localText(end), tz },
    make: { ...earlier, v: view },
    result: { use: 'v', limit, ...(countOnly ? { count_only: true } : {}) },
  });
  const states = sites.map(
    (rollups, index): SiteState => ({ siteId: index + 1, version: 70 + index, rollups }),
  );
  const scope = {
    trackingId: 'x',
    all: sites.length > 1,
    siteIds: states.map(({ siteId }) => siteId),
    states,
    goals: [],
    events: new Map(),
  };
  if (contract === undefined) throw new Error('No contract is installed.');
  const known = { contract, manifest, alwaysCount: false, engine: 'rows' } as const;
  const { asked } = parseQuery(readDocument(text), { contract, zones: new Set([tz]) });
  const { resolved } = resolveQuery(asked, scope, known);
  const every = planTraced(resolved, known).passes.map(({ name }) => name);
  const withoutPasses = every.filter((name) => !only.includes(name));
  const { plan, passes } = planTraced(resolved, { ...known, withoutPasses });
  const trace = passes.find(({ name }) => name === only.at(-1));
  return {
    root: plan.root,
    did: trace?.did ?? '',
    because: trace?.because ?? [],
    sql: () => compilePlan(plan, { dialect: postgresql, storage: manifest }).text,
  };
}

const localText = (text: string): string => (text.includes('T') ? text : `${text}T00:00:00`);

/** The kinds of the nodes of a plan, from the top down. */
export function kinds(node: PlanNode): string {
  const kind = node.kind === 'rollup' && node.counted !== null ? `rollup of ${node.counted}` : node.kind;
  const inputs = inputsOf(node).map(kinds);
  return [kind, ...(inputs.length > 1 ? inputs.map((input) => `(${input})`) : inputs)].join(' ');
}

/** All nodes of a plan. */
export const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...inputsOf(node).flatMap(nodesOf)];

/** The same for a site without rollups. */
export const ask = (question: Question, passes: readonly string[]): Planned =>
  planned({ sites: [null], ...question }, passes);

/** The kinds of its nodes from the top down. */
export const shape = (question: Question, passes: readonly string[]): string =>
  kinds(ask(question, passes).root);

/** A view in groups; columns without a source are those of allpv. */
export const grouped = (keep: readonly string[], calc: string | object = 'COUNT(allpv.pv_id)') => ({
  from: ['allpv'],
  keep: keep.map((name) => (name.includes('.') ? name : `allpv.${name}`)),
  calc: typeof calc === 'string' ? { n: calc } : calc,
});
export const SESSIONS = 'COUNTUNIQUE(allpv.session_id)';
export const READERS = 'COUNTUNIQUE(allpv.reader_id)';
