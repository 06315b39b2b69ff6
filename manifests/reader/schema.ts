// Owns the shape of the manifests: zod schemas, and the types inferred from them.
// YAML in -> checked, typed data out. `via` names a field of the stored row, which may be hidden from callers.
import { z } from 'zod';

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'a date such as 2026-05-11');
const identifier = z.string().regex(/^[a-z][a-z0-9_]*$/i);

/** How values of a column are compared, printed and checked. */
export const COLUMN_TYPES = ['id', 'int', 'num', 'flag', 'text', 'datetime', 'date'] as const;
const columnType = z.enum(COLUMN_TYPES);
export type ColumnType = z.infer<typeof columnType>;

/** Goals of a site are numbered from 1 to this. */
export const MOST_GOALS = 10;

/** The parts of the material's own time, read in the query's time zone. */
export const TIME_PARTS = ['date', 'hour', 'weekday', 'month'] as const;
const timePart = z.enum(TIME_PARTS);
export type TimePart = z.infer<typeof timePart>;

/** Computations that the translator knows by name. */
export const COMPUTATIONS = [
  'ua',
  'params_json',
  'ctr',
  'ctr_of_sums',
  'position_weighted',
  'position_wavg',
  'country_number',
  'pv_index',
  'zero',
  'session_index',
  'session_no',
  'has_depth',
  'has_clicks',
  'has_events',
] as const;
export type Computation = (typeof COMPUTATIONS)[number];

/**
 * A column of a material. Where its value comes from, at most one of:
 * nothing (the stored field of the column's own name), `field` (a stored field of another name, `per` = divided by),
 * `via` (+ `field`, `bit`: looked up in the dimension behind a key), `part` (of the material's time),
 * `word_of` (the word for the number in another column), `goal` (1 when the row's session converted on it),
 * `made` (a computation of the translator).
 * `feature` = the flag that must be on; `import_name` = what files call it.
 */
export const columnSchema = z.strictObject({
  type: columnType,
  about: z.string().min(1),
  nullable: z.boolean().default(false),
  since: date.optional(),
  feature: identifier.optional(),
  field: identifier.optional(),
  per: z.int().positive().optional(),
  via: identifier.optional(),
  bit: z.int().min(0).max(31).optional(),
  part: timePart.optional(),
  word_of: identifier.optional(),
  made: z.enum(COMPUTATIONS).optional(),
  goal: z.int().min(1).max(MOST_GOALS).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  values: z.array(z.string()).min(1).optional(),
  import: z.enum(['required', 'optional']).optional(),
  import_name: identifier.optional(),
});
export type ColumnDefinition = z.infer<typeof columnSchema>;

/**
 * A material: what one row is, its columns and the keys it can be joined on. Without `time` its rows tell of the whole
 * asked period. `one_per` makes it a family: one material for each goal or observed event of a site. `like` = has the
 * columns and keys of that material too. `hidden` = known only where a contract gives it another name. `unique` and `parent`
 * name stored fields: what no two rows of a site share, and the row of another material that a row belongs to.
 */
export const materialSchema = z.strictObject({
  row: z.string().min(1),
  dataset_id: z.int().positive().optional(),
  one_per: z.enum(['goal', 'event']).optional(),
  like: identifier.optional(),
  hidden: z.literal(true).optional(),
  supports_all: z.boolean(),
  since: date,
  feature: identifier.optional(),
  time: z.strictObject({ column: identifier, grain: z.enum(['instant', 'day']) }).optional(),
  joined: z.literal('always').optional(),
  order: z.array(identifier).min(1),
  row_id: identifier.optional(),
  unique: identifier.optional(),
  parent: z.strictObject({ material: identifier, key: identifier, time: identifier }).optional(),
  join: z.record(identifier, z.enum(['one', 'many'])),
  keys: z.record(identifier, identifier).default({}),
  decoders: z.record(identifier, z.record(z.string().regex(/^-?\d+$/), z.string().min(1))).default({}),
  columns: z.record(identifier, columnSchema),
});
export type MaterialDefinition = z.infer<typeof materialSchema>;

/**
 * A dimension: the stored texts behind an id. `unique` = the one text that no two ids of a site share; `of_visit` = as a
 * rule all views of a visit have the same id, which plans rely on for speed alone.
 */
export const dimensionSchema = z.strictObject({
  about: z.string().min(1),
  scope: z.enum(['site', 'shared']),
  of_visit: z.boolean().default(false),
  fields: z.array(identifier).min(1),
  unique: identifier.optional(),
});

export const materialsFileSchema = z.strictObject({
  dimensions: z.record(identifier, dimensionSchema),
  materials: z.record(z.string(), materialSchema),
});
export type MaterialsFile = z.infer<typeof materialsFileSchema>;

/** `available_in` = the contract that has a feature that this one does not know at all; `none` has it yet. */
const featureSchema = z.strictObject({
  enabled: z.boolean(),
  since: date.optional(),
  available_in: z.string().min(1).optional(),
  about: z.string().min(1),
});
export type FeatureDefinition = z.infer<typeof featureSchema>;

/** A published contract: rules as data. Once published it only grows. */
export const contractFileSchema = z.strictObject({
  version: date,
  knows: z.union([z.literal('all'), z.record(identifier, z.array(identifier))]),
  /** Name of a material under this contract -> the material that it stands for. */
  stands_for: z.record(identifier, identifier).default({}),
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
    max_reads: z.int().positive(),
  }),
  features: z.record(identifier, featureSchema),
});
export type ContractFile = z.infer<typeof contractFileSchema>;
