import type { AccountTools } from '../../accounts/account-tools';
import { sitesOf } from '../../accounts/known-sites';
import { AccountError } from '../../accounts/users';
import {
  type ApplicationPassword,
  findApplicationPassword,
  listApplicationPasswords,
  renameApplicationPassword,
} from '../../auth/application-password-store';
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  PageError,
  pageAddress,
} from '../../extension-api';
import { describePassword } from '../describe-restrictions';
import { offeredLevels } from '../offered-levels';
import {
  createPassword,
  EMPTY_PASSWORD_FORM,
  type NewPassword,
  type PasswordFaults,
  type PasswordForm,
  readPasswordForm,
} from './create-password';
import { type CurrentPages, linkForm } from './link-form';
import { revokeOnPage } from './revoke-on-page';

const SLUG = 'application-passwords';
const ADDRESS = pageAddress(SLUG);

interface Shown {
  readonly typed?: PasswordForm;
  readonly faults?: PasswordFaults;
  readonly created?: NewPassword;
}

export function applicationPasswordsPage(tools: AccountTools, pages: CurrentPages): AdminPage {
  const { clock, hooks, write } = tools;

  async function showList({ user }: AdminRequest, shown: Shown = {}): Promise<AdminAnswer> {
    const { typed = EMPTY_PASSWORD_FORM, faults = {}, created } = shown;
    const [passwords, sites, levels] = await Promise.all([
      listApplicationPasswords(write, user.id),
      sitesOf(hooks, user),
      offeredLevels(hooks, user),
    ]);
    const described = passwords
      .filter(({ opens }) => opens === null)
      .map((password) => describePassword(password, { zone: user.timezone, now: clock(), known: sites }));
    return {
      kind: 'page',
      status: Object.keys(faults).length > 0 ? 400 : 200,
      view: 'host-shim/admin/views/application-passwords',
      data: { passwords: described, sites, typed, faults, created, levels },
    };
  }

  async function create(request: AdminRequest): Promise<AdminAnswer> {
    const typed = readPasswordForm(request.form);
    const outcome = await createPassword(tools, request, typed);
    return showList(request, outcome.ok ? { created: outcome.shown } : { typed, faults: outcome.faults });
  }

  async function showOne(
    { user }: AdminRequest,
    password: ApplicationPassword,
    typed: { readonly name: string; readonly fault?: string },
  ): Promise<AdminAnswer> {
    return {
      kind: 'page',
      status: typed.fault === undefined ? 200 : 400,
      title: `Application password “${password.name}”`,
      view: 'host-shim/admin/views/application-password',
      data: {
        password: describePassword(password, {
          zone: user.timezone,
          now: clock(),
          known: await sitesOf(hooks, user),
        }),
        ...typed,
      },
    };
  }

  async function rename(request: AdminRequest, password: ApplicationPassword): Promise<AdminAnswer> {
    const name = request.form.get('name') ?? '';
    try {
      const renamed = await renameApplicationPassword(write, request.user.id, password.uuid, name);
      return { kind: 'redirect', to: ADDRESS, notice: `Renamed to “${renamed?.name ?? name}”.` };
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
      return showOne(request, password, { name, fault: error.message });
    }
  }

  return {
    slug: SLUG,
    title: 'Application passwords',
    howTo: 'application-passwords',
    group: 'Account',
    position: 20,
    capability: 'read',
    takes: { words: 2, post: true },
    async handle(request) {
      const { method, user, words } = request;
      const [uuid, action] = words;
      if (uuid === undefined) return method === 'POST' ? create(request) : showList(request);
      const own = { ownerId: user.id, from: ADDRESS };
      if (uuid === 'link' && action === undefined) return linkForm(tools, pages, request);
      if (uuid === 'revoke-all' && action === undefined)
        return revokeOnPage(tools, request, {
          ...own,
          which: 'programs',
          title: 'Revoke all application passwords',
        });
      if (action === 'revoke')
        return revokeOnPage(tools, request, {
          ...own,
          which: [uuid],
          title: 'Revoke an application password',
        });
      const password = await findApplicationPassword(write, user.id, uuid);
      if (password === undefined)
        throw new PageError(404, 'You have no such application password; it may already have been revoked.');
      if (action !== undefined) throw new PageError(404, 'There is no such page.');
      return method === 'POST'
        ? rename(request, password)
        : showOne(request, password, { name: password.name });
    },
  };
}
