import { z } from 'zod';
import type { QueryCheck } from '../../query/check-query';
import { type BodyOf, COUNT, FAULT, NOTE, writeFault } from './response-parts';

export const CHECK_FEATURE = 'query_check';

const INSTANT = z.iso.datetime();

export const checkSchema = z.object({
  valid: z.boolean(),
  faults: z.array(FAULT),
  repaired: z.record(z.string(), z.unknown()).optional(),
  bounds: z.object({ start: INSTANT, end: INSTANT, tz: z.string() }).optional(),
  engine: z.object({ engine: z.enum(['rows', 'columns']), because: z.string() }).optional(),
  reads: z.array(z.object({ material: z.string(), rows: COUNT })).optional(),
  notes: z.array(NOTE).optional(),
});

export const writeCheck = ({ faults, repaired, reads, notes }: QueryCheck): BodyOf<typeof checkSchema> => ({
  valid: faults.length === 0,
  faults: faults.map(writeFault),
  ...(repaired === undefined ? {} : { repaired }),
  ...(reads && {
    bounds: { start: reads.bounds.start, end: reads.bounds.end, tz: reads.bounds.zone },
    engine: reads.answeredBy,
    reads: reads.rows,
  }),
  ...(notes.length === 0 ? {} : { notes }),
});
