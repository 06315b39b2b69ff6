// /wp/v2/users: who calls, one account, and all of them. Reading only: accounts are changed on the pages.
// Whoever may not list accounts sees their own, and is not told whether another one exists.

import type { Knex } from 'knex';
import type { ListedUser } from '../../auth/account-list';
import { CAPABILITIES } from '../../auth/roles';
import { findAccount, listUsers } from '../../auth/users';
import type { HostRequest, HostResponse, RouteArgument, RouteDefinition } from '../../extension-api';
import type { HostParts } from '../../load-host';
import { forbidden, hostError, refusalStatus } from '../host-error';
import { numberIn, textIn } from './typed-values';
import { CONTEXTS, userItem } from './user-item';
import { chooseAccounts, LIST_ARGS } from './user-list';

const CONTEXT: Record<'context', RouteArgument> = {
  context: {
    type: 'string',
    description: 'Scope under which the request is made; determines fields present in response.',
    required: false,
    enum: CONTEXTS,
    default: 'view',
  },
};

export const notLoggedIn = (): HostResponse =>
  hostError(401, 'rest_not_logged_in', 'You are not currently logged in.');

export const invalidUserId = (): HostResponse => hostError(404, 'rest_user_invalid_id', 'Invalid user ID.');

/** The greatest number that the database can keep: a column of four bytes, with a sign. */
const GREATEST_ID = 2 ** 31 - 1;

/** The account of this number; a number beyond all that there can be is nobody's. */
export const accountOf = async (write: Knex, id: number): Promise<ListedUser | undefined> =>
  id <= GREATEST_ID ? findAccount(write, id) : undefined;

const mayNotView = ({ user }: HostRequest): HostResponse =>
  hostError(refusalStatus(user), 'rest_user_cannot_view', 'Sorry, you are not allowed to list users.');

function show(account: ListedUser, request: HostRequest): object {
  const { user, values } = request;
  const capabilities = account.id === user?.id ? user.capabilities : CAPABILITIES[account.role];
  const restricted = user?.key?.restricted === true;
  return userItem(
    account,
    { context: textIn(values, 'context') ?? 'view', capabilities, restricted },
    request,
  );
}

/** As WordPress: the neighbours of a page of a list, for the header Link; before one beyond the end is the last. */
function pageLinks({ restRoot, search }: HostRequest, page: number, pages: number): string {
  const neighbours: readonly (readonly [string, number])[] = [
    ['prev', Math.min(page - 1, pages)],
    ['next', page + 1],
  ];
  return neighbours
    .filter(([, number]) => number >= 1 && number <= pages)
    .map(([relation, number]) => {
      const asked = new URLSearchParams(search);
      asked.set('page', String(number));
      return `<${restRoot}wp/v2/users?${asked}>; rel="${relation}"`;
    })
    .join(', ');
}

function listPage(accounts: readonly ListedUser[], request: HostRequest): HostResponse {
  const { values } = request;
  const found = chooseAccounts(accounts, values);
  const size = numberIn(values, 'per_page') ?? found.length;
  const page = numberIn(values, 'page') ?? 1;
  const first = numberIn(values, 'offset') ?? (page - 1) * size;
  const pages = Math.ceil(found.length / size);
  const links = pageLinks(request, page, pages);
  return {
    status: 200,
    headers: {
      'X-WP-Total': String(found.length),
      'X-WP-TotalPages': String(pages),
      ...(links !== '' && { Link: links }),
    },
    body: found.slice(first, first + size).map((account) => show(account, request)),
  };
}

export function usersRoutes({ database }: HostParts): readonly RouteDefinition[] {
  const reading = { methods: ['GET'], rateLimit: 'none', input: 'parameters' } as const;

  async function showOne(id: number, request: HostRequest): Promise<HostResponse> {
    const account = await accountOf(database.write, id);
    return account === undefined ? invalidUserId() : { status: 200, body: show(account, request) };
  }

  return [
    {
      ...reading,
      path: '/users',
      summary: 'The accounts.',
      args: { ...CONTEXT, ...LIST_ARGS },
      permission: ({ capabilities }) => capabilities.includes('list_users'),
      refuse: ({ user }) => forbidden(user),
      handle: async (request) => listPage(await listUsers(database.write), request),
    },
    {
      ...reading,
      path: '/users/me',
      summary: 'The account that calls.',
      args: CONTEXT,
      permission: 'logged-in',
      refuse: notLoggedIn,
      handle: async (request) => (request.user === null ? notLoggedIn() : showOne(request.user.id, request)),
    },
    {
      ...reading,
      path: '/users/{id}',
      params: { id: '[\\d]+' },
      summary: 'One account.',
      args: { id: { type: 'integer', description: 'Number of the account.', required: true }, ...CONTEXT },
      permission: ({ id, capabilities }, params) =>
        Number(params.id) === id || capabilities.includes('list_users'),
      refuse: mayNotView,
      handle: (request) => showOne(Number(request.params.id), request),
    },
  ];
}
