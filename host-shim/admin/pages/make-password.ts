// Makes an application password for the person in front of a page.
// Fields of a form -> what is shown of it once, or a sentence for each field that is wrong; then nothing was made.
import { randomBytes } from 'node:crypto';
import { checkFields } from '../../auth/account-fields';
import { showSecret } from '../../auth/application-password';
import { createApplicationPassword } from '../../auth/application-password-store';
import { readRestrictions } from '../../auth/key-restrictions';
import type { AdminRequest, UsageExample } from '../../extension-api';
import { sitesOf } from '../../known-sites';
import type { HostParts } from '../../load-host';

/** What was typed into the fields of views/parts/restrictions.eta, and the name. */
export interface TypedPassword {
  readonly name: string;
  readonly expires: string;
  /** Tracking ids. */
  readonly sites: readonly string[];
  readonly addresses: string;
  readonly share: string;
}

export type PasswordFaults = Readonly<Partial<Record<keyof TypedPassword, string>>>;

/** Data of views/parts/new-password.eta. It holds the secret: it is for one answer, and nothing else. */
export interface NewPassword {
  readonly name: string;
  readonly login: string;
  /** In groups of four. */
  readonly secret: string;
  readonly examples: readonly UsageExample[];
}

export type MadePassword =
  | { readonly ok: true; readonly secret: string; readonly shown: NewPassword }
  | { readonly ok: false; readonly faults: PasswordFaults };

export const NOTHING_TYPED: TypedPassword = { name: '', expires: '', sites: [], addresses: '', share: '' };

export function typedPassword(form: URLSearchParams): TypedPassword {
  const text = (name: string) => form.get(name) ?? '';
  return {
    name: text('name'),
    expires: text('expires'),
    sites: form.getAll('sites'),
    addresses: text('addresses'),
    share: text('share'),
  };
}

/** Makes one for the user of the request. */
export async function makePassword(
  parts: HostParts,
  { user, restRoot }: AdminRequest,
  { name, ...typed }: TypedPassword,
  appId = '',
): Promise<MadePassword> {
  const { clock, database } = parts;
  const { hooks } = parts.extensions();
  const sites = await sitesOf(parts.extensions().hooks, user);
  const named = checkFields({ name });
  const read = readRestrictions(typed, {
    now: clock(),
    timezone: user.timezone,
    sites: user.sites,
    known: sites.map(({ trackingId }) => trackingId),
  });
  if (!named.ok || !read.ok) {
    const faults = { ...(read.ok ? {} : read.faults), ...(named.ok ? {} : { name: named.fault.message }) };
    return { ok: false, faults };
  }
  const { password, secret } = await createApplicationPassword(
    database.write,
    { userId: user.id, name, appId, restrictions: read.restrictions },
    { clock, randomBytes },
  );
  const shown = showSecret(secret);
  await hooks.doAction('application_password_created', { userId: user.id, uuid: password.uuid });
  const told = {
    login: user.login,
    secret: shown,
    restRoot,
    sites: password.restrictions.sites ?? user.sites,
  };
  const examples = await hooks.applyFilters('application_password_examples', [], told);
  return {
    ok: true,
    secret,
    shown: {
      name: password.name,
      login: user.login,
      secret: shown,
      examples: [ownExample(user.login, shown, restRoot), ...examples],
    },
  };
}

const ownExample = (login: string, secret: string, restRoot: string): UsageExample => ({
  title: 'Try it',
  about: 'Answers with your own account when the application password is right.',
  text: `curl -s -u '${login}:${secret}' '${restRoot}wp/v2/users/me'`,
});
