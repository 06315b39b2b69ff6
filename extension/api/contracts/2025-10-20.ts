// The responses of contract 2025-10-20. Unlike the newest contract, it has rows as objects, flat errors, goals whose condition
// is a string, and a guide with availability and limits but no features.
import { z } from 'zod';
import type { Contract as ContractRules } from '../../../manifests/reader/manifest';
import type { QueryError } from '../../language/errors/query-error';
import type { QueryResult } from '../../language/types/query-result';
import type { Availability, Guide, GuideGoal, GuideSite, GuideText } from '../guide/guide';
import type { ResponseFormat } from './contract';
import {
  type BodyOf,
  CODE,
  COUNT,
  DATE,
  documentation,
  ROW_OBJECT,
  rowObjects,
  SITE,
  siteFields,
} from './response-parts';

const VERSION = '2025-10-20';

const table = z.object({
  data: z.array(ROW_OBJECT),
  meta: z.object({
    truncated: z.boolean(),
    row_count: COUNT,
    limits: z.object({ row_limit: COUNT }),
  }),
});

const count = z.object({ count: COUNT });

const error = z.object({
  code: CODE,
  message: z.string(),
  data: z.looseObject({ status: z.int().min(400).max(599) }),
});

const availability = z.union([
  z.object({
    available: z.literal(true),
    row_count: COUNT,
    date_range: z.object({ start: DATE, end: DATE }),
  }),
  z.object({ available: z.literal(false) }),
]);

const summary = z.object({
  total_sites: COUNT,
  total_pv: COUNT,
  oldest_data: DATE.nullable(),
  newest_data: DATE.nullable(),
});

const guide = z.object({
  version: z.literal(VERSION),
  timestamp: z.iso.datetime(),
  plugin_version: z.string(),
  sites: z.array(z.object({ ...SITE, materials: z.record(z.string(), availability) })),
  summary,
  limits: z.object({
    max_query_rows: COUNT.describe('The maximum value of result.limit.'),
    max_inline_rows: COUNT.describe('The maximum number of rows in a response.'),
    query_timeout_seconds: z.number(),
  }),
  documentation: documentation('markdown', ['overview', 'reference'], {}),
});

const reference = (file: string, title: string): GuideText => ({
  path: `guide/${VERSION}/${file}`,
  category: 'reference',
  file,
  title,
  format: 'markdown',
});

const GUIDE_TEXTS: readonly GuideText[] = [
  { ...reference('overview.md', 'What this server answers'), category: 'overview' },
  reference('index.md', 'Contents'),
  reference('endpoints.md', 'The two endpoints'),
  reference('materials.md', 'Materials and columns'),
  reference('qal.md', 'The query language'),
];

export const format20251020 = ({ limits }: ContractRules): ResponseFormat => {
  const inlineRows = limits.max_inline_rows ?? limits.max_rows;
  return {
    bodies: { answers: { table, count }, guide, error },
    guideTexts: GUIDE_TEXTS,
    table: (result) => (result.count === null ? rowsAsObjects(result, inlineRows) : { count: result.count }),
    guide: (it) => guideWithAvailability(it, inlineRows),
    error: flatError,
  };
};

const rowsAsObjects = (
  { columns, rows, rowCount, truncated }: QueryResult,
  rowLimit: number,
): { readonly data: unknown; readonly meta: BodyOf<typeof table>['meta'] } => ({
  data: rowObjects(columns, rows),
  meta: { truncated, row_count: rowCount, limits: { row_limit: rowLimit } },
});

const flatError = ({ code, status, message, at, hint, details }: QueryError): BodyOf<typeof error> => ({
  code,
  message,
  data: {
    status,
    ...details,
    ...(at === undefined ? {} : { at }),
    ...(hint === undefined ? {} : { hint }),
  },
});

const guideWithAvailability = (
  { timestamp, pluginVersion, sites, limits, documentation: { source, sections } }: Guide,
  inlineRows: number,
): BodyOf<typeof guide> => ({
  version: VERSION,
  timestamp: timestamp.toISOString(),
  plugin_version: pluginVersion,
  sites: sites.map((site) => ({
    ...siteFields(site),
    goals: site.goals.map(textCondition),
    materials: Object.fromEntries(
      [...(site.availability ?? [])].map(([material, found]) => [material, availabilityOf(found)]),
    ),
  })),
  summary: summaryOf(sites),
  limits: {
    max_query_rows: limits.maxRows,
    max_inline_rows: inlineRows,
    query_timeout_seconds: limits.queryTimeoutSeconds,
  },
  documentation: {
    source,
    format: 'markdown',
    sections: sections.map(({ format: _format, ...section }) => section),
  },
});

const availabilityOf = (found: Availability | null): BodyOf<typeof availability> =>
  found === null
    ? { available: false }
    : {
        available: true,
        row_count: found.rows,
        date_range: { start: found.firstDay, end: found.lastDay },
      };

function summaryOf(sites: readonly GuideSite[]): BodyOf<typeof summary> {
  const found = sites.flatMap(({ availability: materials }) => [...(materials?.values() ?? [])]);
  const days = found.flatMap((it) => (it === null ? [] : [it.firstDay, it.lastDay])).sort();
  const views = sites.map(({ availability: materials }) => materials?.get('allpv')?.rows ?? 0);
  return {
    total_sites: sites.length,
    total_pv: views.reduce((sum, rows) => sum + rows, 0),
    oldest_data: days[0] ?? null,
    newest_data: days.at(-1) ?? null,
  };
}

/** Maps goal types in the newest contract to their names in this one, with the main field of the condition. */
const GOAL_TYPES: Readonly<Record<string, { readonly type: string; readonly field: string }>> = {
  gtype_page: { type: 'url_match', field: 'url' },
  gtype_click: { type: 'click', field: 'selector' },
  gtype_event: { type: 'event', field: 'event' },
};

/** The condition as a string: part of the URL, a selector, a depth, or an event name. */
function textCondition({ id, name, type, condition }: GuideGoal) {
  const form = GOAL_TYPES[type];
  if (form === undefined)
    return {
      id,
      name,
      type,
      condition: typeof condition === 'string' ? condition : JSON.stringify(condition),
    };
  const field = new Map(Object.entries(Object(condition))).get(form.field);
  return { id, name, type: form.type, condition: String(field) };
}
