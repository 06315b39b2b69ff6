// The page "Users": all accounts, the form that adds one, and the page of each (user-page.ts).
// A login password that is made here is shown in the answer to the form that asked for it, and nowhere else.
import { randomBytes } from 'node:crypto';
import { makeLoginPassword } from '../../auth/login-password';
import { ROLES } from '../../auth/roles';
import { createUser, listUsers } from '../../auth/users';
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  PageError,
  pageAddress,
} from '../../extension-api';
import { siteChoices } from '../../known-sites';
import type { HostParts } from '../../load-host';
import { EMPTY_FORM, faultsOf, readRights, readUserForm, type UserFaults, type UserForm } from './user-form';
import { answerForUser } from './user-page';

async function showList({ database }: HostParts): Promise<AdminAnswer> {
  return {
    kind: 'page',
    view: 'host-shim/admin/views/users',
    data: { users: await listUsers(database.write) },
  };
}

async function showForm(parts: HostParts, form: UserForm, faults: UserFaults): Promise<AdminAnswer> {
  return {
    kind: 'page',
    status: Object.keys(faults).length === 0 ? 200 : 400,
    view: 'host-shim/admin/views/user-add',
    title: 'Add a user',
    data: { form, faults, roles: ROLES, choices: await siteChoices(parts.extensions().hooks, []) },
  };
}

async function add(parts: HostParts, request: AdminRequest): Promise<AdminAnswer> {
  const form = readUserForm(request.form);
  const typed = request.form.get('password') ?? '';
  const password = typed === '' ? makeLoginPassword(randomBytes) : typed;
  let id = 0;
  const faults = await faultsOf(async () => {
    const rights = readRights(form, (await siteChoices(parts.extensions().hooks, [])).sites);
    id = await createUser(
      parts.database.write,
      { ...form, ...rights, password },
      { clock: parts.clock, randomBytes },
    );
  });
  if (faults !== undefined) return showForm(parts, form, faults);
  if (typed !== '')
    return { kind: 'redirect', to: pageAddress('users', id), notice: `${form.login} was added.` };
  return {
    kind: 'page',
    view: 'host-shim/admin/views/user-password',
    title: `${form.login} was added`,
    data: { id, login: form.login, password, made: true },
  };
}

export const usersPage = (parts: HostParts): AdminPage => ({
  slug: 'users',
  title: 'Users',
  group: 'Installation',
  position: 10,
  capability: 'list_users',
  takes: { words: 3, post: true },
  async handle(request) {
    const [word, ...rest] = request.words;
    if (request.method === 'POST' && !request.user.capabilities.includes('edit_users'))
      throw new PageError(403, 'Your account may not change other accounts.');
    if (word === undefined && request.method === 'GET') return showList(parts);
    if (word === 'add' && rest.length === 0)
      return request.method === 'POST' ? add(parts, request) : showForm(parts, EMPTY_FORM, {});
    if (word !== undefined && /^\d{1,9}$/.test(word))
      return answerForUser(parts, request, Number(word), rest);
    throw new PageError(404, 'There is no such page.');
  },
});
