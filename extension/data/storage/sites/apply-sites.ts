// Applies a sites file: sites with their goals. Sites that are not in the file are left unchanged.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { FieldFault } from '../field-faults';
import type { Goal } from '../goals/goal-schema';
import { goalFaults, writeGoal } from '../goals/save-goal';
import { inTransaction } from '../in-transaction';
import { lockSitesWithData } from '../site-locks';
import { writeChannelRules } from './channel-rules';
import { hasOtherSecret, writeImportRules } from './import-rules';
import { findSite } from './list-sites';
import { addSite, changeSite, freeDefault, isSame } from './save-site';
import { parseSiteFile, type SiteEntry, SitesError } from './site-file';
import { readZoneNames, ZONE_FAULT } from './zone-name';

type SiteOutcome = 'created' | 'updated' | 'unchanged';

interface AppliedSite {
  readonly trackingId: string;
  readonly outcome: SiteOutcome;
}

/** Applies all sites or none. Throws a SitesError that lists the errors. */
export async function applySites(write: Knex, file: unknown): Promise<readonly AppliedSite[]> {
  const requested = parseSiteFile(file);
  return inTransaction(write, async (client) => {
    // Imports and changes to goals both write conversions; without the lock, they would miss each other's rows. The check of the
    // secret must also see the visitors that a running import or erasure adds.
    await lockSitesWithData(
      client,
      requested.map((site) => site.tracking_id),
    );
    const sites = await checkInDatabase(client, requested);
    const newDefault = sites.find((site) => site.default);
    if (newDefault !== undefined) await freeDefault(client, newDefault.tracking_id);
    const applied: AppliedSite[] = [];
    for (const site of sites)
      applied.push({ trackingId: site.tracking_id, outcome: await applySite(client, site) });
    return applied;
  });
}

async function applySite(client: ClientBase, site: SiteEntry): Promise<SiteOutcome> {
  const stored = await findSite(client, site.tracking_id);
  const siteId = stored?.siteId ?? (await addSite(client, site));
  const rulesChanged = site.import !== undefined && (await writeImportRules(client, siteId, site.import));
  const channelsChanged = await writeChannelRules(client, siteId, site.channels);
  const restChanged = (await applyGoals(client, siteId, site.goals)) || rulesChanged || channelsChanged;
  if (stored === undefined) return 'created';
  if (isSame(stored, site) && !restChanged) return 'unchanged';
  await changeSite(client, stored, site);
  return 'updated';
}

/** Replaces a site's goals, and recomputes the conversions of changed goals. Returns whether any changed. */
async function applyGoals(client: ClientBase, siteId: number, goals: readonly Goal[]): Promise<boolean> {
  const gone = await client.query(
    'DELETE FROM analytics.goal WHERE site_id = $1 AND NOT (goal_no = ANY($2::smallint[]))',
    [siteId, goals.map((goal) => goal.id)],
  );
  let changed = gone.rowCount !== 0;
  for (const goal of goals) changed = (await writeGoal(client, siteId, goal)) || changed;
  return changed;
}

const OTHER_SECRET =
  'differs from the secret that this site already uses, so its logs would be imported twice, or erased visitors would come back; leave it out';

/** Returns the sites with the database's spelling of their time zones. Throws if the database rejects anything. */
async function checkInDatabase(
  client: ClientBase,
  sites: readonly SiteEntry[],
): Promise<readonly SiteEntry[]> {
  const checked: SiteEntry[] = [];
  const faults: FieldFault[] = [];
  const zoneName = await readZoneNames(
    client,
    sites.map((site) => site.timezone),
  );
  for (const [place, site] of sites.entries()) {
    const timezone = zoneName(site.timezone);
    if (timezone === undefined) faults.push({ path: `sites[${place}].timezone`, message: ZONE_FAULT });
    else checked.push({ ...site, timezone });
    const secret = site.import?.visitor_secret;
    if (secret !== undefined && (await hasOtherSecret(client, site.tracking_id, secret)))
      faults.push({ path: `sites[${place}].import.visitor_secret`, message: OTHER_SECRET });
    for (const [goalPlace, goal] of site.goals.entries()) {
      for (const { path, message } of await goalFaults(client, goal))
        faults.push({ path: `sites[${place}].goals[${goalPlace}].${path}`, message });
    }
  }
  if (faults.length > 0) throw new SitesError(faults);
  return checked;
}
