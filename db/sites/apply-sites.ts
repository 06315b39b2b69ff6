// Owns the sites of the installation: applies a file of them, and lists them.
// Parsed YAML in -> what was made, changed or left as it was. Sites that the file does not name are left alone.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { databasePatternFault } from '../goals/goal-pattern';
import type { Goal } from '../goals/goal-schema';
import { rebuildConversions } from '../goals/keep-conversions';
import { inTransaction } from '../import/connection';
import { waitForSites } from '../import/site-lock';
import { parseSiteFile, type SiteEntry, SitesError } from './site-file';

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

const SITES_LOCK = 7_216_002;

/** Applies a parsed file of sites, all of it or nothing. Throws a SitesError when it is not right. */
export async function applySites(write: Knex, file: unknown): Promise<readonly AppliedSite[]> {
  const sites = parseSiteFile(file);
  return inTransaction(write, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [SITES_LOCK]);
    await refusePatterns(client, sites);
    // Conversions follow goals, and imports keep conversions: both at once would miss each other's rows.
    await waitForSites(
      client,
      sites.map((site) => site.tracking_id),
    );
    // The default moves: it is taken from its holder first, for only one site can have it.
    const newDefault = sites.find((site) => site.default);
    if (newDefault !== undefined) {
      await client.query(
        'UPDATE analytics.site SET is_default = false WHERE is_default AND tracking_id <> $1',
        [newDefault.tracking_id],
      );
    }
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
  const { tracking_id, domain, name, timezone } = site;
  const stored = await client.query<{ site_id: number; same: boolean }>(
    `SELECT site_id, (domain, name, timezone, is_default) = ($1, $2, $3, $4::boolean) AS same
       FROM analytics.site WHERE tracking_id = $5`,
    [domain, name, timezone, site.default, tracking_id],
  );
  const before = stored.rows[0];
  if (before === undefined) {
    const made = await client.query<{ site_id: number }>(
      `INSERT INTO analytics.site (tracking_id, domain, name, timezone, is_default) VALUES ($1, $2, $3, $4, $5)
       RETURNING site_id`,
      [tracking_id, domain, name, timezone, site.default],
    );
    await applyGoals(client, made.rows[0]?.site_id ?? 0, site.goals);
    return 'created';
  }
  const goalsChanged = await applyGoals(client, before.site_id, site.goals);
  if (before.same && !goalsChanged) return 'unchanged';
  await client.query(
    `UPDATE analytics.site SET domain = $1, name = $2, timezone = $3, is_default = $4, data_version = data_version + 1
      WHERE site_id = $5`,
    [domain, name, timezone, site.default, before.site_id],
  );
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
  for (const goal of goals) {
    const written = await client.query(
      `INSERT INTO analytics.goal AS g (site_id, goal_no, name, type, condition) VALUES ($1, $2, $3, $4, $5::jsonb)
       ON CONFLICT (site_id, goal_no) DO UPDATE
          SET name = excluded.name, type = excluded.type, condition = excluded.condition
        WHERE (g.name, g.type, g.condition) IS DISTINCT FROM (excluded.name, excluded.type, excluded.condition)`,
      [siteId, goal.id, goal.name, goal.type, JSON.stringify(goal.condition)],
    );
    if (written.rowCount === 0) continue;
    changed = true;
    await rebuildConversions(client, siteId, goal);
  }
  return changed;
}

/** What only the database can tell of a file: whether it reads the patterns of goals. */
async function refusePatterns(client: ClientBase, sites: readonly SiteEntry[]): Promise<void> {
  const faults: SitesError['faults'][number][] = [];
  for (const [place, site] of sites.entries()) {
    for (const [goalPlace, goal] of site.goals.entries()) {
      if (goal.type !== 'gtype_page' || goal.condition.match !== 'regex') continue;
      const message = await databasePatternFault(client, goal.condition.url);
      const path = `sites[${place}].goals[${goalPlace}].condition.url`;
      if (message !== undefined) faults.push({ path, message });
    }
  }
  if (faults.length > 0) throw new SitesError(faults);
}
