// Owns the schemas of the answers of contract 2025-10-20, the initial level.
import { z } from 'zod';
import { type Bodies, CODE, COUNT, DATE, documentation, ROW_OBJECT, SITE } from './bodies';

const table = z.object({
  data: z.array(ROW_OBJECT),
  meta: z.object({
    truncated: z.boolean(),
    row_count: COUNT,
    limits: z.object({ row_limit: COUNT }),
  }),
});

const count = z.object({ count: COUNT });

const availability = z.union([
  z.object({
    available: z.literal(true),
    row_count: COUNT,
    date_range: z.object({ start: DATE, end: DATE }),
  }),
  z.object({ available: z.literal(false) }),
]);

const guide = z.object({
  version: z.literal('2025-10-20'),
  timestamp: z.iso.datetime(),
  plugin_version: z.string(),
  sites: z.array(z.object({ ...SITE, materials: z.record(z.string(), availability) })),
  summary: z.object({
    total_sites: COUNT,
    total_pv: COUNT,
    oldest_data: DATE.nullable(),
    newest_data: DATE.nullable(),
  }),
  limits: z.object({
    max_query_rows: COUNT,
    max_inline_rows: COUNT,
    query_timeout_seconds: z.number(),
  }),
  documentation: documentation('markdown', ['overview', 'reference']),
});

const error = z.object({
  code: CODE,
  message: z.string(),
  data: z.looseObject({ status: z.int().min(400).max(599) }),
});

export const bodies20251020: Bodies = { answers: { table, count }, guide, error };
