// Owns the making and changing of one site by a person: the checks of a file of sites, for one entry without its goals.
// Fields in -> saved, or the faults by field; nothing is written then. A tracking id never changes: data hang on it.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { inTransaction } from '../../import/connection';
import { waitForSites } from '../../import/site-lock';
import { ChangedMeanwhile } from '../form-mark';
import { lockedSoon } from './locked-soon';
import { type FieldFault, faultsOf, siteFault } from './site-faults';
import { type SiteFields, siteFieldsSchema } from './site-file';
import {
  addSite,
  changeSite,
  freeDefault,
  lockSites,
  markOfSite,
  type ShownSite,
  type StoredSite,
  storedSite,
} from './write-site';
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
