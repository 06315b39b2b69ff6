// Parameters and responses of the query service's two routes, for the host, the OpenAPI document and the tests.
import { z } from 'zod';
import { ERRORS } from '../../language/errors/error-table';
import { csvSchema, formatSchema } from '../answer-formats/format-names';
import { type Bodies, envelopeSchema, type InstalledContract } from '../contracts/contract';
import { INVALID_VERSION } from '../contracts/response-parts';
import { GUIDE_PARTS } from '../guide/guide';

export const versionInput = {
  version: z.string().optional().describe('The contract for the request: latest, oldest or its date.'),
};

/** The input of a route that receives a query in its body. */
export const queryInput = {
  ...versionInput,
  qal: z.record(z.string(), z.unknown()).optional().describe('The query; it may also be the body itself.'),
};

export const GUIDE = {
  path: '/guide',
  methods: ['GET'],
  summary: 'Describes the sites, features, materials and rules. Call it first.',
  input: z.object({
    ...versionInput,
    parts: z
      .string()
      .optional()
      .describe(`Only these parts, separated by commas: ${Object.keys(GUIDE_PARTS).join(', ')}.`),
    material: z
      .string()
      .optional()
      .describe('In the `materials` part, only these materials, separated by commas.'),
  }),
} as const;

/** `qal` is the body itself or a key in it. All other parameters are in the URL. */
export const QUERY = {
  path: '/query',
  methods: ['POST'],
  summary: 'Runs a QAL query and returns its table.',
  input: z.object({
    ...queryInput,
    envelope: envelopeSchema
      .optional()
      .describe('The form of the response under the newest contract; `data` returns one object per row.'),
    check: z
      .enum(['1', '0'])
      .optional()
      .describe('1: reports all errors and what the query would read, without running it.'),
    format: formatSchema
      .optional()
      .describe(
        'The format of the rows. By default, the Accept header decides; if it has no preference, json. Errors are always JSON.',
      ),
    csv: csvSchema
      .optional()
      .describe(
        'CSV for a spreadsheet: with a byte order mark, and with an apostrophe before text that it would run as a formula.',
      ),
  }),
} as const;

export const ERROR_STATUSES: readonly number[] = [
  ...new Set(Object.values(ERRORS).map(({ status }) => status)),
].sort();

/** The response schemas of a route under all contracts, by status; `success` selects those for 200. */
export const outputOf = (
  contracts: readonly InstalledContract[],
  success: (bodies: Bodies) => readonly z.ZodType[],
): Readonly<Record<number, z.ZodType>> => {
  const errors = z.union(contracts.map(({ format }) => format.bodies.error));
  return {
    ...Object.fromEntries(ERROR_STATUSES.map((status) => [status, errors])),
    404: INVALID_VERSION,
    200: z.union(contracts.flatMap(({ format }) => success(format.bodies))),
  };
};
