// Asks before something is taken away: a page with a button that does it and a link that does not. It needs no script.
// The button posts to the address of the question itself.
import type { ApplicationPassword } from '../../auth/application-password-store';
import type { AdminAnswer } from '../../extension-api';
import { formatInstant } from '../format-instant';

export interface Question {
  readonly title: string;
  /** What will be so afterwards. */
  readonly about: string;
  /** What it is about, one by one. */
  readonly items?: readonly { readonly name: string; readonly about: string }[];
  /** Words of the button. */
  readonly button: string;
  /** Where whoever does not want it goes. */
  readonly cancel: string;
}

export const askFirst = ({ title, ...data }: Question): AdminAnswer => ({
  kind: 'page',
  title,
  view: 'host-shim/admin/views/question',
  data: { items: [], ...data },
});

/** Whether these application passwords are to be revoked: one, or all of an account. */
export function askToRevoke(
  passwords: readonly ApplicationPassword[],
  title: string,
  { cancel, zone }: { readonly cancel: string; readonly zone: string },
): AdminAnswer {
  const many = passwords.length > 1;
  const instant = (at: Date | null) => (at === null ? 'never' : formatInstant(at, zone));
  return askFirst({
    title,
    about: `The programs that use ${many ? 'them' : 'it'} are refused from their next request on. This cannot be undone.`,
    items: passwords.map(({ name, createdAt, lastUsedAt }) => ({
      name,
      about: `made ${instant(createdAt)}, last used ${instant(lastUsedAt)}`,
    })),
    button: many ? `Revoke all ${passwords.length}` : 'Revoke it',
    cancel,
  });
}
