// Owns the OpenAPI 3.1 document of the two routes, for all installed contracts together.
// contracts -> document. `version` chooses the contract, so each answer is one of a schema per contract.
import { z } from 'zod';
import type { Contract } from '../contracts/contract';
import { ERRORS } from '../errors/error-table';
import { type Bodies, INVALID_VERSION } from './bodies';
import { bodies20251020 } from './bodies-2025-10-20';
import { bodies20260511 } from './bodies-2026-05-11';
import { type JsonSchema, queryJsonSchema } from './query-json-schema';

const BODIES: Readonly<Record<string, Bodies>> = {
  '2025-10-20': bodies20251020,
  '2026-05-11': bodies20260511,
};

/** The schemas of a contract's answers. Throws when they are not written down. */
export function bodiesOf({ version }: Contract): Bodies {
  const bodies = BODIES[version];
  if (bodies === undefined) throw new Error(`The contract ${version} has no schemas of its answers.`);
  return bodies;
}

export interface OpenApiOptions {
  /** Address of the namespace; may be relative to the document. */
  readonly server: string;
  /** The time zones that a query may name, where they are known. */
  readonly zones?: ReadonlySet<string>;
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ 'application/json': { schema } });

/** One schema alone where there is one, else any of them. */
const anyOf = (schemas: readonly object[]): object =>
  schemas.length === 1 ? { ...schemas[0] } : { anyOf: schemas };

const RATE_LIMIT_HEADERS = Object.fromEntries(
  [
    ['X-RateLimit-Limit', 'Requests that the tighter window allows.'],
    ['X-RateLimit-Remaining', 'Requests that are left in it.'],
    ['X-RateLimit-Reset', 'When it begins anew, in UNIX seconds.'],
  ].map(([name, description]) => [name, { description, schema: { type: 'integer' } }]),
);

/** A guide is refused for the caller, the version or a fault of ours; nothing in it can be wrong. */
const GUIDE_STATUSES = [401, 404, 429, 500];

const pick = (responses: Record<string, object>, statuses: readonly number[]): Record<string, object> =>
  Object.fromEntries(Object.entries(responses).filter(([status]) => statuses.includes(Number(status))));

/** The OpenAPI document of the contracts, the oldest first. */
export function openApiDocument(contracts: readonly Contract[], options: OpenApiOptions): object {
  const errors = errorResponses(contracts);
  const every = (kind: string) => contracts.map(({ version }) => ref(`${kind}-${version}`));
  const answers = contracts.flatMap((contract) =>
    Object.keys(bodiesOf(contract).answers).map((kind) => ref(`${kind}-${contract.version}`)),
  );
  return {
    openapi: '3.1.1',
    info: {
      title: 'QAL analytics',
      version: contracts.at(-1)?.version ?? '',
      description:
        'A read-only query service over web-site measurement data: ask the guide, then send a query.',
    },
    servers: [{ url: options.server }],
    security: [{ applicationPassword: [] }],
    paths: {
      '/guide': {
        get: {
          operationId: 'guide',
          summary: 'What there is to ask, for this user.',
          parameters: [parameter('version')],
          responses: { 200: success('The guide.', every('guide')), ...pick(errors, GUIDE_STATUSES) },
        },
      },
      '/query': {
        post: {
          operationId: 'query',
          summary: 'Runs one QAL query.',
          parameters: [parameter('version'), parameter('envelope')],
          requestBody: {
            required: true,
            content: json(anyOf([...every('query'), ...contracts.map(wrapped)])),
          },
          responses: { 200: success('The table, or the count with count_only.', answers), ...errors },
        },
      },
    },
    components: {
      securitySchemes: {
        applicationPassword: {
          type: 'http',
          scheme: 'basic',
          description: 'Login and an application password; the login password is not accepted.',
        },
      },
      parameters: parametersOf(contracts),
      schemas: schemasOf(contracts, options.zones),
    },
  };
}

const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` });

const success = (description: string, schemas: readonly object[]) => ({
  description,
  headers: RATE_LIMIT_HEADERS,
  content: json(anyOf(schemas)),
});

/** The query below the key `qal`. */
const wrapped = ({ version }: Contract) => ({
  type: 'object',
  properties: { qal: ref(`query-${version}`) },
  required: ['qal'],
  additionalProperties: false,
});

/** A response for each status of the error table, with the codes that it stands for. */
function errorResponses(contracts: readonly Contract[]): Record<string, object> {
  const statuses = [...new Set(Object.values(ERRORS).map(({ status }) => status))].sort();
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = Object.entries(ERRORS).flatMap(([code, entry]) =>
        entry.status === status ? [code] : [],
      );
      const bodies = contracts.map(({ version }) => ref(`error-${version}`));
      const schema = status === 404 ? ref('invalid-version') : anyOf(bodies);
      return [status, { description: `One of ${codes.join(', ')}.`, content: json(schema) }];
    }),
  );
}

const parametersOf = (contracts: readonly Contract[]) => ({
  version: {
    name: 'version',
    in: 'query',
    description: 'The contract of the request.',
    schema: { type: 'string', enum: ['latest', 'oldest', ...contracts.map(({ version }) => version)] },
  },
  envelope: {
    name: 'envelope',
    in: 'query',
    description: 'The form of the answer at the newest contract; data gives one object per row.',
    schema: { type: 'string', enum: ['result', 'data'] },
  },
});

function schemasOf(
  contracts: readonly Contract[],
  zones: ReadonlySet<string> | undefined,
): Record<string, JsonSchema> {
  const ofContract = (contract: Contract): [string, JsonSchema][] => {
    const { answers, guide, error } = bodiesOf(contract);
    return [
      [`query-${contract.version}`, asPart(queryJsonSchema(contract, zones))],
      ...Object.entries({ ...answers, guide, error }).map(([kind, schema]): [string, JsonSchema] => [
        `${kind}-${contract.version}`,
        bodyJsonSchema(schema),
      ]),
    ];
  };
  return Object.fromEntries([
    ...contracts.flatMap(ofContract),
    ['invalid-version', bodyJsonSchema(INVALID_VERSION)],
  ]);
}

/** Read as input, objects stay open. */
function bodyJsonSchema(schema: z.ZodType): JsonSchema {
  return asPart(z.toJSONSchema(schema, { io: 'input' }));
}

/** Part of a document, a schema has no address and no dialect of its own. */
function asPart({ $schema: _dialect, $id: _address, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
