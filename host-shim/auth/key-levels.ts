// The levels of application passwords: how much of what its owner may do a password may do too.
import { type Capability, KEY_LEVELS, type KeyLevel } from '../extension-api';

/** The names that people know them by: in forms, lists and on the command line. */
export const LEVEL_TITLES: Readonly<Record<KeyLevel, string>> = {
  read: 'Read',
  import: 'Read and import',
  manage: 'Everything but imports',
  all: 'Everything this account may do (as WordPress does)',
};

/** Whether it may do what its owner may to accounts, application passwords and the installation. */
export const manages = (level: KeyLevel): boolean => level === 'manage' || level === 'all';

const reaches = (level: KeyLevel, capability: Capability): boolean => {
  if (capability === 'read') return true;
  return capability === 'import' ? level === 'import' || level === 'all' : manages(level);
};

/** What is left of an owner's capabilities through a password. */
export const withinLevel = (level: KeyLevel, owner: readonly Capability[]): readonly Capability[] =>
  owner.filter((capability) => reaches(level, capability));

/** The levels that a caller can give to a password of an owner: none may do more than the caller. */
export const grantableLevels = (
  owner: readonly Capability[],
  caller: readonly Capability[],
): readonly KeyLevel[] =>
  KEY_LEVELS.filter(
    (level) =>
      withinLevel(level, owner).every((capability) => caller.includes(capability)) &&
      (level !== 'import' || owner.includes('import')),
  );
