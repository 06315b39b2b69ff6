// The responses of contract 2026-05-11, the newest.
import { z } from 'zod';
import { eventName } from '../../manifests/reader/catalog';
import type { QueryError } from '../errors/query-error';
import type { GoalCondition, Guide, GuideGoal, GuideText } from '../guide/guide';
import type { QueryResult } from '../qal/types/query-result';
import type { Scope } from '../qal/types/resolved-query';
import type { ResponseFormat } from './contract';
import {
  type BodyOf,
  CELL,
  CODE,
  COUNT,
  DATE,
  documentation,
  ROW_OBJECT,
  rowObjects,
  SITE,
  siteFields,
} from './response-parts';

const VERSION = '2026-05-11';

const head = { ok: z.literal(true), version: z.literal(VERSION), query_time_ms: COUNT };

/** Whether the rows come from an earlier equal query; absent where the feature is off. */
const CACHED = z.boolean().optional();

const meta = z.object({
  total_count: COUNT.optional(),
  returned_count: COUNT,
  limit: COUNT,
  truncated: z.boolean(),
  cached: CACHED,
});

const table = z.object({
  ...head,
  result: z.object({
    view: z.string(),
    columns: z.array(z.string()),
    rows: z.array(z.array(CELL)),
    row_count: COUNT,
  }),
  meta,
});

const count = z.object({
  ...head,
  result: z.object({ view: z.string(), count: COUNT }),
  meta: z.object({ cached: CACHED }).optional(),
});

const objects = z.object({ data: z.array(ROW_OBJECT), meta: meta.extend({ total_count: COUNT }) });

const error = z.object({
  ok: z.literal(false),
  error: z.object({
    code: CODE,
    message: z.string(),
    at: z.string().optional(),
    hint: z.string().optional(),
    details: z.unknown().optional(),
  }),
});

const observedEvents = z.record(
  z.string().regex(/^[A-Za-z0-9_]+$/),
  z.object({
    material: z.string().regex(/^events\.[A-Za-z0-9_]+$/),
    columns: z.record(z.string(), z.enum(['number', 'string'])),
  }),
);

const guide = z.object({
  version: z.literal(VERSION),
  api_update: DATE,
  timestamp: z.iso.datetime(),
  plugin_version: z.string(),
  features: z.record(z.string(), z.boolean()),
  features_detail: z.record(z.string(), z.object({ enabled: z.boolean(), since: DATE.optional() })),
  sites: z.array(z.object({ ...SITE, observed_events: observedEvents.optional() })),
  documentation: documentation('mixed', ['instructions', 'spec'], { format: z.enum(['markdown', 'yaml']) }),
});

const GUIDE_TEXTS: readonly GuideText[] = [
  {
    path: 'guide/README.md',
    category: 'instructions',
    file: 'README.md',
    title: 'Instructions for clients',
    format: 'markdown',
  },
  {
    path: 'materials.yaml',
    category: 'spec',
    file: 'materials.yaml',
    title: 'Materials and columns',
    format: 'yaml',
  },
  {
    path: `contracts/${VERSION}.yaml`,
    category: 'spec',
    file: 'qal-validation.yaml',
    title: 'Rules of a query',
    format: 'yaml',
  },
];

type CachedField = { readonly cached?: boolean };

function resultEnvelope(
  result: QueryResult,
  queryTimeMs: number,
  cached: CachedField,
): BodyOf<typeof table> | BodyOf<typeof count> {
  const { view, columns, rows } = result;
  const common = { ok: true, version: VERSION, query_time_ms: queryTimeMs } as const;
  if (result.count === null) {
    return {
      ...common,
      result: { view, columns, rows, row_count: rows.length },
      meta: metaOf(result, cached),
    };
  }
  const counted = { ...common, result: { view, count: result.count } };
  return cached.cached === undefined ? counted : { ...counted, meta: cached };
}

/** One object per row. The number of all rows is known, since `alwaysCount` goes with this envelope. */
function dataEnvelope(result: QueryResult, cached: CachedField): BodyOf<typeof objects> {
  const { columns, rows, count, totalCount, limit } = result;
  if (count !== null) {
    return {
      data: [{ count }],
      meta: { total_count: 1, returned_count: 1, limit, truncated: false, ...cached },
    };
  }
  const meta = { ...metaOf(result, cached), total_count: totalCount ?? rows.length };
  return { data: rowObjects(columns, rows), meta };
}

const metaOf = (
  { totalCount, rows, limit, truncated }: QueryResult,
  cached: CachedField,
): BodyOf<typeof meta> => ({
  ...(totalCount === null ? {} : { total_count: totalCount }),
  returned_count: rows.length,
  limit,
  truncated,
  ...cached,
});

const errorBody = ({ code, message, at, hint, details }: QueryError): BodyOf<typeof error> => ({
  ok: false,
  error: {
    code,
    message,
    ...(at === undefined ? {} : { at }),
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  },
});

function guideBody(it: Guide): BodyOf<typeof guide> {
  const features = [...it.features];
  return {
    version: VERSION,
    api_update: it.apiUpdate,
    timestamp: it.timestamp.toISOString(),
    plugin_version: it.pluginVersion,
    features: Object.fromEntries(features.map(([name, { enabled }]) => [name, enabled])),
    features_detail: Object.fromEntries(
      features.map(([name, { enabled, since }]) => [
        name,
        enabled && since !== undefined ? { enabled, since } : { enabled },
      ]),
    ),
    sites: it.sites.map((site) => ({
      ...siteFields(site),
      goals: site.goals.map(objectCondition),
      ...(site.observedEvents === null ? {} : { observed_events: eventsBody(site.observedEvents) }),
    })),
    documentation: {
      source: it.documentation.source,
      format: 'mixed',
      sections: it.documentation.sections,
    },
  };
}

const eventsBody = (events: Scope['events']): BodyOf<typeof observedEvents> =>
  Object.fromEntries(
    [...events].map(([event, parameters]) => [
      event,
      { material: eventName(event), columns: Object.fromEntries(parameters) },
    ]),
  );

/** Goals in the form of the initial contract, a text as their condition: what they are here. */
const TEXT_CONDITIONS: Readonly<
  Record<string, (text: GoalCondition) => Pick<GuideGoal, 'type' | 'condition'>>
> = {
  url_match: (url) => ({ type: 'gtype_page', condition: { url, match: 'contains' } }),
  click: (selector) => ({ type: 'gtype_click', condition: { selector } }),
  scroll_depth: (depth) => ({ type: 'scroll_depth', condition: { depth: Number(depth) } }),
};

/** The goal with an object as its condition, in whichever form its site defined it. */
const objectCondition = ({ id, name, type, condition }: GuideGoal) => ({
  id,
  name,
  ...(TEXT_CONDITIONS[type]?.(condition) ?? { type, condition }),
});

export const format20260511: ResponseFormat = {
  bodies: { answers: { table, count, rows: objects }, guide, error },
  showsAvailability: false,
  guideTexts: GUIDE_TEXTS,
  table(result, envelope, queryTimeMs, cached) {
    const cachedField = cached === undefined ? {} : { cached };
    return envelope === 'data'
      ? dataEnvelope(result, cachedField)
      : resultEnvelope(result, queryTimeMs, cachedField);
  },
  guide: guideBody,
  error: errorBody,
};
