// The two routes of the query service as data: the host, the OpenAPI document and the tests read their parameters here.
import { z } from 'zod';
import { envelopeSchema } from '../contracts/contract';

/** The parameter by which a request chooses its contract. */
export const versionInput = {
  version: z.string().optional().describe('The contract of the request: latest, oldest or its date.'),
};

export const GUIDE = {
  path: '/guide',
  methods: ['GET'],
  summary: 'Tells the sites, features, materials and rules: call it first.',
  input: z.object(versionInput),
} as const;

/** All parameters stand in the address, but for `qal`, which is the body or a key of it. */
export const QUERY = {
  path: '/query',
  methods: ['POST'],
  summary: 'Runs one QAL query and answers with its table.',
  input: z.object({
    ...versionInput,
    envelope: envelopeSchema
      .optional()
      .describe('The form of the response at the newest contract; data gives one object per row.'),
    qal: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The query; the bare query as the body is accepted too.'),
  }),
} as const;
