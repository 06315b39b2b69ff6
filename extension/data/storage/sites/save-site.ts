// Saves a site from a form, without its goals.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { markOf } from '../../../../host-shim/extension-api';
import { type Changed, type FieldFault, faultsOf, siteFault } from '../field-faults';
import { followDomain } from '../goals/conversions';
import { inTransaction } from '../in-transaction';
import { lockSiteData, lockSites, lockWithTimeout } from '../site-locks';
import { findSite, type Site, type SiteFacts } from './list-sites';
import { type SiteFields, siteFieldsSchema } from './site-file';
import { readZoneNames, ZONE_FAULT } from './zone-name';

export type SaveMode = 'add' | 'change';

const NO_DEFAULT = 'one site must be the default; make another site the default first';
const IMPORTING = 'Data is being imported into this site. Try again later.';
const BUSY = 'Someone else is changing the sites. Try again later.';

/**
 * Saves a site if it has no errors; returns the errors. `mark` identifies the state of the site that the form showed; if the
 * stored site differs, it is returned.
 */
export async function saveSite(
  write: Knex,
  typed: SiteFacts,
  mode: SaveMode,
  mark?: string,
): Promise<readonly FieldFault[] | Changed<SiteFacts>> {
  const parsed = siteFieldsSchema.safeParse(fieldsOf(typed), { error: siteFault });
  if (!parsed.success) return faultsOf(parsed.error);
  return inTransaction(write, async (client) => {
    if (!(await lockWithTimeout(client, () => lockSites(client)))) return [{ path: '', message: BUSY }];
    return saveLocked(client, parsed.data, mode, mark);
  });
}

async function saveLocked(
  client: ClientBase,
  requested: SiteFields,
  mode: SaveMode,
  mark: string | undefined,
): Promise<readonly FieldFault[] | Changed<SiteFacts>> {
  const timezone = (await readZoneNames(client, [requested.timezone]))(requested.timezone);
  if (timezone === undefined) return [{ path: 'timezone', message: ZONE_FAULT }];
  const site = { ...requested, timezone };
  const stored = await findSite(client, site.tracking_id);
  if (mode === 'add' && stored !== undefined)
    return [{ path: 'tracking_id', message: `site ${site.tracking_id} already exists` }];
  if (mode === 'change' && stored === undefined)
    return [{ path: 'tracking_id', message: `there is no site ${site.tracking_id}` }];
  if (stored !== undefined && mark !== undefined && markOfSite(stored) !== mark) return { stored };
  if (stored?.isDefault === true && !site.default) return [{ path: 'default', message: NO_DEFAULT }];
  const isSaved = await lockWithTimeout(client, async () => {
    if (site.default) await freeDefault(client, site.tracking_id);
    if (stored === undefined) await addSite(client, site);
    else if (!isSame(stored, site)) {
      await lockSiteData(client, site.tracking_id);
      await changeSite(client, stored, site);
    }
  });
  return isSaved ? [] : [{ path: '', message: IMPORTING }];
}

/** A site as an entry in a sites file. */
export const fieldsOf = ({
  trackingId,
  domain,
  name,
  timezone,
  isDefault,
  retentionDays,
}: SiteFacts): SiteFields => ({
  tracking_id: trackingId,
  domain,
  name,
  timezone,
  default: isDefault,
  retention_days: retentionDays,
});

/** The values that can be changed. The tracking id cannot, because the site's data is stored under it. */
const valuesOf = ({ domain, name, timezone, default: isDefault, retention_days }: SiteFields) => [
  domain,
  name,
  timezone,
  isDefault,
  retention_days,
];

export const markOfSite = (site: SiteFacts): string => markOf(valuesOf(fieldsOf(site)));

export const isSame = (stored: Site, site: SiteFields): boolean =>
  markOfSite(stored) === markOf(valuesOf(site));

/** Unsets the current default site, since there can be only one. */
export async function freeDefault(client: ClientBase, newDefault: string): Promise<void> {
  await client.query('UPDATE analytics.site SET is_default = false WHERE is_default AND tracking_id <> $1', [
    newDefault,
  ]);
}

/** Adds a site with its version and import rules. Returns its id. */
export async function addSite(client: ClientBase, site: SiteFields): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone, is_default, retention_days) VALUES ($1, $2, $3, $4, $5, $6)
     RETURNING site_id AS id`,
    [site.tracking_id, ...valuesOf(site)],
  );
  const id = rows[0]?.id ?? 0;
  await client.query('INSERT INTO analytics.site_version (site_id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
  await client.query('INSERT INTO analytics.import_rules (site_id) VALUES ($1)', [id]);
  return id;
}

/** Changes a stored site. The caller must hold the lock on its data. */
export async function changeSite(client: ClientBase, stored: Site, site: SiteFields): Promise<void> {
  const { siteId } = stored;
  await client.query(
    `UPDATE analytics.site SET domain = $2, name = $3, timezone = $4, is_default = $5, retention_days = $6
      WHERE site_id = $1`,
    [siteId, ...valuesOf(site)],
  );
  if (site.domain !== stored.domain) await followDomain(client, siteId, stored.domain, site.domain);
  await raiseVersion(client, siteId);
}

/**
 * Increments a site's data version after changes that fire no trigger. Waits for a running import into the site. Only a version
 * without recorded changes invalidates all cached results, and the next version may already have new strings, so this adds two.
 * It takes two statements, since a trigger makes each statement add exactly one.
 */
export async function raiseVersion(client: ClientBase, siteId: number): Promise<void> {
  const text = 'UPDATE analytics.site_version SET data_version = data_version + 1 WHERE site_id = $1';
  for (let times = 0; times < 2; times += 1) await client.query(text, [siteId]);
}
