// What takes something away from an account, each behind a question on a page of its own: /wp-admin/users/3/disable.
// GET asks, POST does it; what cannot be done is an AccountError at both.
import { randomBytes } from 'node:crypto';
import type { ListedUser } from '../../auth/account-list';
import { findApplicationPassword, listApplicationPasswords } from '../../auth/application-password-store';
import { makeLoginPassword } from '../../auth/login-password';
import { AccountError, setDisabled, setLoginPassword } from '../../auth/users';
import { type AdminAnswer, type AdminRequest, PageError, pageAddress } from '../../extension-api';
import type { HostParts } from '../../load-host';
import { revokePasswords } from '../../revoke-passwords';
import { askFirst, askToRevoke } from './question';

export interface Subject {
  readonly parts: HostParts;
  readonly request: AdminRequest;
  readonly account: ListedUser;
}

const revoker = ({ parts }: Subject) => ({ write: parts.database.write, hooks: parts.extensions().hooks });

const addressOf = ({ account }: Subject): string => pageAddress('users', account.id);

/** Back to the account. */
export const done = (subject: Subject, notice: string): AdminAnswer => ({
  kind: 'redirect',
  to: addressOf(subject),
  notice,
});

interface Change {
  ask(subject: Subject): Promise<AdminAnswer>;
  make(subject: Subject): Promise<AdminAnswer>;
}

const disable: Change = {
  async ask(subject) {
    const { login } = subject.account;
    return askFirst({
      title: `Disable ${login}`,
      about:
        'Logins and application passwords are refused at once, and whoever is logged in is logged out. Everything is kept, and comes back when the account is enabled.',
      button: `Disable ${login}`,
      cancel: addressOf(subject),
    });
  },
  async make(subject) {
    const { parts, account } = subject;
    await setDisabled(parts.database.write, account.id, true);
    return done(subject, `${account.login} is disabled and logged out everywhere.`);
  },
};

const newPassword: Change = {
  async ask(subject) {
    const { login } = subject.account;
    return askFirst({
      title: `New login password of ${login}`,
      about:
        'One is made here and shown to you once. The old one ends, and its owner is logged out everywhere. Application passwords stay as they are.',
      button: 'Make a new login password',
      cancel: addressOf(subject),
    });
  },
  async make({ parts, account: { id, login } }) {
    const password = makeLoginPassword(randomBytes);
    await setLoginPassword(parts.database.write, id, password, { randomBytes });
    return {
      kind: 'page',
      view: 'host-shim/admin/views/user-password',
      title: `New login password of ${login}`,
      data: { id, login, password, made: false },
    };
  },
};

const revokeAll: Change = {
  async ask(subject) {
    const { parts, request, account } = subject;
    const passwords = await listApplicationPasswords(parts.database.write, account.id);
    if (passwords.length === 0) return done(subject, 'There was nothing left to revoke.');
    return askToRevoke(passwords, `Revoke all application passwords of ${account.login}`, {
      cancel: addressOf(subject),
      zone: request.user.timezone,
    });
  },
  async make(subject) {
    const gone = await revokePasswords(revoker(subject), subject.account.id, 'all');
    return done(
      subject,
      gone.length === 0 ? 'There was nothing left to revoke.' : `Revoked: ${gone.length}.`,
    );
  },
};

const revokeOne = (uuid: string): Change => ({
  async ask(subject) {
    const { parts, request, account } = subject;
    const password = await findApplicationPassword(parts.database.write, account.id, uuid);
    if (password === undefined) return done(subject, 'It was revoked already.');
    return askToRevoke([password], `Revoke an application password of ${account.login}`, {
      cancel: addressOf(subject),
      zone: request.user.timezone,
    });
  },
  async make(subject) {
    const [gone] = await revokePasswords(revoker(subject), subject.account.id, { uuid });
    return done(
      subject,
      gone === undefined ? 'It was revoked already.' : `The application password "${gone.name}" was revoked.`,
    );
  },
});

function changeOf([word, uuid, ...rest]: readonly string[]): Change | undefined {
  if (word === 'revoke' && uuid !== undefined && rest.length === 0) return revokeOne(uuid);
  if (uuid !== undefined) return undefined;
  if (word === 'disable') return disable;
  if (word === 'new-password') return newPassword;
  return word === 'revoke-all' ? revokeAll : undefined;
}

/** Throws an AccountError for what one cannot do to oneself. */
function refuseOneself(change: Change): void {
  if (change === disable)
    throw new AccountError('You cannot disable your own account; another administrator can.');
  // An open browser is no way to a new password: on the profile the old one is asked for.
  if (change === newPassword)
    throw new AccountError('Your own login password is changed on your profile, with the old one.');
}

/** `words` come after the id of the account. Throws a PageError for words that lead nowhere. */
export async function answerQuestion(subject: Subject, words: readonly string[]): Promise<AdminAnswer> {
  const change = changeOf(words);
  if (change === undefined) throw new PageError(404, 'There is no such page.');
  const { request, account } = subject;
  if (account.id === request.user.id) refuseOneself(change);
  return request.method === 'POST' ? change.make(subject) : change.ask(subject);
}
