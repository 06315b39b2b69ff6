// The levels of application passwords: how much of what its owner may do a password may do too.
import { type Capability, KEY_LEVELS, type KeyLevel } from '../extension-api';

/** For lists. */
export const LEVEL_IN_WORDS: Readonly<Record<KeyLevel, string>> = {
  read: 'only reads',
  import: 'reads and imports',
  manage: 'everything but imports',
  all: 'everything its owner may do',
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
