// Owns the making and changing of one site by a person: the checks of a file of sites, for one entry without its goals.
// Fields in -> saved, or the faults by field; nothing is written then. A tracking id never changes: data hang on it.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { loadRollups } from '../../../manifests/reader/rollups';
import { followZone } from '../../rollups/refresh-rollups';
import { type FieldFault, faultsOf, siteFault } from '../field-faults';
import { ChangedMeanwhile, markOf } from '../form-mark';
import { inTransaction } from '../in-transaction';
import { lockedSoon, waitForSites } from '../site-locks';
import { type SiteFields, siteFieldsSchema } from './site-file';
import { ZONE_FAULT, zoneName } from './zone-name';

export interface SiteForm {
  readonly trackingId: string;
  readonly domain: string;
  readonly name: string;
  /** The full name of a time zone. */
  readonly timezone: string;
  readonly isDefault: boolean;
}

export type SaveMode = 'add' | 'change';

const NO_DEFAULT = 'one site must be the default: make another one the default instead';
const IMPORTING = 'rows of this site are being imported; give it another zone when that is done';
const BUSY = 'The sites are being changed by somebody else; try again when that is done.';

/**
 * Saves a site; its goals stay as they are. Answers its faults, none when it is saved. `mark` is that of the site as the
 * form showed it (`markOfSite`): throws ChangedMeanwhile when another one is stored by now.
 */
export async function saveSite(
  write: Knex,
  form: SiteForm,
  mode: SaveMode,
  mark?: string,
): Promise<readonly FieldFault[]> {
  const { trackingId, domain, name, timezone, isDefault } = form;
  const fields = { tracking_id: trackingId, domain, name, timezone, default: isDefault };
  const parsed = siteFieldsSchema.safeParse(fields, { error: siteFault });
  if (!parsed.success) return faultsOf(parsed.error);
  return inTransaction(write, async (client) => {
    if (!(await lockedSoon(client, () => lockSites(client)))) return [{ path: '', message: BUSY }];
    return writeOne(client, parsed.data, mode, mark);
  });
}

async function writeOne(
  client: ClientBase,
  asked: SiteFields,
  mode: SaveMode,
  mark: string | undefined,
): Promise<readonly FieldFault[]> {
  const timezone = await zoneName(client, asked.timezone);
  if (timezone === undefined) return [{ path: 'timezone', message: ZONE_FAULT }];
  const site = { ...asked, timezone };
  const stored = await storedSite(client, site);
  if (mode === 'add' && stored !== undefined)
    return [{ path: 'tracking_id', message: `there is a site ${site.tracking_id} already` }];
  if (mode === 'change' && stored === undefined)
    return [{ path: 'tracking_id', message: `there is no site ${site.tracking_id}` }];
  if (stored !== undefined && mark !== undefined && markOfSite(stored) !== mark)
    throw new ChangedMeanwhile<ShownSite>(stored);
  if (stored?.isDefault === true && !site.default) return [{ path: 'default', message: NO_DEFAULT }];
  if (site.default) await freeDefault(client, site.tracking_id);
  if (stored === undefined) await addSite(client, site);
  else if (!stored.same) return change(client, stored, site);
  return [];
}

/** Days follow the zone, and what is kept counted by days follows with it: no import may run meanwhile. */
async function change(
  client: ClientBase,
  stored: StoredSite,
  site: SiteFields,
): Promise<readonly FieldFault[]> {
  if (stored.timezone !== site.timezone) {
    const free = await lockedSoon(client, () => waitForSites(client, [site.tracking_id]));
    if (!free) return [{ path: 'timezone', message: IMPORTING }];
  }
  await changeSite(client, stored, site);
  return [];
}

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
