// /wp/v2/users, read-only and in WordPress's format. Users without list_users see only their own account, and cannot find out
// whether others exist.
import type { Knex } from 'knex';
import { z } from 'zod';
import { findAccount, type ListedUser, listUsers } from '../../accounts/accounts';
import {
  defineRoute,
  type HostRequest,
  type Refusal,
  type RouteDefinition,
  utcText,
} from '../../extension-api';
import { forbidden, hostError, refusalStatus } from '../host-error';

export const notLoggedIn = (): Refusal =>
  hostError(401, 'rest_not_logged_in', 'You are not currently logged in.');

export const invalidUserId = (): Refusal => hostError(404, 'rest_user_invalid_id', 'Invalid user ID.');

const cannotView = ({ user }: HostRequest): Refusal =>
  hostError(refusalStatus(user), 'rest_user_cannot_view', 'Sorry, you are not allowed to list users.');

/** The maximum value of a four-byte integer column. */
const MAX_ID = 2 ** 31 - 1;

export const accountOf = async (write: Knex, id: number): Promise<ListedUser | undefined> =>
  id <= MAX_ID ? findAccount(write, id) : undefined;

/** WordPress's format for UTC, without a suffix: `2026-05-11T08:30:00`. */
export const formatGmt = (instant: Date): string => utcText(instant, 'YYYY-MM-DDTHH:mm:ss');

/** The links of one relation in `_links`. */
export const links = z.array(z.object({ href: z.string() }));

const contextInput = {
  context: z
    .enum(['view', 'embed', 'edit'])
    .default('view')
    .describe('Scope under which the request is made; determines fields present in response.'),
};

const listInput = z.object({
  ...contextInput,
  page: z.int().min(1).default(1).describe('Current page.'),
  per_page: z.int().min(1).max(100).default(10).describe('Number of accounts per page.'),
  offset: z.int().min(0).optional().describe('Number of accounts to skip; overrides page.'),
  search: z.string().optional().describe('Part of a login, name or e-mail address, or a complete id.'),
  include: z.array(z.int()).optional().describe('Only accounts with these ids.'),
  exclude: z.array(z.int()).optional().describe('All accounts except those with these ids.'),
  slug: z.array(z.string()).optional().describe('Only accounts with these slugs.'),
  roles: z.array(z.string()).optional().describe('Only accounts with one of these roles.'),
  orderby: z
    .enum(['id', 'name', 'slug', 'email', 'registered_date', 'include', 'include_slugs'])
    .default('name')
    .describe('Sort key of the list.'),
  order: z.enum(['asc', 'desc']).default('asc').describe('Ascending or descending.'),
});
type ListInput = z.output<typeof listInput>;

/** `meta` is absent in the embed context; the fields from `username` on are present only in the edit context. */
const userOutput = z.object({
  id: z.int(),
  name: z.string(),
  url: z.string(),
  description: z.string(),
  link: z.string(),
  slug: z.string(),
  /** Always empty: in WordPress these are links to a third party. */
  avatar_urls: z.strictObject({}),
  meta: z.object({ timezone: z.string() }).optional(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  nickname: z.string().optional(),
  email: z.string().optional(),
  locale: z.string().optional(),
  registered_date: z.string().optional(),
  roles: z.array(z.string()).optional(),
  capabilities: z.record(z.string(), z.boolean()).optional(),
  extra_capabilities: z.record(z.string(), z.boolean()).optional(),
  _links: z.object({ self: links, collection: links }),
});

const slugOf = (login: string) => login.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');

/** Sort keys. `include` and `include_slugs` keep the requested order. */
const ORDERS: Record<ListInput['orderby'], (account: ListedUser, input: ListInput) => number | string> = {
  id: ({ id }) => id,
  name: ({ displayName }) => displayName.toLowerCase(),
  slug: ({ login }) => slugOf(login),
  email: ({ email }) => (email ?? '').toLowerCase(),
  registered_date: ({ createdAt }) => createdAt.getTime(),
  include: ({ id }, { include = [] }) => include.indexOf(id),
  include_slugs: ({ login }, { slug = [] }) => slug.indexOf(slugOf(login)),
};

function matches({ id, login, displayName, email }: ListedUser, search: string): boolean {
  const part = search.trim().toLowerCase();
  return (
    String(id) === part ||
    [login, displayName, email ?? '', slugOf(login)].some((text) => text.toLowerCase().includes(part))
  );
}

/** Filters and sorts, without paging. */
function selectAccounts(accounts: readonly ListedUser[], input: ListInput): readonly ListedUser[] {
  const { include, exclude, slug, roles, search = '', orderby, order } = input;
  const sign = order === 'desc' ? -1 : 1;
  return accounts
    .filter(
      (account) =>
        include?.includes(account.id) !== false &&
        exclude?.includes(account.id) !== true &&
        slug?.includes(slugOf(account.login)) !== false &&
        roles?.includes(account.role) !== false &&
        matches(account, search),
    )
    .map((account) => ({ account, key: ORDERS[orderby](account, input) }))
    .sort((one, other) => {
      if (one.key === other.key) return sign * (one.account.id - other.account.id);
      return one.key < other.key ? -sign : sign;
    })
    .map(({ account }) => account);
}

/**
 * The Link header, as in WordPress: past the end, `prev` is the last page. Unlike in WordPress, if a list has an `offset`,
 * which overrides `page`, its links have a different one: otherwise they would lead to the same rows.
 */
function pageLinks(
  { restRoot, search }: HostRequest,
  { page, per_page: size, offset }: ListInput,
  total: number,
): string {
  const start = offset ?? (page - 1) * size;
  const last = (Math.ceil(total / size) - 1) * size;
  const neighbors = { prev: Math.min(start - size, last), next: start + size };
  return Object.entries(neighbors)
    .filter(([, first]) => first >= 0 && first < total)
    .map(([relation, first]) => {
      const query = new URLSearchParams(search);
      if (offset === undefined) query.set('page', String(first / size + 1));
      else query.set('offset', String(first));
      return `<${restRoot}wp/v2/users?${query}>; rel="${relation}"`;
    })
    .join(', ');
}

function userItem(
  account: ListedUser,
  context: ListInput['context'],
  { user, home, restRoot }: HostRequest,
): z.input<typeof userOutput> {
  const { id, login, displayName, role, email, timezone, createdAt } = account;
  const users = `${restRoot}wp/v2/users`;
  const item = {
    id,
    name: displayName,
    url: '',
    description: '',
    link: `${home}/?author=${id}`,
    slug: slugOf(login),
    avatar_urls: {},
    ...(context !== 'embed' && { meta: { timezone } }),
    _links: { self: [{ href: `${users}/${id}` }], collection: [{ href: users }] },
  };
  if (context !== 'edit') return item;
  // A restricted key sees no e-mail addresses, and sees the capabilities without the role.
  const restricted = user?.key?.restricted === true;
  const capabilities = id === user?.id ? user.capabilities : account.capabilities;
  const ofRole = restricted ? [] : [role];
  return {
    ...item,
    username: login,
    first_name: '',
    last_name: '',
    nickname: displayName,
    email: restricted ? '' : (email ?? ''),
    locale: 'en_US',
    registered_date: `${formatGmt(createdAt)}+00:00`,
    roles: [role],
    capabilities: Object.fromEntries([...capabilities, ...ofRole].map((name) => [name, true])),
    extra_capabilities: Object.fromEntries(ofRole.map((name) => [name, true])),
  };
}

export function usersRoutes({ write }: { readonly write: Knex }): readonly RouteDefinition[] {
  const reading = { methods: ['GET'], rateLimit: 'none', checkedBy: 'host' } as const;
  const oneUser = { 200: userOutput };

  async function showOne(id: number, context: ListInput['context'], request: HostRequest) {
    const account = await accountOf(write, id);
    return account === undefined
      ? invalidUserId()
      : ({ status: 200, body: userItem(account, context, request) } as const);
  }

  return [
    defineRoute({
      ...reading,
      path: '/users',
      summary: 'The accounts.',
      input: listInput,
      output: { 200: z.array(userOutput) },
      permission: ({ capabilities }) => capabilities.includes('list_users'),
      refuse: ({ user }) => forbidden(user),
      async handle(request) {
        const { page, per_page: size, offset = (page - 1) * size, context } = request.values;
        const found = selectAccounts(await listUsers(write), request.values);
        const neighbors = pageLinks(request, request.values, found.length);
        return {
          status: 200,
          headers: {
            'X-WP-Total': String(found.length),
            'X-WP-TotalPages': String(Math.ceil(found.length / size)),
            ...(neighbors !== '' && { Link: neighbors }),
          },
          body: found.slice(offset, offset + size).map((account) => userItem(account, context, request)),
        };
      },
    }),
    defineRoute({
      ...reading,
      path: '/users/me',
      summary: 'The caller’s account.',
      input: z.object(contextInput),
      output: oneUser,
      permission: 'logged-in',
      refuse: notLoggedIn,
      handle: async (request) =>
        request.user === null ? notLoggedIn() : showOne(request.user.id, request.values.context, request),
    }),
    defineRoute({
      ...reading,
      path: '/users/{id}',
      summary: 'One account.',
      input: z.object({ id: z.int().describe('Id of the account.'), ...contextInput }),
      output: oneUser,
      permission: ({ id, capabilities }, params) =>
        Number(params.id) === id || capabilities.includes('list_users'),
      refuse: cannotView,
      handle: (request) => showOne(request.values.id, request.values.context, request),
    }),
  ];
}
