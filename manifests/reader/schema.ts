import { z } from 'zod';

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date such as 2026-05-11');
const identifier = z.string().regex(/^[a-z][a-z0-9_]*$/i);

export const COLUMN_TYPES = ['id', 'int', 'num', 'flag', 'text', 'datetime', 'date'] as const;
const columnType = z.enum(COLUMN_TYPES);
export type ColumnType = z.infer<typeof columnType>;

/** The highest number of a goal; the lowest is 1. */
export const MAX_GOALS = 10;

/** Parts of the material's time, in the query's time zone. */
const TIME_PARTS = ['date', 'hour', 'weekday', 'week', 'month'] as const;
const timePart = z.enum(TIME_PARTS);
export type TimePart = z.infer<typeof timePart>;

/** Values that the server computes. Each has a function in resolve. */
const COMPUTATIONS = [
  'ua',
  'channel',
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

const columnSchema = z.strictObject({
  type: columnType,
  about: z.string().min(1),
  nullable: z.boolean().default(false),
  since: date.optional(),
  feature: identifier.optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  values: z.array(z.string()).min(1).optional(),
  import: z.enum(['required', 'optional']).optional(),
  import_name: identifier.optional(),
});
export type ColumnDefinition = z.infer<typeof columnSchema>;

const materialSchema = z.strictObject({
  row: z.string().min(1),
  dataset_id: z.int().positive().optional(),
  one_per: z.enum(['goal', 'event']).optional(),
  like: identifier.optional(),
  hidden: z.literal(true).optional(),
  administrators_only: z.literal(true).optional(),
  supports_all: z.boolean(),
  since: date,
  feature: identifier.optional(),
  time: z.strictObject({ column: identifier, grain: z.enum(['instant', 'day']) }).optional(),
  joined: z.literal('always').optional(),
  order: z.array(identifier).min(1),
  join: z.record(identifier, z.enum(['one', 'many'])),
  decoders: z.record(identifier, z.record(z.string().regex(/^-?\d+$/), z.string().min(1))).default({}),
  columns: z.record(identifier, columnSchema),
  import_columns: z.record(identifier, columnSchema).optional(),
});
export type MaterialDefinition = z.infer<typeof materialSchema>;

export const materialsFileSchema = z.strictObject({ materials: z.record(z.string(), materialSchema) });
export type MaterialsFile = z.infer<typeof materialsFileSchema>;

const storedColumnSchema = z.strictObject({
  field: identifier.optional(),
  per: z.int().positive().optional(),
  via: identifier.optional(),
  bit: z.int().min(0).max(31).optional(),
  part: timePart.optional(),
  word_of: identifier.optional(),
  goal: z.int().min(1).max(MAX_GOALS).optional(),
  computed: z.enum(COMPUTATIONS).optional(),
});
export type StoredColumn = z.infer<typeof storedColumnSchema>;

const countKeysSchema = z.array(z.union([identifier, z.array(identifier).min(2)]));

const storedMaterialSchema = z.strictObject({
  table: identifier.optional(),
  key: z.array(identifier).min(1).optional(),
  row_id: identifier.optional(),
  parent: z
    .strictObject({ material: identifier, key: identifier, time: identifier, copied: z.array(identifier) })
    .optional(),
  row_period: z.literal('month').optional(),
  keys: z.record(identifier, identifier).default({}),
  unique_counts: z.record(identifier, countKeysSchema).default({}),
  repeat_counts: z.record(identifier, z.strictObject({ in: identifier, keys: countKeysSchema })).default({}),
  columns: z.record(identifier, storedColumnSchema).default({}),
});
export type StoredMaterial = z.infer<typeof storedMaterialSchema>;

/** The distinct values of a field for each combination of the keys `by`, or only those that have at least two values of `repeatedIn`. */
export interface CountedField {
  readonly value: string;
  readonly repeatedIn: string | null;
  readonly by: readonly string[];
}

export function countedFields({ unique_counts, repeat_counts }: StoredMaterial): readonly CountedField[] {
  const each = (value: string, repeatedIn: string | null, keys: readonly (string | string[])[]) =>
    [[], ...keys].map((by) => ({ value, repeatedIn, by: [by].flat() }));
  return [
    ...Object.entries(unique_counts).flatMap(([value, keys]) => each(value, null, keys)),
    ...Object.entries(repeat_counts).flatMap(([value, it]) => each(value, it.in, it.keys)),
  ];
}

const dimensionSchema = z.strictObject({
  scope: z.enum(['site', 'shared']),
  table: identifier,
  id: identifier,
  fields: z.array(identifier).min(1),
  generated: z.array(identifier).default([]),
  unique: identifier.optional(),
  text_key: z.boolean().default(true),
  session_constant: z.boolean().default(false),
});
export type DimensionDefinition = z.infer<typeof dimensionSchema>;

export const storageFileSchema = z.strictObject({
  conversions: identifier,
  dimensions: z.record(identifier, dimensionSchema),
  materials: z.record(z.string(), storedMaterialSchema),
});
export type StorageFile = z.infer<typeof storageFileSchema>;

/** A material's columns, including those of its `like` material. */
export const allColumns = (
  { like, columns }: MaterialDefinition,
  materials: MaterialsFile['materials'],
): MaterialDefinition['columns'] => ({ ...(like !== undefined && materials[like]?.columns), ...columns });

/** A material's keys, including those of its `like` material. */
export const allKeys = (
  name: string,
  { like }: MaterialDefinition,
  storage: StorageFile,
): StoredMaterial['keys'] => ({
  ...(like !== undefined && storage.materials[like]?.keys),
  ...storage.materials[name]?.keys,
});

/** If this contract does not have the feature, `available_in` is the contract that has it, or `none`. */
const featureSchema = z.strictObject({
  enabled: z.boolean(),
  since: date.optional(),
  available_in: z.string().min(1).optional(),
  about: z.string().min(1),
});
export type FeatureDefinition = z.infer<typeof featureSchema>;

/** A filter operator or a calc function: the types that it takes, and the feature that must be enabled. */
const wordSchema = z.strictObject({
  types: z.array(columnType),
  about: z.string(),
  feature: identifier.optional(),
});
export type WordDefinition = z.infer<typeof wordSchema>;

/** A contract's rules as data. A published contract may only be extended. */
export const contractFileSchema = z.strictObject({
  version: date,
  knows: z.union([z.literal('all'), z.record(identifier, z.array(identifier))]),
  /** Maps the names of materials under this contract to those in the manifest. */
  stands_for: z.record(identifier, identifier).default({}),
  /** Whether the guide shows how much data a site has for each material. If so, queries that name an empty one are rejected. */
  publishes_availability: z.boolean().default(false),
  request: z.strictObject({
    required: z.array(identifier),
    time_format: z.string(),
    view_name: z.string(),
    filter_operators: z.record(identifier, wordSchema),
    calc_functions: z.record(identifier, wordSchema),
    join_modes: z.record(z.string(), z.string()),
    sort_orders: z.array(z.string()),
    result_keys: z.array(z.string()),
  }),
  limits: z.strictObject({
    default_rows: z.int().positive(),
    max_rows: z.int().positive(),
    max_streamed_rows: z.int().positive().nullable(),
    max_inline_rows: z.int().positive().nullable(),
    max_views: z.int().positive(),
    max_columns: z.int().positive(),
    max_list_values: z.int().positive(),
    max_reads: z.int().positive(),
  }),
  features: z.record(identifier, featureSchema),
});
export type ContractFile = z.infer<typeof contractFileSchema>;
