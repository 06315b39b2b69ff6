// Owns the spelling of contract 2026-05-11, the head: answers and errors as JSON values.
import { eventName } from '../../manifests/reader/catalog';
import type { QueryError } from '../errors/query-error';
import type { Guide, GuideSite, GuideText } from '../guide/guide';
import type { QueryResult } from '../qal/types/query-result';
import type { Scope } from '../qal/types/resolved-query';
import type { Envelope, Wire } from './contract';
import { laterGoal } from './goal-forms';
import { rowObjects } from './row-object';

const VERSION = '2026-05-11';

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

/** What an answer tells of its rows besides them: how it was made. */
type Making = { readonly cached?: boolean };

function table(result: QueryResult, envelope: Envelope, queryTimeMs: number, cached?: boolean): unknown {
  const making: Making = cached === undefined ? {} : { cached };
  if (envelope === 'data') return dataEnvelope(result, making);
  const head = { ok: true, version: VERSION, query_time_ms: queryTimeMs };
  if (result.count !== null) {
    const count = { ...head, result: { view: result.view, count: result.count } };
    return cached === undefined ? count : { ...count, meta: making };
  }
  const { view, columns, rows } = result;
  return { ...head, result: { view, columns, rows, row_count: rows.length }, meta: metaOf(result, making) };
}

/** The envelope of the instructions: one object per row. */
function dataEnvelope(result: QueryResult, making: Making): unknown {
  if (result.count !== null) {
    return {
      data: [{ count: result.count }],
      meta: { total_count: 1, returned_count: 1, limit: result.limit, truncated: false, ...making },
    };
  }
  return { data: rowObjects(result.columns, result.rows), meta: metaOf(result, making) };
}

function metaOf({ totalCount, rows, limit, truncated }: QueryResult, making: Making): unknown {
  return {
    ...(totalCount === null ? {} : { total_count: totalCount }),
    returned_count: rows.length,
    limit,
    truncated,
    ...making,
  };
}

function error({ code, message, at, hint, details }: QueryError): unknown {
  return {
    ok: false,
    error: {
      code,
      message,
      ...(at === undefined ? {} : { at }),
      ...(hint === undefined ? {} : { hint }),
      ...(details === undefined ? {} : { details }),
    },
  };
}

function guide({
  version,
  apiUpdate,
  timestamp,
  pluginVersion,
  features,
  sites,
  documentation,
}: Guide): unknown {
  const entries = [...features];
  return {
    version,
    api_update: apiUpdate,
    timestamp: timestamp.toISOString(),
    plugin_version: pluginVersion,
    features: Object.fromEntries(entries.map(([name, { enabled }]) => [name, enabled])),
    features_detail: Object.fromEntries(
      entries.map(([name, { enabled, since }]) => [
        name,
        enabled && since !== undefined ? { enabled, since } : { enabled },
      ]),
    ),
    sites: sites.map(site),
    documentation: { source: documentation.source, format: 'mixed', sections: documentation.sections },
  };
}

const site = (it: GuideSite): unknown => ({
  tracking_id: it.trackingId,
  domain: it.domain,
  name: it.name,
  default: it.isDefault,
  data_available_from: it.dataAvailableFrom,
  timezone: it.timezone,
  goals: it.goals.map(laterGoal),
  ...(it.observedEvents === null ? {} : { observed_events: observed(it.observedEvents) }),
});

const observed = (events: Scope['events']): unknown =>
  Object.fromEntries(
    [...events].map(([event, parameters]) => [
      event,
      { material: eventName(event), columns: Object.fromEntries(parameters) },
    ]),
  );

export const wire20260511: Wire = {
  tellsAvailability: false,
  guideTexts: GUIDE_TEXTS,
  table,
  guide,
  error,
};
