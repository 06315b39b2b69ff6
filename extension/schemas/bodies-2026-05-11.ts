// Owns the schemas of the answers of contract 2026-05-11, the head.
import { z } from 'zod';
import { type Bodies, CELL, CODE, COUNT, DATE, documentation, ROW_OBJECT, SITE } from './bodies';

const VERSION = z.literal('2026-05-11');

const head = { ok: z.literal(true), version: VERSION, query_time_ms: COUNT };

/** Whether the rows were kept from an earlier equal query; absent where the feature is switched off. */
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

const rows = z.object({ data: z.array(ROW_OBJECT), meta: meta.extend({ total_count: COUNT }) });

const features = {
  features: z.record(z.string(), z.boolean()),
  features_detail: z.record(z.string(), z.object({ enabled: z.boolean(), since: DATE.optional() })),
};

const observedEvents = z.record(
  z.string().regex(/^[A-Za-z0-9_]+$/),
  z.object({
    material: z.string().regex(/^events\.[A-Za-z0-9_]+$/),
    columns: z.record(z.string(), z.enum(['number', 'string'])),
  }),
);

const guide = z.object({
  version: VERSION,
  api_update: DATE,
  timestamp: z.iso.datetime(),
  plugin_version: z.string(),
  ...features,
  sites: z.array(z.object({ ...SITE, observed_events: observedEvents.optional() })),
  documentation: documentation('mixed', ['instructions', 'spec'], { format: z.enum(['markdown', 'yaml']) }),
});

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

export const bodies20260511: Bodies = { answers: { table, count, rows }, guide, error };
