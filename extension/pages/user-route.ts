// Helpers for routes that handle the items that users save. They check an item's id and revision, and the fields in a request body.
import { z } from 'zod';
import type { HostRequest, HostResponse } from '../../host-shim/extension-api';
import { type FieldFault, faultsOf, siteFault } from '../data/storage/field-faults';
import { parsedJson } from '../language/types/json';
import { refuse } from './page-route';

/** Longer numbers may not fit in the column's type. */
const STORED_ID = /^\d{1,9}$/;

/** Returns undefined if no item can have this id. */
export const storedId = ({ params: { id = '' } }: HostRequest): number | undefined =>
  STORED_ID.test(id) ? Number(id) : undefined;

/** The next revision must also fit in the column's type. */
const MAX_REVISION = 2_147_483_646;
export const revisionSeen = z.int().min(1).max(MAX_REVISION).describe('The revision that was opened.');

/** Passes on the revision that the user saw, so that an item that has changed since then is not deleted. */
export async function withRevision(
  what: string,
  { query }: HostRequest,
  remove: (revision: number) => Promise<HostResponse>,
): Promise<HostResponse> {
  const seen = revisionSeen.safeParse(Number(query.revision));
  if (seen.success) return remove(seen.data);
  return refuse(400, `The parameter "revision" must be the revision of the ${what} that you opened.`);
}

/** `what` names the item in errors, such as `saved query`. */
export async function withFields<Schema extends z.ZodType>(
  { schema, what }: { readonly schema: Schema; readonly what: string },
  body: string,
  save: (fields: z.output<Schema>) => Promise<HostResponse>,
): Promise<HostResponse> {
  const read = schema.safeParse(parsedJson(body), { error: fieldFault });
  if (read.success) return save(read.data);
  const inWords = ({ path, message }: FieldFault) =>
    path === '' ? `The body is not a ${what}: ${message}.` : `The field "${path}" ${message}.`;
  return refuse(400, faultsOf(read.error).map(inWords).join(' '));
}

/** Errors about the body as a whole keep zod's messages. */
const fieldFault: typeof siteFault = (issue) => (issue.path?.length ? siteFault(issue) : undefined);
