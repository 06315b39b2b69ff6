// Parts of responses that several contracts share. Objects are open because contracts grow: clients must ignore unknown keys.
import { z } from 'zod';
import { MAX_GOALS } from '../../../manifests/reader/schema';
import { ERRORS } from '../../language/errors/error-table';
import type { QueryError } from '../../language/errors/query-error';
import type { Row } from '../../language/types/compiled-query';
import type { QueryResult, Value } from '../../language/types/query-result';
import { TRACKING_ID } from '../../language/types/tracking-id';
import type { GuideSite, GuideText } from '../guide/guide';

type DeepReadonly<Body> = Body extends object
  ? { readonly [Key in keyof Body]: DeepReadonly<Body[Key]> }
  : Body;

export type BodyOf<Schema extends z.ZodType> = DeepReadonly<z.input<Schema>>;

export const CODE = z.enum(Object.keys(ERRORS));
export const CELL = z.union([z.string(), z.number(), z.null()]);
export const COUNT = z.int().min(0);
export const DATE = z.iso.date();
const VERSION = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
export const ROW_OBJECT = z.record(z.string(), CELL);

/** An error in the newest contract's form. */
export const FAULT = z.object({
  code: CODE,
  message: z.string(),
  at: z.string().optional(),
  hint: z.string().optional(),
  details: z.unknown().optional(),
});

/** A part of a valid query that may not mean what was intended. */
export const NOTE = z.object({ at: z.string(), message: z.string(), hint: z.string().optional() });

export const writeFault = ({ code, message, at, hint, details }: QueryError): BodyOf<typeof FAULT> => ({
  code,
  message,
  ...(at === undefined ? {} : { at }),
  ...(hint === undefined ? {} : { hint }),
  ...(details === undefined ? {} : { details }),
});

export const SITE = {
  tracking_id: z.string().regex(TRACKING_ID),
  domain: z.string(),
  name: z.string(),
  default: z.boolean(),
  data_available_from: DATE.nullable(),
  timezone: z.string(),
  goals: z.array(
    z.object({
      id: z.int().min(1).max(MAX_GOALS),
      name: z.string(),
      type: z.string(),
      condition: z.union([z.string(), z.record(z.string(), z.unknown())]),
    }),
  ),
};

/** The sections of the guide; `section` adds fields to each one. */
export const documentation = <const Format extends string, Section extends z.ZodRawShape>(
  format: Format,
  categories: readonly GuideText['category'][],
  section: Section,
) =>
  z.object({
    source: z.string(),
    format: z.literal(format),
    sections: z.array(
      z.object({
        category: z.enum(categories),
        file: z.string(),
        title: z.string(),
        content: z.string(),
        ...section,
      }),
    ),
  });

/** Matches the error schemas of all contracts, because the caller has not chosen a contract. */
export const INVALID_VERSION = z.object({
  ok: z.literal(false),
  error: z.object({
    code: z.literal('invalid_version'),
    message: z.string(),
    at: z.literal('version'),
    hint: z.string().optional(),
    details: z.object({ available_versions: z.array(VERSION) }),
  }),
  code: z.literal('invalid_version'),
  message: z.string(),
  data: z.object({ status: z.literal(404), available_versions: z.array(VERSION) }),
});

export const siteFields = (site: GuideSite) => ({
  tracking_id: site.trackingId,
  domain: site.domain,
  name: site.name,
  default: site.isDefault,
  data_available_from: site.dataAvailableFrom,
  timezone: site.timezone,
});

export function rowObjects(columns: readonly string[], rows: QueryResult['rows']): unknown {
  // Assigning to __proto__ would set the object's prototype.
  const objectOf = columns.includes('__proto__') ? fromEntries(columns) : assigned(columns);
  return 'mapBatches' in rows ? rows.mapBatches((batch) => batch.map(objectOf)) : rows.map(objectOf);
}

/** Several times faster than `fromEntries`, because V8 uses one layout for all rows. */
const assigned = (columns: readonly string[]) => (row: Row) => {
  const object: Record<string, Value> = {};
  for (let index = 0; index < columns.length; index++) object[columns[index] ?? ''] = row[index] ?? null;
  return object;
};

const fromEntries = (columns: readonly string[]) => (row: Row) =>
  Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]));
