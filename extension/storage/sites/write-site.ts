// Owns the statements that write a site itself: made or changed, and which one is the default.
// Checked fields in -> rows of analytics.site. All of it inside a transaction that holds the lock of the sites.
import type { ClientBase } from 'pg';
import { loadRollups } from '../../../manifests/reader/rollups';
import { followZone } from '../../rollups/refresh-rollups';
import { markOf } from '../form-mark';
import type { SiteFields } from './site-file';

const SITES_LOCK = 7_216_002;

/** One change of the list of sites at a time; held until the end of the transaction. */
export async function lockSites(client: ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [SITES_LOCK]);
}

/** The default moves: it is taken from its holder first, for only one site can have it. */
export async function freeDefault(client: ClientBase, newDefault: string): Promise<void> {
  await client.query('UPDATE analytics.site SET is_default = false WHERE is_default AND tracking_id <> $1', [
    newDefault,
  ]);
}

/** The fields of a site that a form shows and a file says. */
export interface ShownSite {
  readonly domain: string;
  readonly name: string;
  readonly timezone: string;
  readonly isDefault: boolean;
}

export interface StoredSite extends ShownSite {
  readonly siteId: number;
  /** Its fields are those that were asked about. */
  readonly same: boolean;
}

/** What a form that shows a site is filled from, as `saveSite` takes it back. */
export const markOfSite = ({ domain, name, timezone, isDefault }: ShownSite): string =>
  markOf([domain, name, timezone, isDefault]);

/** The site of this tracking id, and whether its fields are these already. */
export async function storedSite(
  client: ClientBase,
  { tracking_id, domain, name, timezone, default: isDefault }: SiteFields,
): Promise<StoredSite | undefined> {
  const { rows } = await client.query<Omit<StoredSite, 'same'>>(
    `SELECT site_id AS "siteId", domain, name, timezone, is_default AS "isDefault"
       FROM analytics.site WHERE tracking_id = $1`,
    [tracking_id],
  );
  const [stored] = rows;
  return (
    stored && { ...stored, same: markOfSite(stored) === markOfSite({ domain, name, timezone, isDefault }) }
  );
}

/** Makes a site; answers its id. */
export async function addSite(
  client: ClientBase,
  { tracking_id, domain, name, timezone, default: isDefault }: SiteFields,
): Promise<number> {
  const made = await client.query<{ site_id: number }>(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone, is_default) VALUES ($1, $2, $3, $4, $5)
     RETURNING site_id`,
    [tracking_id, domain, name, timezone, isDefault],
  );
  return made.rows[0]?.site_id ?? 0;
}

/**
 * Gives a site these fields; its tracking id stays. With another time zone its days are others: what is kept counted is
 * computed again, so the caller must hold the lock of the site's data.
 */
export async function changeSite(
  client: ClientBase,
  { siteId, timezone: before }: StoredSite,
  { domain, name, timezone, default: isDefault }: SiteFields,
): Promise<void> {
  await client.query(
    `UPDATE analytics.site SET domain = $1, name = $2, timezone = $3, is_default = $4, data_version = data_version + 1
      WHERE site_id = $5`,
    [domain, name, timezone, isDefault, siteId],
  );
  if (timezone !== before) await followZone({ client, siteId, rollups: loadRollups() });
}
