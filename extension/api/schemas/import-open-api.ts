import { z } from 'zod';
import type { RouteDefinition } from '../../../host-shim/extension-api';
import { bodyJsonSchema, jsonContent, type Operation, openApi, parametersOf } from './open-api';

const BODY_TYPES = ['application/x-ndjson', 'text/csv', 'text/plain', 'application/octet-stream'];

const ROWS = {
  required: true,
  description: 'Rows, without a size limit; may be compressed with Content-Encoding: gzip.',
  content: Object.fromEntries(BODY_TYPES.map((type) => [type, { schema: { type: 'string' } }])),
};

const REFUSED = z.object({
  code: z.string(),
  message: z.string(),
  data: z.looseObject({ status: z.int() }),
});

const response = (description: string, schema: z.ZodType) => ({
  description,
  content: jsonContent(bodyJsonSchema(schema)),
});

const operationOf = (route: RouteDefinition): Operation => ({
  route,
  parameters: Object.values(parametersOf(route)),
  ...(route.checkedBy === 'host' && route.body === 'stream' && { requestBody: ROWS }),
  responses: {
    ...Object.fromEntries(
      Object.entries(route.output ?? {}).map(([status, schema]) => [status, response('Done.', schema)]),
    ),
    default: response('Refused.', REFUSED),
  },
});

export const importOpenApi = (routes: readonly RouteDefinition[]): object =>
  openApi({
    info: { title: 'QAL analytics: imports', version: '1' },
    server: '.',
    operations: routes.map(operationOf),
  });
