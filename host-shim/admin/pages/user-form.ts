import { type ListedUser, ROLES } from '../../accounts/accounts';
import type { SiteChoice } from '../../accounts/known-sites';
import { AccountError } from '../../accounts/users';
import type { HostUser } from '../../extension-api';

export interface UserForm {
  readonly login: string;
  readonly displayName: string;
  readonly email: string;
  readonly role: string;
  readonly sites: readonly string[];
}

/** Messages by field name; `form` is for messages about the whole form. */
export type UserFaults = Readonly<Record<string, string>>;

export const formOf = ({ login, displayName, email, role, sites }: ListedUser): UserForm => ({
  login,
  displayName,
  email: email ?? '',
  role,
  sites: sites === 'all' ? [] : [...sites].sort(),
});

export const readUserForm = (form: URLSearchParams): UserForm => ({
  login: form.get('login')?.trim() ?? '',
  displayName: form.get('displayName') ?? '',
  email: form.get('email') ?? '',
  role: form.get('role') ?? '',
  sites: form.getAll('sites'),
});

/** Administrators are not assigned sites, because they can see all of them. Throws an AccountError if the role or a site is invalid. */
export function readRights(
  { role: typed, sites }: UserForm,
  offered: readonly SiteChoice[],
): { readonly role: HostUser['role']; readonly sites: readonly string[] } {
  const role = ROLES.find((one) => one === typed);
  if (role === undefined) throw new AccountError(`The role must be one of ${ROLES.join(', ')}.`, 'role');
  if (role === 'administrator') return { role, sites: [] };
  const unknown = sites.find((site) => !offered.some(({ trackingId }) => trackingId === site));
  if (unknown !== undefined) throw new AccountError(`There is no site ${unknown}.`, 'sites');
  return { role, sites };
}

/** Returns the faults if `change` throws an AccountError. */
export async function tryChange(change: () => Promise<void>): Promise<UserFaults | undefined> {
  try {
    await change();
    return undefined;
  } catch (error) {
    if (error instanceof AccountError) return { [error.field ?? 'form']: error.message };
    throw error;
  }
}
