// What a check of a query finds, and how responses write it.
import { z } from 'zod';
import type { QueryError } from '../../language/errors/query-error';
import type { EngineChoice } from '../../language/types/engine';
import type { JsonObject } from '../../language/types/json';
import { type BodyOf, COUNT, FAULT, writeFault } from './response-parts';

export const CHECK_FEATURE = 'query_check';

export interface QueryCheck {
  /** Those of the shape, then those of the names, each in document order. What depends on a fault is not judged. */
  readonly faults: readonly QueryError[];
  /** The corrected query, where there are faults and each has a certain repair. */
  readonly repaired: JsonObject | undefined;
  /** Of the query, or of the corrected one. */
  readonly reads: QueryReads | undefined;
}

/** What a query would read. */
export interface QueryReads {
  /** [start, end) as instants. */
  readonly bounds: { readonly start: string; readonly end: string; readonly zone: string };
  readonly answeredBy: EngineChoice;
  /** Of each material and period once, as the planner expects them before any filter. */
  readonly rows: readonly { readonly material: string; readonly rows: number }[];
}

const INSTANT = z.iso.datetime();

export const checkSchema = z.object({
  valid: z.boolean(),
  faults: z.array(FAULT),
  repaired: z.record(z.string(), z.unknown()).optional(),
  bounds: z.object({ start: INSTANT, end: INSTANT, tz: z.string() }).optional(),
  engine: z.object({ engine: z.enum(['rows', 'columns']), because: z.string() }).optional(),
  reads: z.array(z.object({ material: z.string(), rows: COUNT })).optional(),
});

export const writeCheck = ({ faults, repaired, reads }: QueryCheck): BodyOf<typeof checkSchema> => ({
  valid: faults.length === 0,
  faults: faults.map(writeFault),
  ...(repaired === undefined ? {} : { repaired }),
  ...(reads === undefined ? {} : writeReads(reads)),
});

const writeReads = ({ bounds: { start, end, zone }, answeredBy, rows }: QueryReads) => ({
  bounds: { start, end, tz: zone },
  engine: answeredBy,
  reads: rows,
});
