// The page of one account: its fields, its application passwords, and the ways to the questions of user-questions.ts.
// A form that somebody else was faster than changes nothing: it comes back with the values of this moment.

import { createHash } from 'node:crypto';
import type { ListedUser } from '../../auth/account-list';
import { listApplicationPasswords } from '../../auth/application-password-store';
import { ROLES } from '../../auth/roles';
import { AccountError, changeUser, findAccount, setDisabled } from '../../auth/users';
import { type AdminAnswer, type AdminRequest, PageError } from '../../extension-api';
import { siteChoices } from '../../known-sites';
import type { HostParts } from '../../load-host';
import { countSessions } from '../../sessions/session-store';
import { describeRestrictions } from '../describe-restrictions';
import { faultsOf, formOf, readRights, readUserForm, type UserFaults, type UserForm } from './user-form';
import { answerQuestion, done, type Subject } from './user-questions';

const OUTDATED =
  'Somebody else has changed this account since you opened it: nothing was saved. This is how it is at this moment.';

interface Shown {
  readonly status?: number;
  readonly form?: UserForm;
  readonly faults?: UserFaults;
  /** Of what the form showed when it was opened. */
  readonly mark?: string;
}

/** Tells a form which values it was filled with: the same mark, the same values. */
const markOf = (account: ListedUser): string =>
  createHash('sha256')
    .update(JSON.stringify(formOf(account)))
    .digest('base64url')
    .slice(0, 22);

async function show({ parts, request, account }: Subject, shown: Shown = {}): Promise<AdminAnswer> {
  const { write } = parts.database;
  const now = parts.clock();
  const present = formOf(account);
  const { faults = {}, form = present, mark = markOf(account), status } = shown;
  const [passwords, sessions, choices] = await Promise.all([
    listApplicationPasswords(write, account.id),
    countSessions(write, account.id, now),
    siteChoices(parts.extensions().hooks, present.sites),
  ]);
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
      sessions,
      shown: mark,
      roles: ROLES,
      isSelf: account.id === request.user.id,
      passwords: passwords.map((password) => ({
        ...password,
        restrictions: describeRestrictions(password.restrictions, request.user.timezone, now),
      })),
    },
  };
}

class Outdated extends Error {}

async function save(subject: Subject): Promise<AdminAnswer> {
  const { parts, request, account } = subject;
  const { write } = parts.database;
  const form = { ...readUserForm(request.form), login: account.login };
  const mark = request.form.get('shown') ?? '';
  const check = (present: ListedUser) => {
    if (markOf(present) !== mark) throw new Outdated();
  };
  try {
    check(account);
    const faults = await faultsOf(async () => {
      const { displayName, email } = form;
      const { sites } = await siteChoices(parts.extensions().hooks, formOf(account).sites);
      await changeUser(write, account.id, { displayName, email, ...readRights(form, sites) }, check);
    });
    return faults === undefined ? done(subject, 'Saved.') : await show(subject, { form, faults, mark });
  } catch (error) {
    if (!(error instanceof Outdated)) throw error;
    const present = await findAccount(write, account.id);
    return show({ ...subject, account: present ?? account }, { status: 409, faults: { form: OUTDATED } });
  }
}

async function enable(subject: Subject): Promise<AdminAnswer> {
  await setDisabled(subject.parts.database.write, subject.account.id, false);
  return done(subject, `${subject.account.login} may log in again.`);
}

async function change(subject: Subject): Promise<AdminAnswer> {
  const action = subject.request.form.get('action');
  if (action === 'save') return save(subject);
  if (action === 'enable') return enable(subject);
  throw new PageError(400, 'This page knows no such change.');
}

/** `words` come after the id. Throws a PageError for an id that no account has, and for words that lead nowhere. */
export async function answerForUser(
  parts: HostParts,
  request: AdminRequest,
  id: number,
  words: readonly string[],
): Promise<AdminAnswer> {
  const account = await findAccount(parts.database.write, id);
  if (account === undefined) throw new PageError(404, 'There is no such account.');
  const subject = { parts, request, account };
  if (words.length === 0) return request.method === 'POST' ? change(subject) : show(subject);
  try {
    return await answerQuestion(subject, words);
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    return show(subject, { faults: { form: error.message } });
  }
}
