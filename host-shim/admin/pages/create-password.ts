import { checkFields } from '../../accounts/account-fields';
import type { AccountTools } from '../../accounts/account-tools';
import { sitesOf } from '../../accounts/known-sites';
import { issuePassword } from '../../accounts/passwords';
import { showSecret } from '../../auth/application-password';
import { grantableLevels } from '../../auth/key-levels';
import { readRestrictions } from '../../auth/key-restrictions';
import type { AdminRequest, UsageExample } from '../../extension-api';

/** The name, the level and the fields of views/parts/restrictions.eta, as submitted. */
export interface PasswordForm {
  readonly name: string;
  readonly expires: string;
  readonly sites: readonly string[];
  readonly addresses: string;
  readonly share: string;
  readonly level: string;
}

export type PasswordFaults = Readonly<Partial<Record<keyof PasswordForm, string>>>;

export function readPasswordForm(form: URLSearchParams): PasswordForm {
  const text = (name: string) => form.get(name) ?? '';
  return {
    name: text('name'),
    expires: text('expires'),
    sites: form.getAll('sites'),
    addresses: text('addresses'),
    share: text('share'),
    level: form.get('level') ?? 'read',
  };
}

export const EMPTY_PASSWORD_FORM = readPasswordForm(new URLSearchParams());

/** Data for views/parts/new-password.eta. Contains the secret, so it must not be stored. */
export interface NewPassword {
  readonly name: string;
  readonly login: string;
  readonly secret: string;
  readonly examples: readonly UsageExample[];
}

type CreatedPassword =
  | { readonly ok: true; readonly secret: string; readonly shown: NewPassword }
  | { readonly ok: false; readonly faults: PasswordFaults };

/** Creates a password for the request's user. Reports all of the form's errors together. */
export async function createPassword(
  tools: AccountTools,
  { user, restRoot }: AdminRequest,
  { name, ...typed }: PasswordForm,
  appId = '',
): Promise<CreatedPassword> {
  const { clock, hooks } = tools;
  const sites = await sitesOf(hooks, user);
  const read = readRestrictions(typed, {
    now: clock(),
    timezone: user.timezone,
    sites: user.sites,
    known: sites.map(({ trackingId }) => trackingId),
    levels: grantableLevels(user.capabilities, user.capabilities),
  });
  const faults: PasswordFaults = { ...(read.ok ? {} : read.faults), ...checkFields({ name }).faults };
  if (!read.ok || Object.keys(faults).length > 0) return { ok: false, faults };
  const request = { userId: user.id, name, appId, restrictions: read.restrictions };
  const { password, secret } = await issuePassword(tools, request);
  const { login } = user;
  const groupedSecret = showSecret(secret);
  const tryIt: UsageExample = {
    title: 'Try it',
    about: 'Returns your own account if the application password is correct.',
    text: `curl -s -u '${login}:${groupedSecret}' '${restRoot}wp/v2/users/me'`,
  };
  const examples = await hooks.applyFilters('application_password_examples', [], {
    login,
    secret: groupedSecret,
    restRoot,
    sites: password.restrictions.sites ?? user.sites,
  });
  return {
    ok: true,
    secret,
    shown: { name: password.name, login, secret: groupedSecret, examples: [tryIt, ...examples] },
  };
}
