/** A permission beyond reading the account's sites. It comes from the account's role or the application password's level. */
export type Capability =
  | 'read'
  | 'list_users'
  | 'edit_users'
  | 'manage_sites'
  | 'import'
  | 'activate_plugins'
  | 'manage_options';

/** Levels of application passwords. `manage` allows what the owner may do, except importing; `all` includes importing. */
export const KEY_LEVELS = ['read', 'import', 'manage', 'all'] as const;
export type KeyLevel = (typeof KEY_LEVELS)[number];

/** Stored for a link, so that its page can apply the limit. Lists of links show its name. */
export interface KeptLimit {
  readonly name: string;
}

export interface ApplicationKey {
  readonly uuid: string;
  readonly name: string;
  /** Percentage of the owner's rate limit; null = all of it. */
  readonly rateShare: number | null;
  /** Whether the level is `read` or `import`. A restricted password cannot create or change passwords, and sees only itself. */
  readonly restricted: boolean;
  /** For a link: the only page that it opens. */
  readonly opens?: string;
  /** For a link: the limit that `LinkLimit.read` returned; null for none. */
  readonly linkLimit?: KeptLimit | null;
  /** For a link: the address or network that uses it, for rate limits. */
  readonly visitor?: string;
}

/** An authenticated user, limited to what the credentials of this call allow. */
export interface HostUser {
  readonly id: number;
  readonly login: string;
  readonly displayName: string;
  readonly role: 'administrator' | 'analyst' | 'viewer';
  readonly capabilities: readonly Capability[];
  /** Ids of the sites that this call may read. `all` for an administrator, unless the key limits it. */
  readonly sites: 'all' | readonly string[];
  /** IANA time zone in which this user sees times. Sites have their own time zones. */
  readonly timezone: string;
  /** null in a browser session and on the command line. */
  readonly key: ApplicationKey | null;
}

/** A site that users can be granted, as reported by an extension. */
export interface KnownSite {
  readonly trackingId: string;
  readonly name: string;
  readonly domain: string;
  readonly timezone: string;
}
