// Saves one site that a person filled in, checked like an entry of a file of sites. Its goals stay as they are.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { type FieldFault, faultsOf, siteFault } from '../field-faults';
import { ChangedMeanwhile, markOf } from '../form-mark';
import { followDomain } from '../goals/conversions';
import { inTransaction } from '../in-transaction';
import { lockedSoon, lockSiteData, lockSites } from '../site-locks';
import type { SiteFacts } from './list-sites';
import { type SiteFields, siteFieldsSchema } from './site-file';
import { ZONE_FAULT, zoneName } from './zone-name';

export type SaveMode = 'add' | 'change';

/** What can change of a site. Its tracking id cannot: its data belong to it. */
export type ShownSite = Omit<SiteFacts, 'trackingId'>;

interface StoredSite extends ShownSite {
  readonly siteId: number;
}

const NO_DEFAULT = 'one site must be the default: make another one the default instead';
const IMPORTING = 'Rows of this site are being imported; try again when that is done.';
const BUSY = 'The sites are being changed by somebody else; try again when that is done.';

/**
 * Saves a site. Gives the faults, or none if it is saved. `mark` is that of the site as the form showed it (`markOfSite`):
 * throws ChangedMeanwhile if another one is stored by now.
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
  const timezone = await zoneName(client, asked.timezone);
  if (timezone === undefined) return [{ path: 'timezone', message: ZONE_FAULT }];
  const site = { ...asked, timezone };
  const stored = await findStoredSite(client, site.tracking_id);
  if (mode === 'add' && stored !== undefined)
    return [{ path: 'tracking_id', message: `there is a site ${site.tracking_id} already` }];
  if (mode === 'change' && stored === undefined)
    return [{ path: 'tracking_id', message: `there is no site ${site.tracking_id}` }];
  if (stored !== undefined && mark !== undefined && markOfSite(stored) !== mark)
    throw new ChangedMeanwhile<ShownSite>(stored);
  if (stored?.isDefault === true && !site.default) return [{ path: 'default', message: NO_DEFAULT }];
  // An import holds the row of its site, whose data version it raises.
  const isSaved = await lockedSoon(client, async () => {
    if (site.default) await freeDefault(client, site.tracking_id);
    if (stored === undefined) await addSite(client, site);
    else if (!isSame(stored, site)) await changeSite(client, stored, site);
  });
  return isSaved ? [] : [{ path: '', message: IMPORTING }];
}

/** The mark of a form that shows this site. */
export const markOfSite = ({ domain, name, timezone, isDefault, retentionDays }: ShownSite): string =>
  markOf([domain, name, timezone, isDefault, retentionDays]);

/** Whether a site is stored with these fields already. */
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

/** Takes the default from the site that has it, because only one can. */
export async function freeDefault(client: ClientBase, newDefault: string): Promise<void> {
  await client.query('UPDATE analytics.site SET is_default = false WHERE is_default AND tracking_id <> $1', [
    newDefault,
  ]);
}

/** Adds a site with its version and the secret of its visitors, and gives its id. */
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

/** For changes that no trigger sees. Waits for an import of the site. */
export async function raiseVersion(client: ClientBase, siteId: number): Promise<void> {
  await client.query('UPDATE analytics.site_version SET data_version = data_version + 1 WHERE site_id = $1', [
    siteId,
  ]);
}
