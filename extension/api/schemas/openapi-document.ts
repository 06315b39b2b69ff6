// The OpenAPI document of the query service. It describes all installed contracts, so a body matches one of several schemas.
import { ERRORS } from '../../language/errors/error-table';
import { ANSWER_HEADERS } from '../answer-formats/answer-headers';
import { MEDIA_TYPES, STREAMED_FORMATS } from '../answer-formats/format-names';
import type { InstalledContract } from '../contracts/contract';
import { INVALID_VERSION } from '../contracts/response-parts';
import { ERROR_STATUSES, GUIDE, QUERY } from './api-routes';
import {
  asComponentNamed,
  bodyJsonSchema,
  jsonContent,
  openApi,
  parametersOf as parametersOfRoute,
} from './open-api';
import { type JsonSchema, queryJsonSchema } from './query-json-schema';

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schemas: readonly object[]) => {
  const [only = {}] = schemas;
  return jsonContent(schemas.length === 1 ? only : { anyOf: schemas });
};

const RATE_LIMIT_HEADERS = Object.fromEntries(
  [
    [
      'X-RateLimit-Limit',
      'Number of requests allowed in the time window, a minute or an hour, that has the fewest requests left.',
    ],
    ['X-RateLimit-Remaining', 'Number of requests left in that window.'],
    ['X-RateLimit-Reset', 'When the next window starts, in Unix seconds.'],
  ].map(([name, description]) => [name, { description, schema: { type: 'integer' } }]),
);

const GUIDE_STATUSES = [400, 401, 404, 429, 500, 503];

const STREAMED_CONTENT = Object.fromEntries(
  STREAMED_FORMATS.map((format) => [
    MEDIA_TYPES[format],
    { schema: format === 'parquet' ? { type: 'string', format: 'binary' } : { type: 'string' } },
  ]),
);

/** `server` may be an address relative to the document's. */
export function openApiDocument(
  contracts: readonly InstalledContract[],
  { server, zones }: { readonly server: string; readonly zones?: ReadonlySet<string> },
): object {
  const each = (kind: string) => contracts.map(({ version }) => schemaRef(`${kind}-${version}`));
  const answers = contracts.flatMap(({ version, format }) =>
    Object.keys(format.bodies.answers).map((kind) => schemaRef(`${kind}-${version}`)),
  );
  const guides = contracts.flatMap(({ version, format }) => [
    schemaRef(`guide-${version}`),
    ...(format.bodies.guideParts === undefined ? [] : [schemaRef(`guide-parts-${version}`)]),
  ]);
  const parameters = parametersOf(contracts);
  const operation = (route: typeof GUIDE | typeof QUERY, success: string, bodies: readonly object[]) => ({
    route,
    operationId: route.path.slice(1),
    parameters: Object.keys(parameters).flatMap((name) =>
      name in route.input.shape ? [{ $ref: `#/components/parameters/${name}` }] : [],
    ),
    responses: {
      200: { description: success, headers: RATE_LIMIT_HEADERS, content: json(bodies) },
      ...errorResponses(contracts, route === GUIDE ? GUIDE_STATUSES : undefined),
    },
  });
  const guide = operation(GUIDE, 'The guide, or the requested parts.', guides);
  const query = operation(QUERY, 'The table, or with count_only the number of rows.', answers);
  const { 200: success } = query.responses;
  return openApi({
    info: {
      title: 'QAL analytics',
      version: contracts.at(-1)?.version ?? '',
      description: 'A read-only query service for web analytics data. Read the guide, then send a query.',
    },
    server,
    operations: [
      { ...guide, responses: { ...guide.responses, ...NOT_MODIFIED } },
      {
        ...query,
        responses: {
          ...query.responses,
          200: {
            ...success,
            headers: { ...success.headers, ...ANSWER_HEADERS },
            content: { ...success.content, ...STREAMED_CONTENT },
          },
        },
        requestBody: { required: true, content: json([...each('query'), ...each('query').map(wrapped)]) },
      },
    ],
    components: { parameters, schemas: schemasOf(contracts, zones) },
  });
}

const NOT_MODIFIED = { 304: { description: 'The guide still has the revision in If-None-Match.' } };

const wrapped = (query: object) => ({
  type: 'object',
  properties: { qal: query },
  required: ['qal'],
  additionalProperties: false,
});

function errorResponses(contracts: readonly InstalledContract[], only: readonly number[] | undefined) {
  const bodies = contracts.map(({ version }) => schemaRef(`error-${version}`));
  return Object.fromEntries(
    ERROR_STATUSES.filter((status) => only === undefined || only.includes(status)).map((status) => {
      const codes = Object.entries(ERRORS).flatMap(([code, entry]) =>
        entry.status === status ? [code] : [],
      );
      const content = json(status === 404 ? [schemaRef('invalid-version')] : bodies);
      return [status, { description: `One of ${codes.join(', ')}.`, content }];
    }),
  );
}

/** The parameters of both routes by name; `version` also lists its possible values. */
function parametersOf(contracts: readonly InstalledContract[]): Record<string, object> {
  const versions = ['latest', 'oldest', ...contracts.map(({ version }) => version)];
  const { version, ...others } = parametersOfRoute({
    path: '',
    input: GUIDE.input.extend(QUERY.input.shape).omit({ qal: true }),
  });
  return { version: { ...version, schema: { ...version?.schema, enum: versions } }, ...others };
}

function schemasOf(
  contracts: readonly InstalledContract[],
  zones: ReadonlySet<string> | undefined,
): Record<string, JsonSchema> {
  const ofContract = (contract: InstalledContract): [string, JsonSchema][] => {
    const { answers, guide, guideParts, error } = contract.format.bodies;
    const guides = guideParts === undefined ? { guide } : { guide, 'guide-parts': guideParts };
    const query = `query-${contract.version}`;
    return [
      [query, asComponentNamed(query, queryJsonSchema(contract, zones))],
      ...Object.entries({ ...answers, ...guides, error }).map(([kind, body]): [string, JsonSchema] => [
        `${kind}-${contract.version}`,
        bodyJsonSchema(body),
      ]),
    ];
  };
  return Object.fromEntries([
    ...contracts.flatMap(ofContract),
    ['invalid-version', bodyJsonSchema(INVALID_VERSION)],
  ]);
}
