// The "Shared links" page: the user's links to pages, for people without an account. link-form.ts creates them.
import type { AccountTools } from '../../accounts/account-tools';
import { sitesOf } from '../../accounts/known-sites';
import { listApplicationPasswords } from '../../auth/application-password-store';
import { type AdminPage, type HostUser, PageError, pageAddress } from '../../extension-api';
import { describePassword } from '../describe-restrictions';
import { revokeOnPage } from './revoke-on-page';

const SLUG = 'links';
const LINKS_ADDRESS = pageAddress(SLUG);

/** Oldest first; limited to one site if given. */
export async function linksOf({ clock, hooks, write }: AccountTools, user: HostUser, site?: string) {
  const [passwords, known] = await Promise.all([
    listApplicationPasswords(write, user.id),
    sitesOf(hooks, user),
  ]);
  return passwords
    .filter(
      ({ opens, restrictions }) =>
        opens !== null && (site === undefined || restrictions.sites?.includes(site) === true),
    )
    .map((link) => describePassword(link, { zone: user.timezone, now: clock(), known }));
}

export const linksPage = (tools: AccountTools): AdminPage => ({
  slug: SLUG,
  title: 'Shared links',
  howTo: 'pages',
  group: 'Account',
  position: 30,
  capability: 'read',
  takes: { words: 2, post: true },
  async handle(request) {
    const [uuid, action] = request.words;
    if (uuid === undefined && request.method === 'GET')
      return {
        kind: 'page',
        view: 'host-shim/admin/views/links',
        data: { links: await linksOf(tools, request.user) },
      };
    if (uuid === undefined || action !== 'revoke') throw new PageError(404, 'There is no such page.');
    return revokeOnPage(tools, request, {
      ownerId: request.user.id,
      which: [uuid],
      title: 'Revoke a shared link',
      from: LINKS_ADDRESS,
    });
  },
});
