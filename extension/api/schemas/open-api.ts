import { z } from 'zod';
import type { RouteDefinition } from '../../../host-shim/extension-api';
import type { JsonSchema } from './query-json-schema';

type Documented = Pick<RouteDefinition, 'path' | 'methods' | 'summary' | 'input'>;

export interface Operation {
  readonly route: Documented;
  readonly operationId?: string;
  readonly parameters: readonly object[];
  readonly requestBody?: object;
  readonly responses: object;
}

interface OpenApiContents {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  /** The namespace's address, which may be relative to the document's. */
  readonly server: string;
  readonly operations: readonly Operation[];
  readonly components?: object;
}

export const openApi = ({ info, server, operations, components }: OpenApiContents): object => ({
  openapi: '3.1.1',
  info,
  servers: [{ url: server }],
  security: [{ applicationPassword: [] }],
  paths: Object.fromEntries(
    operations.map(({ route: { path, methods, summary }, ...operation }) => [
      path,
      Object.fromEntries(methods.map((method) => [method.toLowerCase(), { summary, ...operation }])),
    ]),
  ),
  components: {
    securitySchemes: {
      applicationPassword: {
        type: 'http',
        scheme: 'basic',
        description: 'Login and an application password; the login password is not accepted.',
      },
    },
    ...components,
  },
});

export function parametersOf({ path, input }: Pick<Documented, 'path' | 'input'>) {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const isInPath = path.includes(`{${name}}`);
      const { description, ...schema } = Object(property);
      const isRequired = isInPath || required.includes(name);
      const place = { name, in: isInPath ? 'path' : 'query', ...(isRequired && { required: true }) };
      return [name, { ...place, description, schema }];
    }),
  );
}

export const jsonContent = (schema: object) => ({ 'application/json': { schema } });

/** `io: 'input'` lets objects have additional properties. */
export const bodyJsonSchema = (schema: z.ZodType): JsonSchema =>
  asComponent(z.toJSONSchema(schema, { io: 'input' }));

/** A schema inside a document must not have its own address or dialect. */
function asComponent({ $schema: _dialect, $id: _address, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** Like `asComponent`, for a schema that refers to its own definitions. */
export const asComponentNamed = (name: string, schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(asComponent(schema)), (key, value) =>
    key === '$ref' ? value.replace('#', `#/components/schemas/${name}`) : value,
  );
