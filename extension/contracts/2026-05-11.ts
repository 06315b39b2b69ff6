// Owns the spelling of contract 2026-05-11, the head: answers and errors as JSON values.
import type { Guide, GuideSite } from '../build-guide';
import type { QueryError } from '../errors/query-error';
import type { QueryResult, Value } from '../qal/types/query-result';
import type { Envelope, Wire } from './contract';

const VERSION = '2026-05-11';

function table(result: QueryResult, envelope: Envelope, queryTimeMs: number): unknown {
  if (envelope === 'data') return dataEnvelope(result);
  const head = { ok: true, version: VERSION, query_time_ms: queryTimeMs };
  if (result.count !== null) return { ...head, result: { view: result.view, count: result.count } };
  const { view, columns, rows } = result;
  return { ...head, result: { view, columns, rows, row_count: rows.length }, meta: metaOf(result) };
}

/** The envelope of the instructions: one object per row. */
function dataEnvelope(result: QueryResult): unknown {
  if (result.count !== null) {
    return {
      data: [{ count: result.count }],
      meta: { total_count: 1, returned_count: 1, limit: result.limit, truncated: false },
    };
  }
  return { data: result.rows.map((row) => toObject(result.columns, row)), meta: metaOf(result) };
}

const toObject = (columns: readonly string[], row: readonly Value[]): Record<string, Value> =>
  Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]));

function metaOf({ totalCount, rows, limit, truncated }: QueryResult): unknown {
  return {
    ...(totalCount === null ? {} : { total_count: totalCount }),
    returned_count: rows.length,
    limit,
    truncated,
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

const site = ({
  trackingId,
  domain,
  name,
  isDefault,
  dataAvailableFrom,
  timezone,
  goals,
}: GuideSite): unknown => ({
  tracking_id: trackingId,
  domain,
  name,
  default: isDefault,
  data_available_from: dataAvailableFrom,
  timezone,
  goals,
});

export const wire20260511: Wire = { table, guide, error };
