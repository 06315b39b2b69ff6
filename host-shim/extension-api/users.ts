// Who calls, and what they may see.

/**
 * What an account may do besides reading its sites. accounts/accounts.ts has the capabilities of each role. Through an
 * application password there are those of its level alone.
 */
export type Capability =
  | 'read'
  | 'list_users'
  | 'edit_users'
  | 'manage_sites'
  | 'import'
  | 'activate_plugins'
  | 'manage_options';

/**
 * What an application password may do: read; read and import; everything but import what its owner may; everything that its
 * owner may. auth/key-levels.ts has the capabilities of each.
 */
export const KEY_LEVELS = ['read', 'import', 'manage', 'all'] as const;
export type KeyLevel = (typeof KEY_LEVELS)[number];

/** The application password that a call was made with. */
export interface ApplicationKey {
  readonly uuid: string;
  readonly name: string;
  /** Per cent of its owner's rate limit; null = all of it. */
  readonly rateShare: number | null;
  /** Its level is `read` or `import`. Such a password cannot create or change passwords, and sees only itself. */
  readonly restricted: boolean;
  /** Of a link: the page that it opens, with the routes of that page, and nothing else. */
  readonly opens?: string;
}

/** A logged-in user, limited to what the credentials of this call allow. */
export interface HostUser {
  readonly id: number;
  readonly login: string;
  readonly displayName: string;
  readonly role: 'administrator' | 'analyst';
  readonly capabilities: readonly Capability[];
  /** Ids of the sites this call may read. `all` for an administrator, unless the key limits it. */
  readonly sites: 'all' | readonly string[];
  /** IANA name of the time zone in which this person is shown instants. Sites have their own time zones. */
  readonly timezone: string;
  /** null in a session of the pages and on the command line. */
  readonly key: ApplicationKey | null;
}

/** A site that users can be granted. Extensions tell the host which there are. */
export interface KnownSite {
  readonly trackingId: string;
  readonly name: string;
  readonly domain: string;
  readonly timezone: string;
}
