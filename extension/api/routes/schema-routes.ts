// A namespace beside the query service, with its JSON Schemas and its OpenAPI document; no login is required.
// The contract itself has two routes and no more; the description of its namespace links here.
import { basename } from 'node:path/posix';
import { z } from 'zod';
import type { NamespaceDefinition } from '../../../host-shim/extension-api';
import { type Analytics, asSwitched, currentContracts } from '../analytics';
import { versionInput } from '../schemas/api-routes';
import { openApiDocument } from '../schemas/openapi-document';
import { queryJsonSchema } from '../schemas/query-json-schema';
import { answerFailure, answerUnswitched } from './answer';
import { builtByContract, builtForContracts } from './built-once';

const SCHEMA_PATH = '/query-schema';
const OPENAPI_PATH = '/openapi';

const nameOf = (namespace: string): string => `${namespace}-docs`;

/** Where the OpenAPI document is, below the root of the REST interface. */
export const openApiRoute = (namespace: string): string => `/${nameOf(namespace)}${OPENAPI_PATH}`;

/** Where the documents are, by the relation that a namespace has to them. */
export const schemaLinks = (namespace: string): Readonly<Record<string, string>> => ({
  'service-desc': openApiRoute(namespace),
  describedby: `/${nameOf(namespace)}${SCHEMA_PATH}`,
});

/** The namespace of the documents. */
export function schemaNamespace(analytics: Analytics): NamespaceDefinition {
  const { zones, settings } = analytics;
  const server = `../${basename(settings.namespace)}`;
  const builtOnce = builtByContract();
  const documentOf = builtForContracts();
  return {
    name: nameOf(settings.namespace),
    description: `The schemas of ${settings.namespace}, for programs.`,
    routes: [
      {
        path: SCHEMA_PATH,
        methods: ['GET'],
        summary: 'The JSON Schema of a query.',
        checkedBy: 'route',
        input: z.object(versionInput),
        permission: 'public',
        rateLimit: 'none',
        handle: (request) =>
          answerUnswitched(analytics, request, async (chosen) => {
            const contract = await asSwitched(analytics, chosen);
            return builtOnce(contract, () => queryJsonSchema(contract, zones));
          }),
      },
      {
        path: OPENAPI_PATH,
        methods: ['GET'],
        summary: 'The OpenAPI document of the guide and the query, for all contracts.',
        checkedBy: 'route',
        input: z.object({}),
        permission: 'public',
        rateLimit: 'none',
        handle: async () => {
          const contracts = await currentContracts(analytics);
          return documentOf(contracts, () => openApiDocument(contracts, { server, zones }));
        },
      },
    ],
    answerFailure: (failure, request) => answerFailure(analytics, failure, request),
  };
}
