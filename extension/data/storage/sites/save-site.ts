// Saves a site from a form, without its goals.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { type FieldFault, faultsOf, siteFault } from '../field-faults';
import { ChangedMeanwhile, markOf } from '../form-mark';
import { followDomain } from '../goals/conversions';
import { inTransaction } from '../in-transaction';
import { lockedSoon, lockSiteData, lockSites } from '../site-locks';
import type { SiteFacts } from './list-sites';
import { type SiteFields, siteFieldsSchema } from './site-file';
import { readZoneNames, ZONE_FAULT } from './zone-name';

export type SaveMode = 'add' | 'change';

/** The fields of a site that can be changed. The tracking id cannot, because the site's data is stored under it. */
export type ShownSite = Omit<SiteFacts, 'trackingId'>;

interface StoredSite extends ShownSite {
  readonly siteId: number;
}

const NO_DEFAULT = 'one site must be the default; make another site the default first';
const IMPORTING = 'Data is being imported into this site. Try again later.';
const BUSY = 'Someone else is changing the sites. Try again later.';

/**
 * Saves a site. Returns the errors in it; the site is saved if there are none. `mark` is the mark of the site that the form showed;
 * throws ChangedMeanwhile if the stored site differs.
 */
export async function saveSite(
  write: Knex,
  { trackingId, domain, name, timezone, isDefault, retentionDays }: SiteFacts,
  mode: SaveMode,
  mark?: string,
): Promise<readonly FieldFault[]> {
  const fields = {
    tracking_id: trackingId,
    domain,
    name,
    timezone,
    default: isDefault,
    retention_days: retentionDays,
  };
  const parsed = siteFieldsSchema.safeParse(fields, { error: siteFault });
  if (!parsed.success) return faultsOf(parsed.error);
  return inTransaction(write, async (client) => {
    if (!(await lockedSoon(client, () => lockSites(client)))) return [{ path: '', message: BUSY }];
    return saveLocked(client, parsed.data, mode, mark);
  });
}

async function saveLocked(
  client: ClientBase,
  asked: SiteFields,
  mode: SaveMode,
  mark: string | undefined,
): Promise<readonly FieldFault[]> {
  const timezone = (await readZoneNames(client, [asked.timezone]))(asked.timezone);
  if (timezone === undefined) return [{ path: 'timezone', message: ZONE_FAULT }];
  const site = { ...asked, timezone };
  const stored = await findStoredSite(client, site.tracking_id);
  if (mode === 'add' && stored !== undefined)
    return [{ path: 'tracking_id', message: `site ${site.tracking_id} already exists` }];
  if (mode === 'change' && stored === undefined)
    return [{ path: 'tracking_id', message: `there is no site ${site.tracking_id}` }];
  if (stored !== undefined && mark !== undefined && markOfSite(stored) !== mark)
    throw new ChangedMeanwhile<ShownSite>(stored);
  if (stored?.isDefault === true && !site.default) return [{ path: 'default', message: NO_DEFAULT }];
  // An import locks its site's row, since it increments the data version.
  const isSaved = await lockedSoon(client, async () => {
    if (site.default) await freeDefault(client, site.tracking_id);
    if (stored === undefined) await addSite(client, site);
    else if (!isSame(stored, site)) await changeSite(client, stored, site);
  });
  return isSaved ? [] : [{ path: '', message: IMPORTING }];
}

export const markOfSite = ({ domain, name, timezone, isDefault, retentionDays }: ShownSite): string =>
  markOf([domain, name, timezone, isDefault, retentionDays]);

export const isSame = (
  stored: StoredSite,
  { domain, name, timezone, default: isDefault, retention_days: retentionDays }: SiteFields,
): boolean => markOfSite(stored) === markOfSite({ domain, name, timezone, isDefault, retentionDays });

export async function findStoredSite(
  client: ClientBase,
  trackingId: string,
): Promise<StoredSite | undefined> {
  const { rows } = await client.query<StoredSite>(
    `SELECT site_id AS "siteId", domain, name, timezone, is_default AS "isDefault", retention_days AS "retentionDays"
       FROM analytics.site WHERE tracking_id = $1`,
    [trackingId],
  );
  return rows[0];
}

/** Unsets the current default site, since there can be only one. */
export async function freeDefault(client: ClientBase, newDefault: string): Promise<void> {
  await client.query('UPDATE analytics.site SET is_default = false WHERE is_default AND tracking_id <> $1', [
    newDefault,
  ]);
}

/** Adds a site with its version and import rules. Returns its id. */
export async function addSite(
  client: ClientBase,
  { tracking_id, domain, name, timezone, default: isDefault, retention_days: retentionDays }: SiteFields,
): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone, is_default, retention_days) VALUES ($1, $2, $3, $4, $5, $6)
     RETURNING site_id AS id`,
    [tracking_id, domain, name, timezone, isDefault, retentionDays],
  );
  const id = rows[0]?.id ?? 0;
  await client.query('INSERT INTO analytics.site_version (site_id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
  await client.query('INSERT INTO analytics.import_rules (site_id) VALUES ($1)', [id]);
  return id;
}

export async function changeSite(
  client: ClientBase,
  { siteId, domain: before }: StoredSite,
  { tracking_id, domain, name, timezone, default: isDefault, retention_days: retentionDays }: SiteFields,
): Promise<void> {
  await client.query(
    `UPDATE analytics.site SET domain = $1, name = $2, timezone = $3, is_default = $4, retention_days = $5
      WHERE site_id = $6`,
    [domain, name, timezone, isDefault, retentionDays, siteId],
  );
  if (domain !== before) {
    await lockSiteData(client, [tracking_id]);
    await followDomain(client, siteId);
  }
  await raiseVersion(client, siteId);
}

/** For changes that fire no trigger. Waits for a running import into the site. */
export async function raiseVersion(client: ClientBase, siteId: number): Promise<void> {
  await client.query('UPDATE analytics.site_version SET data_version = data_version + 1 WHERE site_id = $1', [
    siteId,
  ]);
}
