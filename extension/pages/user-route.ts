// Routes for what users save: an id names one thing, and a body has its fields.
import { z } from 'zod';
import type { HostRequest, HostResponse } from '../../host-shim/extension-api';
import { type FieldFault, faultsOf, siteFault } from '../data/storage/field-faults';
import { parsedJson } from '../language/types/json';
import { refuse } from './page-route';

/** Larger numbers exceed the column's type. */
const STORED_ID = /^\d{1,9}$/;

/** undefined if nothing can have this id. */
export const storedId = ({ params: { id = '' } }: HostRequest): number | undefined =>
  STORED_ID.test(id) ? Number(id) : undefined;

/** Limit of the column's type. */
const MOST_REVISIONS = 2_147_483_646;
export const revisionSeen = z.int().min(1).max(MOST_REVISIONS).describe('The revision that was opened.');

/** Only what the user saw is deleted. */
export async function withRevision(
  what: string,
  { query }: HostRequest,
  remove: (revision: number) => Promise<HostResponse>,
): Promise<HostResponse> {
  const seen = revisionSeen.safeParse(Number(query.revision));
  if (seen.success) return remove(seen.data);
  return refuse(400, `The parameter "revision" must be that of the ${what} as you saw it.`);
}

/** `what` names the thing in errors: `saved query`. */
export async function withFields<Schema extends z.ZodType>(
  { schema, what }: { readonly schema: Schema; readonly what: string },
  body: string,
  save: (fields: z.output<Schema>) => Promise<HostResponse>,
): Promise<HostResponse> {
  const read = schema.safeParse(parsedJson(body), { error: fieldFault });
  if (read.success) return save(read.data);
  const inWords = ({ path, message }: FieldFault) =>
    path === '' ? `The body is not a ${what}: ${message}.` : `The ${path} ${message}.`;
  return refuse(400, faultsOf(read.error).map(inWords).join(' '));
}

/** Uses zod's messages for the whole body. */
const fieldFault: typeof siteFault = (issue) => (issue.path?.length ? siteFault(issue) : undefined);
