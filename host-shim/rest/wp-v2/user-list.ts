// Which accounts a list shows, and in which order: the parameters of WordPress's collection of users.
// Accounts and the values of a call -> the accounts that fit, all pages of them. What is not asked for leaves nobody out.
import type { ListedUser } from '../../auth/account-list';
import type { RouteArgument } from '../../extension-api';
import type { Values } from '../read-values';
import { numbersIn, textIn, textsIn } from './typed-values';
import { slugOf } from './user-item';

const number = (description: string, more: Partial<RouteArgument>): RouteArgument => ({
  type: 'integer',
  description,
  required: false,
  ...more,
});
const list = (description: string, type: 'string' | 'integer'): RouteArgument => ({
  type: 'array',
  items: { type },
  description,
  required: false,
});

/** What orders a list -> of an account, what is compared. */
const ORDERS = {
  id: ({ id }) => id,
  name: ({ displayName }) => displayName.toLowerCase(),
  slug: ({ login }) => slugOf(login),
  email: ({ email }) => (email ?? '').toLowerCase(),
  registered_date: ({ createdAt }) => createdAt.getTime(),
} satisfies Record<string, (account: ListedUser) => number | string>;
const isOrder = (name: string): name is keyof typeof ORDERS => Object.hasOwn(ORDERS, name);

/** These follow what was asked for: the places of `include` or `slug`. */
const ASKED_ORDERS = ['include', 'include_slugs'];

export const LIST_ARGS: Readonly<Record<string, RouteArgument>> = {
  page: number('Current page.', { minimum: 1, default: 1 }),
  per_page: number('Number of accounts on a page.', { minimum: 1, maximum: 100, default: 10 }),
  offset: number('Number of accounts before the first that is shown, in place of a page.', { minimum: 0 }),
  search: {
    type: 'string',
    description: 'Part of a login, name or e-mail, or a whole number of an account.',
    required: false,
  },
  include: list('Numbers of the only accounts.', 'integer'),
  exclude: list('Numbers of accounts that are left out.', 'integer'),
  slug: list('Slugs of the only accounts.', 'string'),
  roles: list('Roles, one of which the accounts have.', 'string'),
  orderby: {
    type: 'string',
    description: 'What the list is ordered by.',
    required: false,
    enum: [...Object.keys(ORDERS), ...ASKED_ORDERS],
    default: 'name',
  },
  order: {
    type: 'string',
    description: 'Ascending or descending.',
    required: false,
    enum: ['asc', 'desc'],
    default: 'asc',
  },
};

function isFound({ id, login, displayName, email }: ListedUser, search: string): boolean {
  const part = search.trim().toLowerCase();
  return (
    String(id) === part ||
    [login, displayName, email ?? '', slugOf(login)].some((text) => text.toLowerCase().includes(part))
  );
}

function orderOf(values: Values): (account: ListedUser) => number | string {
  const by = textIn(values, 'orderby') ?? 'name';
  if (isOrder(by)) return ORDERS[by];
  const [ids, slugs] = [numbersIn(values, 'include') ?? [], textsIn(values, 'slug') ?? []];
  return by === 'include' ? ({ id }) => ids.indexOf(id) : ({ login }) => slugs.indexOf(slugOf(login));
}

export function chooseAccounts(accounts: readonly ListedUser[], values: Values): readonly ListedUser[] {
  const [include, exclude] = [numbersIn(values, 'include'), numbersIn(values, 'exclude')];
  const [slugs, roles] = [textsIn(values, 'slug'), textsIn(values, 'roles')];
  const search = textIn(values, 'search') ?? '';
  const rank = orderOf(values);
  const direction = textIn(values, 'order') === 'desc' ? -1 : 1;
  return accounts
    .filter(
      (account) =>
        include?.includes(account.id) !== false &&
        exclude?.includes(account.id) !== true &&
        slugs?.includes(slugOf(account.login)) !== false &&
        roles?.includes(account.role) !== false &&
        isFound(account, search),
    )
    .map((account) => ({ account, place: rank(account) }))
    .sort((one, other) => direction * compare(one, other))
    .map(({ account }) => account);
}

interface Placed {
  readonly account: ListedUser;
  readonly place: number | string;
}

function compare(one: Placed, other: Placed): number {
  if (one.place === other.place) return one.account.id - other.account.id;
  return one.place < other.place ? -1 : 1;
}
