// What each role may do. Names are WordPress's where it has one.
import type { Capability, HostUser } from '../extension-api';

export const ROLES = ['administrator', 'analyst'] as const satisfies readonly HostUser['role'][];

export const CAPABILITIES: Readonly<Record<HostUser['role'], readonly Capability[]>> = {
  administrator: ['read', 'list_users', 'edit_users', 'manage_sites', 'activate_plugins', 'manage_options'],
  analyst: ['read'],
};

/** All that a key may do that is weaker than its owner. */
export const CAPABILITIES_OF_RESTRICTED_KEYS: readonly Capability[] = ['read'];
