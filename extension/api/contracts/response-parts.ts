// What the responses of several contracts have in common: the zod schemas, and how rows and sites fill them.
// Objects are open, because contracts grow: a client must ignore what it does not know.
import { z } from 'zod';
import { MOST_GOALS } from '../../../manifests/reader/schema';
import { ERRORS } from '../../language/errors/error-table';
import type { QueryError } from '../../language/errors/query-error';
import type { Row } from '../../language/types/compiled-query';
import type { QueryResult, Value } from '../../language/types/query-result';
import type { GuideSite, GuideText } from '../guide/guide';

type DeepReadonly<Body> = Body extends object
  ? { readonly [Key in keyof Body]: DeepReadonly<Body[Key]> }
  : Body;

/** The JSON value that a schema describes. */
export type BodyOf<Schema extends z.ZodType> = DeepReadonly<z.input<Schema>>;

export const CODE = z.enum(Object.keys(ERRORS));
export const CELL = z.union([z.string(), z.number(), z.null()]);
export const COUNT = z.int().min(0);
export const DATE = z.iso.date();
const VERSION = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
export const ROW_OBJECT = z.record(z.string(), CELL);

/** A fault, in the form of the newest contract. */
export const FAULT = z.object({
  code: CODE,
  message: z.string(),
  at: z.string().optional(),
  hint: z.string().optional(),
  details: z.unknown().optional(),
});

export const writeFault = ({ code, message, at, hint, details }: QueryError): BodyOf<typeof FAULT> => ({
  code,
  message,
  ...(at === undefined ? {} : { at }),
  ...(hint === undefined ? {} : { hint }),
  ...(details === undefined ? {} : { details }),
});

/** A site in the guide of every contract. */
export const SITE = {
  tracking_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  domain: z.string(),
  name: z.string(),
  default: z.boolean(),
  data_available_from: DATE.nullable(),
  timezone: z.string(),
  goals: z.array(
    z.object({
      id: z.int().min(1).max(MOST_GOALS),
      name: z.string(),
      type: z.string(),
      condition: z.union([z.string(), z.record(z.string(), z.unknown())]),
    }),
  ),
};

/** The texts of the guide; `section` are further fields of each. */
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

/** The body of invalid_version: it satisfies the error schemas of all contracts, since the caller has chosen none. */
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

/** The fields of a site that all contracts share. */
export const siteFields = (site: GuideSite) => ({
  tracking_id: site.trackingId,
  domain: site.domain,
  name: site.name,
  default: site.isDefault,
  data_available_from: site.dataAvailableFrom,
  timezone: site.timezone,
});

type RowObject = Readonly<Record<string, Value>>;

/** Each row as an object of its values by column name. */
export function rowObjects(columns: readonly string[], rows: QueryResult['rows']): unknown {
  // Assigning to __proto__ would set the prototype of the object.
  const objectOf = columns.includes('__proto__') ? fromEntries(columns) : assigned(columns);
  return 'mapBatches' in rows ? rows.mapBatches((some) => some.map(objectOf)) : rows.map(objectOf);
}

/** Several times as fast as from entries: V8 gives all rows one layout. */
const assigned = (columns: readonly string[]) => (row: Row) => {
  const object: Record<string, Value> = {};
  for (let index = 0; index < columns.length; index++) object[columns[index] ?? ''] = row[index] ?? null;
  return object;
};

const fromEntries =
  (columns: readonly string[]) =>
  (row: Row): RowObject =>
    Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]));
