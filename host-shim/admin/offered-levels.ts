import { grantableLevels, LEVEL_TITLES } from '../auth/key-levels';
import type { Capability, HostUser, KeyLevelUse } from '../extension-api';
import type { Hooks } from '../extensions/hooks';

/** The REST access that each capability grants. Pages require a login; an application password is not enough. */
const ABILITIES: Readonly<Record<Exclude<Capability, 'import'>, string>> = {
  read: 'read the data of every site that you can see now or later',
  list_users: 'read all accounts with their e-mail addresses',
  edit_users: 'create, rename and revoke other people’s application passwords, and so act as any of them',
  activate_plugins: 'turn extensions on and off',
  manage_sites: 'change sites, where an extension lets programs do so',
  manage_options: 'change how this installation works, where an extension lets programs do so',
};
const OWN_PASSWORDS = 'create, rename and revoke your own application passwords';

const READ: KeyLevelUse = { level: 'read', about: 'read the data of the sites that it has access to' };

/** The form preselects the first level. */
export async function offeredLevels(hooks: Hooks, user: HostUser) {
  const uses = await hooks.applyFilters('application_password_levels', [READ], undefined);
  const grantable = grantableLevels(user.capabilities, user.capabilities);
  const offered = uses.filter(({ level }) => grantable.includes(level));
  const abilities = [
    ...user.capabilities.flatMap((one) => (one === 'import' ? [] : [ABILITIES[one]])),
    ...offered.flatMap(({ level, also }) => (level === 'import' && also !== undefined ? [also] : [])),
    OWN_PASSWORDS,
  ];
  const all: KeyLevelUse = { level: 'all', about: abilities.join('; ') };
  return [...offered, all].map((one) => ({ ...one, title: one.title ?? LEVEL_TITLES[one.level] }));
}
