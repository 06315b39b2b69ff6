// A public namespace with the JSON Schema of a query and the OpenAPI document of the query service. It is separate because the
// contract defines exactly two routes for the query service itself.
import { createHash } from 'node:crypto';
import { basename } from 'node:path/posix';
import { z } from 'zod';
import type { HostRequest, HostResponse, NamespaceDefinition } from '../../../host-shim/extension-api';
import { type Analytics, asSwitched, currentContracts } from '../analytics';
import type { InstalledContract } from '../contracts/contract';
import { versionInput } from '../schemas/api-routes';
import { openApiDocument } from '../schemas/openapi-document';
import { queryJsonSchema } from '../schemas/query-json-schema';
import { answerFailure, answerUnswitched } from './answer';

const SCHEMA_PATH = '/query-schema';
const OPENAPI_PATH = '/openapi';

const nameOf = (namespace: string): string => `${namespace}-docs`;

/** The path of the OpenAPI document relative to the root of the REST interface. */
export const openApiRoute = (namespace: string): string => `/${nameOf(namespace)}${OPENAPI_PATH}`;

export const schemaLinks = (namespace: string): Readonly<Record<string, string>> => ({
  'service-desc': openApiRoute(namespace),
  describedby: `/${nameOf(namespace)}${SCHEMA_PATH}`,
});

export function schemaNamespace(analytics: Analytics): NamespaceDefinition {
  const { settings } = analytics;
  const server = `../${basename(settings.namespace)}`;
  const builtOnce = createDocumentCache();
  const shared = {
    methods: ['GET'],
    checkedBy: 'route',
    permission: 'public',
    rateLimit: 'none',
  } as const;
  return {
    name: nameOf(settings.namespace),
    description: `The schemas of ${settings.namespace}, for programs.`,
    routes: [
      {
        ...shared,
        path: SCHEMA_PATH,
        summary: 'The JSON Schema of a query.',
        input: z.object(versionInput),
        handle: (request: HostRequest) =>
          answerUnswitched(analytics, request, async (chosen) => {
            const contract = await asSwitched(analytics, chosen);
            const zones = await analytics.zones();
            return builtOnce(contract.version, [contract], () => queryJsonSchema(contract, zones));
          }),
      },
      {
        ...shared,
        path: OPENAPI_PATH,
        summary: 'The OpenAPI document for the guide and queries, for all contracts.',
        input: z.object({}),
        handle: async () => {
          const contracts = await currentContracts(analytics);
          const zones = await analytics.zones();
          return builtOnce('openapi', contracts, () => openApiDocument(contracts, { server, zones }));
        },
      },
    ],
    answerFailure: (failure, request) => answerFailure(analytics, failure, request),
  };
}

/** Caches each document until a feature is switched, which replaces the contract objects. Responses have an ETag. */
function createDocumentCache() {
  const cache = new Map<string, { contracts: readonly InstalledContract[]; answer: HostResponse }>();
  return (name: string, contracts: readonly InstalledContract[], build: () => unknown): HostResponse => {
    const cached = cache.get(name);
    if (cached?.contracts.every((one, index) => one === contracts[index])) return cached.answer;
    const body = build();
    const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
    const answer = { status: 200, headers: { ETag: `"${digest}"` }, body };
    cache.set(name, { contracts, answer });
    return answer;
  };
}
