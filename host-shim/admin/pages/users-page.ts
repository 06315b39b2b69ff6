// A generated login password is shown only in the response to the form.
import { randomBytes } from 'node:crypto';
import { listUsers, ROLES } from '../../accounts/accounts';
import { siteChoices } from '../../accounts/known-sites';
import { createUser } from '../../accounts/users';
import { generateLoginPassword } from '../../auth/login-password';
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  PageError,
  pageAddress,
} from '../../extension-api';
import { readRights, readUserForm, tryChange, type UserFaults, type UserForm } from './user-form';
import { accountOf, answerForUser, type UserPageTools } from './user-page';

const EMPTY_USER_FORM: UserForm = { login: '', displayName: '', email: '', role: 'analyst', sites: [] };

export function usersPage(tools: UserPageTools): AdminPage {
  const { clock, hooks, write } = tools;

  async function showForm(form: UserForm, faults: UserFaults): Promise<AdminAnswer> {
    return {
      kind: 'page',
      status: Object.keys(faults).length === 0 ? 200 : 400,
      view: 'host-shim/admin/views/user-add',
      title: 'Add a user',
      data: { form, faults, roles: ROLES, choices: await siteChoices(hooks, []) },
    };
  }

  async function add(request: AdminRequest): Promise<AdminAnswer> {
    const form = readUserForm(request.form);
    const { login } = form;
    const typed = request.form.get('password') ?? '';
    const password = typed === '' ? generateLoginPassword(randomBytes) : typed;
    let id = 0;
    const faults = await tryChange(async () => {
      const rights = readRights(form, (await siteChoices(hooks, [])).sites);
      id = await createUser(write, { ...form, ...rights, password }, { clock, randomBytes });
    });
    if (faults !== undefined) return showForm(form, faults);
    const title = `${login} was added`;
    if (typed !== '') return { kind: 'redirect', to: pageAddress('users', id), notice: `${title}.` };
    return {
      kind: 'page',
      view: 'host-shim/admin/views/user-password',
      title,
      data: { id, login, password, isNew: true },
    };
  }

  return {
    slug: 'users',
    title: 'Users',
    howTo: 'pages',
    group: 'Installation',
    position: 10,
    capability: 'list_users',
    takes: { words: 3, post: true },
    async handle(request) {
      const { method, user, words } = request;
      const [first, ...rest] = words;
      if (method === 'POST' && !user.capabilities.includes('edit_users'))
        throw new PageError(403, 'You may not change other accounts.');
      if (first === undefined && method === 'GET')
        return { kind: 'page', view: 'host-shim/admin/views/users', data: { users: await listUsers(write) } };
      if (first === 'add' && rest.length === 0)
        return method === 'POST' ? add(request) : showForm(EMPTY_USER_FORM, {});
      return answerForUser({ tools, request, account: await accountOf(tools, first) }, rest);
    },
  };
}
