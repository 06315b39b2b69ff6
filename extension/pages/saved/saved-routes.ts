// What the routes for saved queries and segments have in common.
import { z } from 'zod';
import type { HostResponse, HostUser } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { type PageRoute, refuse } from '../page-route';
import type { Saved } from '../shared-types/saved-types';
import { type ForUser, forUser, storedId, withFields } from '../user-route';
import { type Columns, revisionSeen, type SavedRows, type SaveResult } from './saved-rows';

type Refusals = Readonly<
  Record<
    Exclude<SaveResult<unknown>['kind'], 'saved' | 'no-account'>,
    readonly [status: 403 | 409, message: string]
  >
>;

/** The session began before that. */
const NO_ACCOUNT = refuse(403, 'Your account was deleted.');

export function answerResult(result: SaveResult<object>, refusals: Refusals): HostResponse {
  if (result.kind === 'saved') return { status: 200, body: result.stored };
  return result.kind === 'no-account' ? NO_ACCOUNT : refuse(...refusals[result.kind]);
}

interface OnSaved<Found> {
  /** What messages call one row. */
  readonly what: string;
  find(...[user, request, id]: [...Parameters<ForUser>, number]): Promise<Found | undefined>;
}

/** A route for one row, if the user may open it. */
export const onSaved = <Found>(
  { what, find }: OnSaved<Found>,
  handle: (found: Found, ...rest: Parameters<ForUser>) => Promise<HostResponse>,
): PageRoute['handle'] =>
  forUser(async (user, request) => {
    const id = storedId(request);
    const found = id === undefined ? undefined : await find(user, request, id);
    if (found !== undefined) return handle(found, user, request);
    return refuse(
      404,
      `There is no ${what} ${request.params.id}: it was deleted, or its owner does not share it.`,
    );
  });

interface ChangeRoutes<Stored extends Saved, Changes> extends OnSaved<Stored> {
  readonly one: Pick<PageRoute, 'path' | 'capability'>;
  readonly id: z.ZodType;
  readonly rows: Pick<SavedRows<Stored>, 'change' | 'remove'>;
  /** What can be changed, for the description of the route. */
  readonly changeable: string;
  readonly changes: z.ZodType<Changes>;
  /** Input of the route: the changes and the id. */
  readonly input: PageRoute['input'];
  /** What is wrong with a combination of fields, each of which is valid. */
  check(user: HostUser, changes: Changes): HostResponse | undefined;
  columnsOf(changes: Changes): Columns & { readonly revision: number };
  readonly refusals: Refusals;
}

/** The routes that change and delete a row. */
export function changeRoutes<Stored extends Saved, Changes>(
  { host }: Pick<Analytics, 'host'>,
  {
    what,
    one,
    id,
    rows,
    find,
    changeable,
    changes,
    input,
    check,
    columnsOf,
    refusals,
  }: ChangeRoutes<Stored, Changes>,
): readonly PageRoute[] {
  const { write } = host.database;
  return [
    {
      ...one,
      methods: ['POST'],
      summary: `Changes the name, ${changeable} or the sharing of a ${what}.`,
      input,
      handle: onSaved({ what, find }, (stored, user, { body }) =>
        withFields<Changes>(
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
      handle: onSaved({ what, find }, async (stored, _user, { query }) => {
        const seen = revisionSeen.safeParse(Number(query.revision));
        if (seen.success) return answerResult(await rows.remove(write, stored, seen.data), refusals);
        return refuse(400, `The parameter "revision" must be that of the ${what} as you saw it.`);
      }),
    },
  ];
}
