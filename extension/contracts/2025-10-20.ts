// Owns the spelling of contract 2025-10-20, the initial level: answers and errors as JSON values.
// One object per row; what an error tells besides code and message lies flat in `data`.
import type { Contract as ContractRules } from '../../manifests/reader/manifest';
import type { QueryError } from '../errors/query-error';
import type { Availability, Guide, GuideSite, GuideText } from '../guide/guide';
import type { QueryResult } from '../qal/types/query-result';
import type { Wire } from './contract';
import { initialGoal } from './goal-forms';
import { rowObjects } from './row-object';

const VERSION = '2025-10-20';

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

function table({ count, columns, rows, truncated }: QueryResult, rowLimit: number): unknown {
  if (count !== null) return { count };
  return {
    data: rowObjects(columns, rows),
    meta: { truncated, row_count: rows.length, limits: { row_limit: rowLimit } },
  };
}

function error({ code, status, message, at, hint, details }: QueryError): unknown {
  return {
    code,
    message,
    data: {
      status,
      ...details,
      ...(at === undefined ? {} : { at }),
      ...(hint === undefined ? {} : { hint }),
    },
  };
}

function guide({ version, timestamp, pluginVersion, sites, limits, documentation }: Guide): unknown {
  return {
    version,
    timestamp: timestamp.toISOString(),
    plugin_version: pluginVersion,
    sites: sites.map(site),
    summary: summary(sites),
    limits: {
      max_query_rows: limits.maxRows,
      max_inline_rows: limits.maxInlineRows,
      query_timeout_seconds: limits.queryTimeoutSeconds,
    },
    documentation: {
      source: documentation.source,
      format: 'markdown',
      sections: documentation.sections.map(({ category, file, title, content }) => ({
        category,
        file,
        title,
        content,
      })),
    },
  };
}

const site = (it: GuideSite): unknown => ({
  tracking_id: it.trackingId,
  domain: it.domain,
  name: it.name,
  default: it.isDefault,
  data_available_from: it.dataAvailableFrom,
  timezone: it.timezone,
  goals: it.goals.map(initialGoal),
  materials: Object.fromEntries(
    [...(it.availability ?? [])].map(([material, found]) => [material, availability(found)]),
  ),
});

const availability = (found: Availability | null): unknown =>
  found === null
    ? { available: false }
    : {
        available: true,
        row_count: found.rows,
        date_range: { start: found.firstDay, end: found.lastDay },
      };

function summary(sites: readonly GuideSite[]): unknown {
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

/** The spelling, with the cap that the contract puts on the rows of an answer. */
export const wire20251020 = ({ limits }: ContractRules): Wire => ({
  tellsAvailability: true,
  guideTexts: GUIDE_TEXTS,
  table: (result) => table(result, limits.max_inline_rows ?? limits.max_rows),
  guide,
  error,
});
