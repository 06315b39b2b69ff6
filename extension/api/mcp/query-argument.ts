// The argument of the tools that take a query.
import { z } from 'zod';

export const QUERY_ARGUMENT = {
  query: z
    .union([z.record(z.string(), z.unknown()), z.string()], {
      error: 'The argument "query" takes the whole query, as an object or its JSON text,',
    })
    .describe(
      'The query as the guide describes it: {"tracking_id": ..., "materials": [{"name": ...}], "time": {"start": ..., "end": ..., "tz": ...}, "make": {...}, "result": {"use": ...}}; or its JSON text.',
    ),
};
