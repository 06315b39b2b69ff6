// Owns the sites of the installation: applies a file of them, and lists them.
// Parsed YAML in -> what was made, changed or left as it was. Sites that the file does not name are left alone.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { FieldFault } from '../field-faults';
import type { Goal } from '../goals/goal-schema';
import { goalFaults, writeGoal } from '../goals/save-goal';
import { inTransaction } from '../in-transaction';
import { waitForSites } from '../site-locks';
import { addSite, changeSite, freeDefault, lockSites, storedSite } from './save-site';
import { parseSiteFile, type SiteEntry, SitesError } from './site-file';
import { ZONE_FAULT, zoneName } from './zone-name';

export type SiteOutcome = 'created' | 'updated' | 'unchanged';

export interface AppliedSite {
  readonly trackingId: string;
  readonly outcome: SiteOutcome;
}

export interface ListedSite {
  readonly trackingId: string;
  readonly domain: string;
  readonly name: string;
  readonly timezone: string;
  readonly isDefault: boolean;
  readonly goals: number;
  readonly views: number;
}

/** Applies a parsed file of sites, all of it or nothing. Throws a SitesError when it is not right. */
export async function applySites(write: Knex, file: unknown): Promise<readonly AppliedSite[]> {
  const asked = parseSiteFile(file);
  return inTransaction(write, async (client) => {
    await lockSites(client);
    const sites = await withZoneNames(client, asked);
    await refusePatterns(client, sites);
    // Conversions follow goals, and imports keep conversions: both at once would miss each other's rows.
    await waitForSites(
      client,
      sites.map((site) => site.tracking_id),
    );
    const newDefault = sites.find((site) => site.default);
    if (newDefault !== undefined) await freeDefault(client, newDefault.tracking_id);
    const applied: AppliedSite[] = [];
    for (const site of sites) {
      applied.push({ trackingId: site.tracking_id, outcome: await applySite(client, site) });
    }
    return applied;
  });
}

/** All sites, the default first, then by name. */
export async function listSites(write: Knex): Promise<readonly ListedSite[]> {
  const answer: { rows: ListedSite[] } = await write.raw(
    `SELECT s.tracking_id AS "trackingId", s.domain, s.name, s.timezone, s.is_default AS "isDefault",
            (SELECT count(*)::int FROM analytics.goal g WHERE g.site_id = s.site_id) AS goals,
            (SELECT count(*)::int FROM analytics.page_view v WHERE v.site_id = s.site_id) AS views
       FROM analytics.site s ORDER BY s.is_default DESC, s.name, s.tracking_id`,
  );
  return answer.rows;
}

async function applySite(client: ClientBase, site: SiteEntry): Promise<SiteOutcome> {
  const stored = await storedSite(client, site);
  const siteId = stored?.siteId ?? (await addSite(client, site));
  const goalsChanged = await applyGoals(client, siteId, site.goals);
  if (stored === undefined) return 'created';
  if (stored.same && !goalsChanged) return 'unchanged';
  await changeSite(client, stored, site);
  return 'updated';
}

/** Makes the goals of a site those of the file, and counts those that changed; answers whether one is different now. */
async function applyGoals(client: ClientBase, siteId: number, goals: readonly Goal[]): Promise<boolean> {
  const numbers = goals.map((goal) => goal.id);
  const gone = await client.query(
    'DELETE FROM analytics.goal WHERE site_id = $1 AND NOT (goal_no = ANY($2::smallint[]))',
    [siteId, numbers],
  );
  let changed = gone.rowCount !== 0;
  for (const goal of goals) changed = (await writeGoal(client, siteId, goal)) || changed;
  return changed;
}

/** The sites with their zones in the spelling that queries take. */
async function withZoneNames(client: ClientBase, sites: readonly SiteEntry[]): Promise<readonly SiteEntry[]> {
  const named: SiteEntry[] = [];
  const faults: FieldFault[] = [];
  for (const [place, site] of sites.entries()) {
    const timezone = await zoneName(client, site.timezone);
    if (timezone === undefined) faults.push({ path: `sites[${place}].timezone`, message: ZONE_FAULT });
    else named.push({ ...site, timezone });
  }
  if (faults.length > 0) throw new SitesError(faults);
  return named;
}

/** What only the database can tell of a file: whether it reads the patterns of goals. */
async function refusePatterns(client: ClientBase, sites: readonly SiteEntry[]): Promise<void> {
  const faults: FieldFault[] = [];
  for (const [place, site] of sites.entries()) {
    for (const [goalPlace, goal] of site.goals.entries()) {
      for (const { path, message } of await goalFaults(client, goal))
        faults.push({ path: `sites[${place}].goals[${goalPlace}].${path}`, message });
    }
  }
  if (faults.length > 0) throw new SitesError(faults);
}
