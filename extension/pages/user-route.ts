// Routes for what users save: a user calls them, an id names one thing, and a body has its fields.
import type { z } from 'zod';
import type { HostRequest, HostResponse, HostUser } from '../../host-shim/extension-api';
import { type FieldFault, faultsOf, siteFault } from '../data/storage/field-faults';
import { parsedJson } from '../language/types/json';
import { type PageRoute, refuse } from './page-route';

export type ForUser = (user: HostUser, request: HostRequest) => Promise<HostResponse>;

/** The permission of the route requires a user. */
export const forUser =
  (handle: ForUser): PageRoute['handle'] =>
  (request) => {
    if (request.user === null) throw new Error('A route of the pages was called without a user.');
    return handle(request.user, request);
  };

/** Larger numbers exceed the column's type. */
const STORED_ID = /^\d{1,9}$/;

/** undefined if nothing can have this id. */
export const storedId = ({ params: { id = '' } }: HostRequest): number | undefined =>
  STORED_ID.test(id) ? Number(id) : undefined;

/** `what` names the thing in errors: `saved query`. */
export async function withFields<Fields>(
  { schema, what }: { readonly schema: z.ZodType<Fields>; readonly what: string },
  body: string,
  save: (fields: Fields) => Promise<HostResponse>,
): Promise<HostResponse> {
  const read = schema.safeParse(parsedJson(body), { error: fieldFault });
  if (read.success) return save(read.data);
  const inWords = ({ path, message }: FieldFault) =>
    path === '' ? `The body is not a ${what}: ${message}.` : `The ${path} ${message}.`;
  return refuse(400, faultsOf(read.error).map(inWords).join(' '));
}

/** Uses zod's messages for the whole body. */
const fieldFault: typeof siteFault = (issue) => (issue.path?.length ? siteFault(issue) : undefined);
