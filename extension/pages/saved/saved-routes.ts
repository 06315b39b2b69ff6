// Shared by the routes for saved queries and segments.
import { z } from 'zod';
import type { HostRequest, HostResponse, HostUser } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { type PageRoute, refuse } from '../page-route';
import type { Saved } from '../shared-types/saved-types';
import { revisionSeen, storedId, withFields, withRevision } from '../user-route';
import type { Columns, SavedRows, SaveResult } from './saved-rows';

type Refusals = Readonly<
  Record<
    Exclude<SaveResult<unknown>['kind'], 'saved' | 'no-account'>,
    readonly [status: 403 | 409, message: string]
  >
>;

/** The response in a session whose account has been deleted. */
const NO_ACCOUNT = refuse(403, 'Your account was deleted.');

export function answerResult(result: SaveResult<object>, refusals: Refusals): HostResponse {
  if (result.kind === 'saved') return { status: 200, body: result.stored };
  return result.kind === 'no-account' ? NO_ACCOUNT : refuse(...refusals[result.kind]);
}

export const idOf = (what: string) => z.int().describe(`Id of the ${what}.`);

interface OnSaved<Found> {
  /** What one row is called in messages. */
  readonly what: string;
  find(user: HostUser, id: number): Promise<Found | undefined>;
}

/** Handles a request for one row, if the user may open the row. */
export const onSaved =
  <Found>(
    { what, find }: OnSaved<Found>,
    handle: (found: Found, request: HostRequest, user: HostUser) => Promise<HostResponse>,
  ): PageRoute['handle'] =>
  async (request, user) => {
    const id = storedId(request);
    const found = id === undefined ? undefined : await find(user, id);
    if (found !== undefined) return handle(found, request, user);
    return refuse(
      404,
      `There is no ${what} ${request.params.id}: it was deleted, or its owner does not share it.`,
    );
  };

interface ChangeRoutes<Stored extends Saved, Changes extends z.ZodObject> extends OnSaved<Stored> {
  readonly one: Pick<PageRoute, 'path' | 'capability'>;
  readonly rows: Pick<SavedRows<Stored>, 'change' | 'remove'>;
  /** The content that can be changed, as named in the route's summary. */
  readonly changeable: string;
  readonly changes: Changes;
  /** Checks what the schema cannot. Returns an error response, or undefined if the changes are allowed. */
  check(user: HostUser, changes: z.output<Changes>): HostResponse | undefined;
  columnsOf(changes: z.output<Changes>): Columns & { readonly revision: number };
  readonly refusals: Refusals;
}

/** The routes that change and delete a row. */
export function changeRoutes<Stored extends Saved, Changes extends z.ZodObject>(
  { host }: Pick<Analytics, 'host'>,
  { what, one, rows, find, changeable, changes, check, columnsOf, refusals }: ChangeRoutes<Stored, Changes>,
): readonly PageRoute[] {
  const { write } = host.database;
  const id = idOf(what);
  return [
    {
      ...one,
      methods: ['POST'],
      summary: `Changes the name, ${changeable} or the sharing of a ${what}.`,
      input: changes.extend({ id }),
      handle: onSaved({ what, find }, (stored, { body }, user) =>
        withFields(
          { schema: changes, what },
          body,
          async (fields) =>
            check(user, fields) ??
            answerResult(await rows.change(write, user, stored, columnsOf(fields)), refusals),
        ),
      ),
    },
    {
      ...one,
      methods: ['DELETE'],
      summary: `Deletes a ${what}.`,
      input: z.object({ id, revision: revisionSeen }),
      handle: onSaved({ what, find }, (stored, request) =>
        withRevision(what, request, async (revision) =>
          answerResult(await rows.remove(write, stored, revision), refusals),
        ),
      ),
    },
  ];
}
