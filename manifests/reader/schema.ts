// Owns the shape of the manifests: zod schemas, and the types inferred from them.
// YAML in -> checked, typed data out. `via` names a field of the stored row, which may be hidden from callers.
import { z } from 'zod';

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'a date such as 2026-05-11');
const identifier = z.string().regex(/^[a-z][a-z0-9_]*$/i);

/** How values of a column are compared, printed and checked. */
export const COLUMN_TYPES = ['id', 'int', 'num', 'flag', 'text', 'datetime', 'date'] as const;
const columnType = z.enum(COLUMN_TYPES);
export type ColumnType = z.infer<typeof columnType>;

/** The parts of the material's own time, read in the query's time zone. */
export const TIME_PARTS = ['date', 'hour', 'weekday', 'month'] as const;
const timePart = z.enum(TIME_PARTS);
export type TimePart = z.infer<typeof timePart>;

/**
 * A column of a material. Where its value comes from, at most one of:
 * nothing (the stored field of the column's own name), `field` (a stored field of another name),
 * `via` (+ `field`, `bit`: looked up in the dictionary behind a key), `part` (of the material's time),
 * `made` (a computation named in the translator), `goal` (1 when the view's session converted).
 * `feature` = the flag that must be on; `only` = the contracts that know the column, where not all do.
 */
export const columnSchema = z.strictObject({
  type: columnType,
  about: z.string().min(1),
  nullable: z.boolean().default(false),
  since: date.optional(),
  feature: identifier.optional(),
  only: z.array(date).min(1).optional(),
  field: identifier.optional(),
  via: identifier.optional(),
  bit: z.int().min(0).max(31).optional(),
  part: timePart.optional(),
  made: z.enum(['ua']).optional(),
  goal: z.int().min(1).max(10).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  values: z.array(z.string()).min(1).optional(),
  import: z.enum(['required', 'optional']).optional(),
});
export type ColumnDefinition = z.infer<typeof columnSchema>;

/** A material: what one row is, which contracts know it, its columns and the keys it can be joined on. */
export const materialSchema = z.strictObject({
  row: z.string().min(1),
  dataset_id: z.int().positive().optional(),
  supports_all: z.boolean(),
  since: date,
  time: z.strictObject({ column: identifier, grain: z.enum(['instant', 'day']) }),
  order: z.array(identifier).min(1),
  join: z.record(identifier, z.enum(['one', 'many'])),
  keys: z.record(identifier, identifier).default({}),
  columns: z.record(identifier, columnSchema),
});
export type MaterialDefinition = z.infer<typeof materialSchema>;

/** A dictionary: the stored texts behind an id. `unique` = the one text that no two ids of a site share. */
export const dictionarySchema = z.strictObject({
  about: z.string().min(1),
  scope: z.enum(['site', 'shared']),
  fields: z.array(identifier).min(1),
  unique: identifier.optional(),
});
export type DictionaryDefinition = z.infer<typeof dictionarySchema>;

export const materialsFileSchema = z.strictObject({
  dictionaries: z.record(identifier, dictionarySchema),
  materials: z.record(z.string(), materialSchema),
});
export type MaterialsFile = z.infer<typeof materialsFileSchema>;

const featureSchema = z.strictObject({
  enabled: z.boolean(),
  since: date.optional(),
  about: z.string().min(1),
});
export type FeatureDefinition = z.infer<typeof featureSchema>;

/** A published contract: rules as data. Once published it only grows. */
export const contractFileSchema = z.strictObject({
  version: date,
  knows: z.union([z.literal('all'), z.record(identifier, z.array(identifier))]),
  request: z.strictObject({
    required: z.array(identifier),
    time_format: z.string(),
    view_name: z.string(),
    filter_operators: z.record(identifier, z.strictObject({ types: z.array(columnType), about: z.string() })),
    calc_functions: z.record(identifier, z.strictObject({ types: z.array(columnType), about: z.string() })),
    join_modes: z.record(z.string(), z.string()),
    sort_orders: z.array(z.string()),
    result_keys: z.array(z.string()),
  }),
  limits: z.strictObject({
    default_rows: z.int().positive(),
    max_rows: z.int().positive(),
    max_inline_rows: z.int().positive().nullable(),
    max_views: z.int().positive(),
    max_columns: z.int().positive(),
    max_list_values: z.int().positive(),
  }),
  features: z.record(identifier, featureSchema),
});
export type ContractFile = z.infer<typeof contractFileSchema>;
