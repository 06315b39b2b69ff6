import { type Capability, KEY_LEVELS, type KeyLevel } from '../extension-api';

/** The levels' names in forms, in lists and on the command line. */
export const LEVEL_TITLES: Readonly<Record<KeyLevel, string>> = {
  read: 'Read',
  import: 'Read and import',
  manage: 'Everything except imports',
  all: 'Everything this account may do (as in WordPress)',
};

/** Whether a key of this level may change accounts, application passwords and the installation, if its owner may. */
export const manages = (level: KeyLevel): boolean => level === 'manage' || level === 'all';

const reaches = (level: KeyLevel, capability: Capability): boolean => {
  if (capability === 'read') return true;
  return capability === 'import' ? level === 'import' || level === 'all' : manages(level);
};

/** The owner's capabilities that a password of this level has. */
export const withinLevel = (level: KeyLevel, owner: readonly Capability[]): readonly Capability[] =>
  owner.filter((capability) => reaches(level, capability));

/** The levels that a caller may assign to an owner's password. None may exceed the caller's own rights. */
export const grantableLevels = (
  owner: readonly Capability[],
  caller: readonly Capability[],
): readonly KeyLevel[] =>
  KEY_LEVELS.filter(
    (level) =>
      withinLevel(level, owner).every((capability) => caller.includes(capability)) &&
      (level !== 'import' || owner.includes('import')),
  );
