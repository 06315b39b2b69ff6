import { z } from 'zod';
import type { QueryResult } from '../../language/types/query-result';
import { GUIDE_TEXTS, guide, guideBody, guideParts } from './2026-05-11-guide';
import type { ResponseFormat } from './contract';
import { checkSchema, writeCheck } from './query-check';
import { type BodyOf, CELL, COUNT, FAULT, NOTE, ROW_OBJECT, rowObjects, writeFault } from './response-parts';

const VERSION = '2026-05-11';

const head = { ok: z.literal(true), version: z.literal(VERSION), query_time_ms: COUNT };

const extraMeta = {
  /** Absent if the feature is off. */
  cached: z.boolean().optional(),
  /** Like `data_version`, present only in paged results. */
  offset: COUNT.optional(),
  data_version: z.string().optional(),
  /** Absent if there are no notes. */
  notes: z.array(NOTE).optional(),
};

const meta = z.object({
  total_count: COUNT.optional(),
  returned_count: COUNT,
  limit: COUNT,
  truncated: z.boolean(),
  ...extraMeta,
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
  meta: z.object(extraMeta).optional(),
});

const objects = z.object({ data: z.array(ROW_OBJECT), meta: meta.extend({ total_count: COUNT }) });

const error = z.object({ ok: z.literal(false), error: FAULT });

const check = z.object({ ok: z.literal(true), version: z.literal(VERSION), check: checkSchema });

type ExtraMeta = BodyOf<z.ZodObject<typeof extraMeta>>;

function resultEnvelope(result: QueryResult, queryTimeMs: number, extra: ExtraMeta) {
  const { view, columns, rows, rowCount } = result;
  const common = { ok: true, version: VERSION, query_time_ms: queryTimeMs } as const;
  if (result.count === null)
    return { ...common, result: { view, columns, rows, row_count: rowCount }, meta: metaOf(result, extra) };
  const counted = { ...common, result: { view, count: result.count } };
  return Object.keys(extra).length === 0 ? counted : { ...counted, meta: extra };
}

/** The total is known, because queries for this envelope set `alwaysCount`. */
function dataEnvelope(result: QueryResult, extra: ExtraMeta) {
  const { columns, rows, rowCount, count, totalCount, limit } = result;
  if (count !== null)
    return {
      data: [{ count }],
      meta: { total_count: 1, returned_count: 1, limit, truncated: false, ...extra },
    };
  const meta = { ...metaOf(result, extra), total_count: totalCount ?? rowCount };
  return { data: rowObjects(columns, rows), meta };
}

const metaOf = (
  { totalCount, rowCount, limit, truncated }: QueryResult,
  extra: ExtraMeta,
): BodyOf<typeof meta> => ({
  ...(totalCount === null ? {} : { total_count: totalCount }),
  returned_count: rowCount,
  limit,
  truncated,
  ...extra,
});

export const format20260511: ResponseFormat = {
  bodies: { answers: { table, count, rows: objects, check }, guide, guideParts, error },
  guideTexts: GUIDE_TEXTS,
  table(result, envelope, queryTimeMs, { cached, page, notes = [] } = {}) {
    const extra: ExtraMeta = {
      ...(cached === undefined ? {} : { cached }),
      ...(page == null ? {} : { offset: page.offset, data_version: page.dataVersion }),
      ...(notes.length === 0 ? {} : { notes }),
    };
    return envelope === 'data' ? dataEnvelope(result, extra) : resultEnvelope(result, queryTimeMs, extra);
  },
  guide: guideBody,
  check: (it): BodyOf<typeof check> => ({ ok: true, version: VERSION, check: writeCheck(it) }),
  error: (it): BodyOf<typeof error> => ({ ok: false, error: writeFault(it) }),
};
