// Owns the sites of the installation: applies a file of them, and lists them.
// Parsed YAML in -> what was made, changed or left as it was. Sites that the file does not name are left alone.
import type { Knex } from 'knex';
import { type GoalEntry, parseSiteFile, type SiteEntry } from './site-file';

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
  return write.transaction(async (transaction) => {
    await transaction.raw('SELECT pg_advisory_xact_lock(?)', [SITES_LOCK]);
    // The default moves: it is taken from its holder first, for only one site can have it.
    const newDefault = sites.find((site) => site.default);
    if (newDefault !== undefined) {
      await transaction.raw(
        'UPDATE analytics.site SET is_default = false WHERE is_default AND tracking_id <> ?',
        [newDefault.tracking_id],
      );
    }
    const applied: AppliedSite[] = [];
    for (const site of sites) {
      applied.push({ trackingId: site.tracking_id, outcome: await applySite(transaction, site) });
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

async function applySite(transaction: Knex.Transaction, site: SiteEntry): Promise<SiteOutcome> {
  const { tracking_id, domain, name, timezone } = site;
  const stored: { rows: { site_id: number; same: boolean }[] } = await transaction.raw(
    `SELECT site_id, (domain, name, timezone, is_default) = (?, ?, ?, ?::boolean) AS same
       FROM analytics.site WHERE tracking_id = ?`,
    [domain, name, timezone, site.default, tracking_id],
  );
  const before = stored.rows[0];
  if (before === undefined) {
    const made: { rows: { site_id: number }[] } = await transaction.raw(
      `INSERT INTO analytics.site (tracking_id, domain, name, timezone, is_default) VALUES (?, ?, ?, ?, ?)
       RETURNING site_id`,
      [tracking_id, domain, name, timezone, site.default],
    );
    await applyGoals(transaction, made.rows[0]?.site_id ?? 0, site.goals);
    return 'created';
  }
  const goalsChanged = await applyGoals(transaction, before.site_id, site.goals);
  if (before.same && !goalsChanged) return 'unchanged';
  await transaction.raw(
    `UPDATE analytics.site SET domain = ?, name = ?, timezone = ?, is_default = ?, data_version = data_version + 1
      WHERE site_id = ?`,
    [domain, name, timezone, site.default, before.site_id],
  );
  return 'updated';
}

/** Makes the goals of a site those of the file; answers whether one is different now. */
async function applyGoals(
  transaction: Knex.Transaction,
  siteId: number,
  goals: readonly GoalEntry[],
): Promise<boolean> {
  const numbers = goals.map((goal) => goal.id);
  const gone: { rowCount: number } = await transaction.raw(
    'DELETE FROM analytics.goal WHERE site_id = ? AND NOT (goal_no = ANY(?::smallint[]))',
    [siteId, numbers],
  );
  let changed = gone.rowCount > 0;
  for (const goal of goals) {
    const written: { rowCount: number } = await transaction.raw(
      `INSERT INTO analytics.goal AS g (site_id, goal_no, name, type, condition) VALUES (?, ?, ?, ?, ?::jsonb)
       ON CONFLICT (site_id, goal_no) DO UPDATE
          SET name = excluded.name, type = excluded.type, condition = excluded.condition
        WHERE (g.name, g.type, g.condition) IS DISTINCT FROM (excluded.name, excluded.type, excluded.condition)`,
      [siteId, goal.id, goal.name, goal.type, JSON.stringify(goal.condition)],
    );
    if (written.rowCount > 0) changed = true;
  }
  return changed;
}
