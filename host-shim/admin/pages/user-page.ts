// The page for one account. Destructive actions have a confirmation page (/wp-admin/users/3/disable): GET asks, POST acts.
import { randomBytes } from 'node:crypto';
import type { AccountTools } from '../../accounts/account-tools';
import { findAccount, type ListedUser, listUsers, ROLES } from '../../accounts/accounts';
import { siteChoices } from '../../accounts/known-sites';
import {
  AccountError,
  changeUser,
  deleteUser,
  mayInherit,
  setDisabled,
  setLoginPassword,
} from '../../accounts/users';
import { listApplicationPasswords } from '../../auth/application-password-store';
import { generateLoginPassword } from '../../auth/login-password';
import { findSecondFactor, removeSecondFactor } from '../../auth/second-factor';
import {
  type AdminAnswer,
  type AdminRequest,
  ask,
  type Log,
  markOf,
  PageError,
  pageAddress,
} from '../../extension-api';
import { countSessions } from '../../sessions/session-store';
import { describePassword } from '../describe-restrictions';
import { revokeOnPage } from './revoke-on-page';
import { formOf, readRights, readUserForm, tryChange, type UserFaults, type UserForm } from './user-form';

export interface UserPageTools extends AccountTools {
  readonly log: Log;
}

interface Call {
  readonly tools: UserPageTools;
  readonly request: AdminRequest;
  readonly account: ListedUser;
}

const OUTDATED =
  'Another user changed this account after you opened it, so nothing was saved. The form shows its current values.';

/** Throws a PageError if the account does not exist. */
export async function accountOf({ write }: UserPageTools, id = ''): Promise<ListedUser> {
  const account = /^\d{1,9}$/.test(id) ? await findAccount(write, Number(id)) : undefined;
  if (account !== undefined) return account;
  const message = 'There is no such account; it may already have been deleted.';
  throw new PageError(404, message, pageAddress('users'));
}

const markOfAccount = (account: ListedUser): string => markOf(formOf(account));

class Outdated extends Error {}

const addressOf = ({ account }: Call): string => pageAddress('users', account.id);

const returnTo = (call: Call, notice: string): AdminAnswer => ({
  kind: 'redirect',
  to: addressOf(call),
  notice,
});

async function show(
  { tools: { clock, hooks, write }, request, account }: Call,
  shown: {
    readonly status?: number;
    readonly form?: UserForm;
    readonly faults?: UserFaults;
    readonly mark?: string;
  } = {},
): Promise<AdminAnswer> {
  const stored = formOf(account);
  const { faults = {}, form = stored, mark = markOfAccount(account), status } = shown;
  const [passwords, factor, sessions, choices] = await Promise.all([
    listApplicationPasswords(write, account.id),
    findSecondFactor(write, account.id),
    countSessions(write, account.id, clock()),
    siteChoices(hooks, stored.sites),
  ]);
  const context = { zone: request.user.timezone, now: clock(), known: [] };
  return {
    kind: 'page',
    status: status ?? (Object.keys(faults).length === 0 ? 200 : 400),
    view: 'host-shim/admin/views/user',
    title: account.login,
    data: {
      account,
      form,
      faults,
      choices,
      factor,
      sessions,
      mark,
      roles: ROLES,
      isSelf: account.id === request.user.id,
      passwords: passwords.map((password) => describePassword(password, context)),
    },
  };
}

async function save(call: Call): Promise<AdminAnswer> {
  const { tools, request, account } = call;
  const { hooks, write } = tools;
  const form = { ...readUserForm(request.form), login: account.login };
  const mark = request.form.get('mark') ?? '';
  const refuseOutdated = (current: ListedUser) => {
    if (markOfAccount(current) !== mark) throw new Outdated();
  };
  try {
    refuseOutdated(account);
    const faults = await tryChange(async () => {
      const { displayName, email } = form;
      const { sites } = await siteChoices(hooks, formOf(account).sites);
      await changeUser(write, account.id, { displayName, email, ...readRights(form, sites) }, refuseOutdated);
    });
    return faults === undefined ? returnTo(call, 'Saved.') : await show(call, { form, faults, mark });
  } catch (error) {
    if (!(error instanceof Outdated)) throw error;
    const current = (await findAccount(write, account.id)) ?? account;
    return show({ ...call, account: current }, { status: 409, faults: { form: OUTDATED } });
  }
}

async function disable(call: Call): Promise<AdminAnswer> {
  const { login, id } = call.account;
  if (id === call.request.user.id)
    throw new AccountError('You cannot disable your own account; another administrator can.');
  if (call.request.method === 'GET')
    return ask({
      title: `Disable ${login}`,
      about:
        'Logins and application passwords are refused immediately, and open sessions end. Nothing is deleted: enabling the account brings everything back.',
      button: `Disable ${login}`,
      cancel: addressOf(call),
    });
  await setDisabled(call.tools.write, id, true);
  return returnTo(call, `${login} is disabled and logged out everywhere.`);
}

/** GET asks what to do with the account's data; POST deletes the account. */
async function remove(call: Call): Promise<AdminAnswer> {
  const { tools, request, account } = call;
  if (account.id === request.user.id)
    throw new AccountError('You cannot delete your own account; another administrator can.');
  if (request.method === 'GET') {
    const users = await listUsers(tools.write);
    return {
      kind: 'page',
      title: `Delete ${account.login}?`,
      view: 'host-shim/admin/views/user-delete',
      data: {
        account,
        heirs: users.filter((user) => mayInherit(user, account)),
        cancel: addressOf(call),
      },
    };
  }
  await deleteUser(tools, account.id, request.form.get('heir') || null);
  return { kind: 'redirect', to: pageAddress('users'), notice: `${account.login} was deleted.` };
}

async function resetPassword(call: Call): Promise<AdminAnswer> {
  const { login, id } = call.account;
  // The profile page asks for the old password, so that an unattended browser is not enough.
  if (id === call.request.user.id)
    throw new AccountError(
      'Change your own login password on your profile page. You will need your current password.',
    );
  const title = `New login password for ${login}`;
  if (call.request.method === 'GET')
    return ask({
      title,
      about:
        'A new login password is generated and shown to you once. The old one stops working, and the account is logged out everywhere. Application passwords are not affected.',
      button: 'Generate a new login password',
      cancel: addressOf(call),
    });
  const password = generateLoginPassword(randomBytes);
  await setLoginPassword(call.tools.write, id, password, { randomBytes });
  return {
    kind: 'page',
    view: 'host-shim/admin/views/user-password',
    title,
    data: { id, login, password, isNew: false },
  };
}

async function removeFactor(call: Call): Promise<AdminAnswer> {
  const { tools, request, account } = call;
  if (account.id === request.user.id)
    throw new AccountError('Turn off your own second factor on your profile page, with a code.');
  if (request.method === 'GET')
    return ask({
      title: `Remove ${account.login}’s second factor`,
      about:
        'Logins then need only the password, until the owner sets up a new second factor. Make sure that the request really comes from the owner.',
      button: 'Remove the second factor',
      cancel: addressOf(call),
    });
  const isRemoved = await removeSecondFactor(tools.write, account.id);
  if (isRemoved)
    tools.log.warn({ login: account.login, by: request.user.login }, 'A second factor was removed.');
  return returnTo(call, isRemoved ? 'The second factor was removed.' : 'There was no second factor.');
}

async function change(call: Call): Promise<AdminAnswer> {
  const action = call.request.form.get('action');
  if (action === 'save') return save(call);
  if (action !== 'enable') throw new PageError(400, 'This page does not support that action.');
  await setDisabled(call.tools.write, call.account.id, false);
  return returnTo(call, `${call.account.login} can log in again.`);
}

/** `words` are the path segments after the id. Throws a PageError if they are unknown. */
export async function answerForUser(call: Call, words: readonly string[]): Promise<AdminAnswer> {
  const { tools, request, account } = call;
  const { id: ownerId, login } = account;
  const from = addressOf(call);
  const [word, uuid] = words;
  try {
    if (word === undefined) return await (request.method === 'POST' ? change(call) : show(call));
    if (word === 'revoke' && uuid !== undefined && words.length === 2) {
      const title = `Revoke one of ${login}’s application passwords`;
      return await revokeOnPage(tools, request, { ownerId, from, which: [uuid], title });
    }
    if (words.length === 1) {
      const title = `Revoke all of ${login}’s application passwords`;
      if (word === 'revoke-all')
        return await revokeOnPage(tools, request, { ownerId, from, which: 'all', title });
      if (word === 'disable') return await disable(call);
      if (word === 'delete') return await remove(call);
      if (word === 'new-password') return await resetPassword(call);
      if (word === 'second-factor') return await removeFactor(call);
    }
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    const current = { ...call, account: await accountOf(tools, String(ownerId)) };
    return show(current, { faults: { form: error.message } });
  }
  throw new PageError(404, 'There is no such page.');
}
