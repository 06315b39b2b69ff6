// Owns what the bodies of all contracts have in common, as zod schemas: they describe answers, nothing reads with them.
// Objects are open, because contracts grow: a client must let pass what it does not know.
import { z } from 'zod';
import { ERRORS } from '../errors/error-table';

/** The bodies of a contract's answers, by the name that the OpenAPI document gives them. */
export interface Bodies {
  /** The answers to a query: each request gets one of them. */
  readonly answers: Readonly<Record<string, z.ZodType>>;
  readonly guide: z.ZodType;
  readonly error: z.ZodType;
}

export const CODE = z.enum(Object.keys(ERRORS));
export const CELL = z.union([z.string(), z.number(), z.null()]);
export const COUNT = z.int().min(0);
export const DATE = z.iso.date();
export const VERSION = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
export const ROW_OBJECT = z.record(z.string(), CELL);

/** What a site is in the guide of every contract. */
export const SITE = {
  tracking_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  domain: z.string(),
  name: z.string(),
  default: z.boolean(),
  data_available_from: DATE.nullable(),
  timezone: z.string(),
  goals: z.array(
    z.object({
      id: z.int().min(1).max(10),
      name: z.string(),
      type: z.string(),
      condition: z.union([z.string(), z.record(z.string(), z.unknown())]),
    }),
  ),
};

/** The texts of the guide. */
export function documentation<const Format extends string, const Category extends string>(
  format: Format,
  categories: readonly Category[],
  section: z.ZodRawShape = {},
) {
  return z.object({
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
}

/** The body of invalid_version: it satisfies the error shapes of both contracts. */
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
