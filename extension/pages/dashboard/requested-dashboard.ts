import { z } from 'zod';
import type { HostResponse } from '../../../host-shim/extension-api';
import { MAX_GOALS } from '../../../manifests/reader/schema';
import { refusing, textFault } from '../../data/storage/plain-text';
import { parsedJson } from '../../language/types/json';
import { refuse } from '../page-route';
import { GOAL, PARAMETER, type RequestedFilter } from '../shared-types/dashboard-types';
import { FILTER_KINDS, TEXT_OPS } from '../shared-types/filter-kinds';
import { DIMENSIONS, isDimension } from './dashboard-dimensions';
import { COMPARISON_IDS, PERIOD_IDS } from './dashboard-range';
import { readParameter } from './event-parameter';

const MAX_PARTS = 40;
const MAX_VALUES = 100;
/** Filters that match part of a value become one condition for each combination of their values. */
const MAX_COMBINATIONS = 100;
const MAX_TEXT_LENGTH = 2_000;
/** Per part. */
const MAX_ROWS = 5_000;

const text = z.string().max(MAX_TEXT_LENGTH).superRefine(refusing(textFault));
const filterSchema = z
  .strictObject({
    dimension: text.refine(isDimension, `Dimensions are ${Object.keys(DIMENSIONS).join(', ')}.`),
    op: z.enum(TEXT_OPS).optional(),
    not: z.boolean(),
    values: z.array(text.nullable()).min(1).max(MAX_VALUES),
  })
  .refine(
    ({ dimension, op, values }) => op === undefined || (dimension !== GOAL && !values.includes(null)),
    '"op" is allowed only for strings.',
  )
  .refine(
    ({ dimension, op, values }) =>
      dimension !== PARAMETER ||
      (op === undefined && values.every((value) => readParameter(value) !== undefined)),
    'The values of "parameter" are JSON such as ["play", "video", "intro"], and must match in full.',
  );

/** Checks a request's filters, including those of its link. Returns an error message, or undefined. */
export function combinationFault(filters: readonly RequestedFilter[]): string | undefined {
  const combinations = filters.reduce(
    (count, { op, not, values }) => count * (op === undefined || not ? 1 : values.length),
    1,
  );
  return combinations <= MAX_COMBINATIONS
    ? undefined
    : `Filters that match part of a value may have at most ${MAX_COMBINATIONS} combinations. Use fewer values.`;
}

export const filtersSchema = z
  .array(filterSchema)
  .max(FILTER_KINDS.length * Object.keys(DIMENSIONS).length)
  .refine(
    (filters) =>
      new Set(filters.map(({ dimension, op, not }) => `${op} ${not} ${dimension}`)).size === filters.length,
    'Name each dimension at most once per combination of "op" and "not".',
  )
  .refine(
    (filters) =>
      filters.every(
        ({ dimension, values }) => dimension !== GOAL || values.every((value) => GOALS.has(value)),
      ),
    `The values of "goal" are goal numbers from 1 to ${MAX_GOALS}.`,
  )
  .superRefine(refusing(combinationFault));

const partSchema = z.strictObject({
  id: text,
  search: text.optional(),
  names: z.array(text).max(1_000).optional(),
  limit: z.int().min(1).max(MAX_ROWS).default(MAX_ROWS),
  offset: z.int().min(0).optional(),
  version: text.optional(),
  event: text.optional(),
  parameter: text.optional(),
});

export type Part = z.output<typeof partSchema>;

/** Users who edit an address by hand see these messages. */
const oneOf = <const Id extends string>(what: string, ids: readonly Id[]) =>
  z.enum(ids, `${what} must be one of ${ids.join(', ')}.`);

export const requestedSchema = z
  .strictObject({
    site: text.optional(),
    period: oneOf('A period', PERIOD_IDS),
    from: text.optional(),
    to: text.optional(),
    compare: oneOf('A comparison', COMPARISON_IDS),
    compare_from: text.optional(),
    compare_to: text.optional(),
    by: oneOf('An interval', ['hour', 'day', 'week', 'month']).optional(),
    filters: filtersSchema,
    parts: z.array(partSchema).max(MAX_PARTS),
    file: z.boolean().default(false),
  })
  .refine(({ file, parts }) => !file || parts.length === 1, {
    path: ['parts'],
    message: 'A file must have exactly one part.',
  });

type DashboardRequest = z.output<typeof requestedSchema>;

export interface LimitedFilter extends RequestedFilter {
  /** Set for filters from a link's segment, which apply to all numbers that the link shows. */
  readonly isPinned?: true;
}

export interface LimitedView extends Omit<DashboardRequest, 'filters'> {
  /** Includes the filters from the requesting link's segment. */
  readonly filters: readonly LimitedFilter[];
}

const GOALS: ReadonlySet<string | null> = new Set(
  Array.from({ length: MAX_GOALS }, (_unused, at) => String(at + 1)),
);

export const invalid = (message: string, at: string): HostResponse => refuse(400, message, { at });

/** Returns a 400 response if the body is invalid. */
export function readRequested(body: string): DashboardRequest | HostResponse {
  const given = parsedJson(body);
  if (given === undefined) return invalid('The body is not JSON.', '');
  const read = requestedSchema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return invalid(issue?.message ?? 'The body is not a dashboard request.', issue?.path.join('.') ?? '');
}
