// The OpenAPI 3.1 document of the routes that import, derived from their definitions.
import { z } from 'zod';
import type { RouteDefinition } from '../../host-shim/extension-api';

const BODY_TYPES = ['application/x-ndjson', 'text/csv', 'text/plain', 'application/octet-stream'];

const schemaOf = (schema: z.ZodType) => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
};

function parametersOf({ path, input }: RouteDefinition): readonly object[] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const isInPath = path.includes(`{${name}}`);
    const { description, ...schema } = Object(property);
    const place = isInPath ? 'path' : 'query';
    return { name, in: place, required: isInPath || required.includes(name), description, schema };
  });
}

function operationOf(route: RouteDefinition): object {
  const isStream = route.checkedBy === 'host' && route.body === 'stream';
  return {
    summary: route.summary,
    parameters: parametersOf(route),
    ...(isStream && {
      requestBody: {
        required: true,
        description: 'Rows, of any size; with Content-Encoding: gzip, compressed.',
        content: Object.fromEntries(BODY_TYPES.map((type) => [type, { schema: { type: 'string' } }])),
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.output ?? {}).map(([status, schema]) => [
          status,
          { description: 'Done.', content: { 'application/json': { schema: schemaOf(schema) } } },
        ]),
      ),
      default: { description: 'Refused.', content: { 'application/json': { schema: schemaOf(REFUSED) } } },
    },
  };
}

const REFUSED = z.object({
  code: z.string(),
  message: z.string(),
  data: z.looseObject({ status: z.int() }),
});

/** The OpenAPI document of these routes; addresses are relative to it. */
export const importOpenApi = (routes: readonly RouteDefinition[]): object => ({
  openapi: '3.1.1',
  info: { title: 'QAL analytics: imports', version: '1' },
  servers: [{ url: '.' }],
  security: [{ applicationPassword: [] }],
  paths: Object.fromEntries(
    routes.map((route) => [
      route.path,
      Object.fromEntries(route.methods.map((method) => [method.toLowerCase(), operationOf(route)])),
    ]),
  ),
  components: { securitySchemes: { applicationPassword: { type: 'http', scheme: 'basic' } } },
});
