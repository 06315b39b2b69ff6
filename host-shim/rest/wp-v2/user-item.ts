// An account as WordPress's REST interface shows it, in the contexts view, embed and edit.
// Nothing here leads out of the house: WordPress has pictures of a foreign service in avatar_urls, which stays empty.
import type { ListedUser } from '../../auth/account-list';
import type { Capability, HostRequest } from '../../extension-api';

export const CONTEXTS = ['view', 'embed', 'edit'] as const;

/** As WordPress: what stands in addresses. */
export const slugOf = (login: string) => login.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');

/** Instants of the REST interface are UTC without saying so. */
export const gmt = (instant: Date): string => instant.toISOString().slice(0, 19);

/** How much of an account is shown. */
export interface Shown {
  readonly context: string;
  /** Those of the account, or less through the key of this call. */
  readonly capabilities: readonly Capability[];
  /** Through a restricted key: no e-mail address, and the role is not told among what the caller may. */
  readonly restricted: boolean;
}

export function userItem(
  account: ListedUser,
  { context, capabilities, restricted }: Shown,
  { home, restRoot }: Pick<HostRequest, 'home' | 'restRoot'>,
): object {
  const { id, login, displayName, role, email, timezone, createdAt } = account;
  const users = `${restRoot}wp/v2/users`;
  const base = {
    id,
    name: displayName,
    url: '',
    description: '',
    link: `${home}/?author=${id}`,
    slug: slugOf(login),
    avatar_urls: {},
  };
  const links = { _links: { self: [{ href: `${users}/${id}` }], collection: [{ href: users }] } };
  if (context === 'embed') return { ...base, ...links };
  if (context !== 'edit') return { ...base, meta: { timezone }, ...links };
  const named = restricted ? [] : [role];
  return {
    ...base,
    username: login,
    first_name: '',
    last_name: '',
    nickname: displayName,
    email: restricted ? '' : (email ?? ''),
    locale: 'en_US',
    registered_date: `${gmt(createdAt)}+00:00`,
    roles: [role],
    capabilities: Object.fromEntries([...capabilities, ...named].map((name) => [name, true])),
    extra_capabilities: Object.fromEntries(named.map((name) => [name, true])),
    meta: { timezone },
    ...links,
  };
}
