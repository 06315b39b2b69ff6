// What the host knows of an account, as the user of a call: by itself, or as far as a key reaches.
import { z } from 'zod';
import type { ApplicationKey, HostUser } from '../extension-api';
import { CAPABILITIES, CAPABILITIES_OF_RESTRICTED_KEYS } from './roles';

/** An account as the table has it. */
export interface AccountRow {
  readonly user_id: number;
  readonly login: string;
  readonly display_name: string;
  readonly role: HostUser['role'];
  readonly meta: unknown;
  readonly disabled: boolean;
  /** Tracking ids that are granted. */
  readonly sites: readonly string[];
}

/** Columns of an AccountRow, of host.users as `u`. */
export const ACCOUNT_COLUMNS = `u.user_id, u.login, u.display_name, u.role, u.meta, u.disabled,
  ARRAY(SELECT tracking_id FROM host.user_sites s WHERE s.user_id = u.user_id ORDER BY 1) AS sites`;

const metaSchema = z.looseObject({ timezone: z.string().default('UTC') }).catch({ timezone: 'UTC' });

/** What a person chose. */
export type UserMeta = z.infer<typeof metaSchema>;

export const readMeta = (meta: unknown): UserMeta => metaSchema.parse(meta);

/** The owner of an account, in person. */
export function userOf(row: AccountRow): HostUser {
  return {
    id: row.user_id,
    login: row.login,
    displayName: row.display_name,
    role: row.role,
    capabilities: CAPABILITIES[row.role],
    sites: row.role === 'administrator' ? 'all' : row.sites,
    timezone: readMeta(row.meta).timezone,
    key: null,
  };
}

/** The same through a key: never more than its owner at this moment. `sites` null = all that the owner sees. */
export function throughKey(owner: HostUser, key: ApplicationKey, sites: readonly string[] | null): HostUser {
  return {
    ...owner,
    key,
    capabilities: key.restricted ? CAPABILITIES_OF_RESTRICTED_KEYS : owner.capabilities,
    sites: sites === null ? owner.sites : sites.filter((site) => maySeeSite(owner, site)),
  };
}

/** Whether a site is one of the user's. */
export const maySeeSite = ({ sites }: HostUser, trackingId: string): boolean =>
  sites === 'all' || sites.includes(trackingId);
