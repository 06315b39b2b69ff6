// The two routes of the query service as data: parameters and responses, for the host, the OpenAPI document and the tests.
import { z } from 'zod';
import { ERRORS } from '../../language/errors/error-table';
import { csvSchema, formatSchema } from '../answer-formats/format-names';
import { type Bodies, envelopeSchema, type InstalledContract } from '../contracts/contract';
import { INVALID_VERSION } from '../contracts/response-parts';
import { GUIDE_PARTS } from '../guide/guide';

/** The parameter by which a request chooses its contract. */
export const versionInput = {
  version: z.string().optional().describe('The contract of the request: latest, oldest or its date.'),
};

export const GUIDE = {
  path: '/guide',
  methods: ['GET'],
  summary: 'Tells the sites, features, materials and rules: call it first.',
  input: z.object({
    ...versionInput,
    parts: z
      .string()
      .optional()
      .describe(`Only these parts, with commas between: ${Object.keys(GUIDE_PARTS).join(', ')}.`),
    material: z
      .string()
      .optional()
      .describe('Only these materials, with commas between, of the part materials.'),
  }),
} as const;

/** All parameters are in the URL, except `qal`, which is the body or a key in it. */
export const QUERY = {
  path: '/query',
  methods: ['POST'],
  summary: 'Runs one QAL query and answers with its table.',
  input: z.object({
    ...versionInput,
    envelope: envelopeSchema
      .optional()
      .describe('The form of the response at the newest contract; data gives one object per row.'),
    check: z
      .enum(['1', '0'])
      .optional()
      .describe('1: tells all faults and what the query would read, without running it.'),
    format: formatSchema
      .optional()
      .describe(
        'The format of the rows; without it the header Accept says it, and json is the default. Errors are always JSON.',
      ),
    csv: csvSchema
      .optional()
      .describe(
        'CSV for a spreadsheet: with a byte order mark, and with texts that it would run as formulas quoted.',
      ),
    qal: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The query; the bare query as the body is accepted too.'),
  }),
} as const;

/** The statuses of all errors, in order. */
export const ERROR_STATUSES: readonly number[] = [
  ...new Set(Object.values(ERRORS).map(({ status }) => status)),
].sort();

/** What a route answers under any of the contracts, by status; `success` picks the bodies of 200. */
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
