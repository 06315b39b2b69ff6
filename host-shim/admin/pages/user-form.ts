// The fields of an account as a form has them: read, checked against the sites that there are, and filled in again.
// What is typed stays in the form beside its fault.
import type { ListedUser } from '../../auth/account-list';
import { ROLES } from '../../auth/roles';
import { AccountError } from '../../auth/users';
import type { HostUser } from '../../extension-api';
import type { SiteChoice } from '../../known-sites';

export interface UserForm {
  readonly login: string;
  readonly displayName: string;
  readonly email: string;
  readonly role: string;
  readonly sites: readonly string[];
}

/** Field -> sentence. */
export type UserFaults = Readonly<Record<string, string>>;

export const EMPTY_FORM: UserForm = { login: '', displayName: '', email: '', role: 'analyst', sites: [] };

/** The fields of an account as they are. */
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

export interface UserRights {
  readonly role: HostUser['role'];
  readonly sites: readonly string[];
}

/** Role and sites as they can be kept; throws an AccountError. An administrator sees all sites, so none is granted. */
export function readRights({ role, sites }: UserForm, offered: readonly SiteChoice[]): UserRights {
  const known = ROLES.find((one) => one === role);
  if (known === undefined) throw new AccountError(`A role is one of ${ROLES.join(', ')}.`, 'role');
  if (known === 'administrator') return { role: known, sites: [] };
  const unknown = sites.find((site) => !offered.some(({ trackingId }) => trackingId === site));
  if (unknown !== undefined) throw new AccountError(`There is no site ${unknown}.`, 'sites');
  return { role: known, sites };
}

/** Does the work, or gives the fault of the person who asked at its field. */
export async function faultsOf(work: () => Promise<void>): Promise<UserFaults | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof AccountError) return { [error.field ?? 'form']: error.message };
    throw error;
  }
}
