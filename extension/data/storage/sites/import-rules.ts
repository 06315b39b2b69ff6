// A site's import rules: how to derive visitors from files without ids, and how to clean URLs.
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { NAMED_BY } from '../../rows/generated-ids';
import { strict } from '../field-faults';
import { hostName } from '../plain-text';

/** How long the same IP address and user agent are treated as one visitor: a local day, a month, or always. */
const VISITOR_PERIODS = ['day', 'month', 'always'] as const;
export type VisitorPeriod = (typeof VISITOR_PERIODS)[number];

export const importRulesSchema = strict({
  visitors: z.enum(VISITOR_PERIODS).default('day'),
  /** Other hosts that belong to the site. */
  hosts: z.array(hostName).default([]),
  /** Parameters to remove from URLs instead of the default ones. */
  click_ids: z
    .array(z.string().regex(/^[a-z0-9_.-]+$/, 'must be the name of a parameter in lower case'))
    .optional(),
  /**
   * The key for the hash that names visitors in server logs. After a site is moved to another installation, log lines that were
   * imported before are recognized only with the same key. Anyone who has the key and the data can determine whether an address
   * visited the site.
   */
  visitor_secret: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .optional(),
});
type ImportRules = z.infer<typeof importRulesSchema>;

export async function readImportRules(client: ClientBase, siteId: number): Promise<ImportRules | undefined> {
  const { rows } = await client.query(
    `SELECT json_strip_nulls(json_build_object('visitors', visitor_period, 'hosts', hosts, 'click_ids', click_ids,
                                              'visitor_secret', encode(visitor_secret, 'hex'))) AS rules
       FROM analytics.import_rules WHERE site_id = $1`,
    [siteId],
  );
  return rows[0] && importRulesSchema.parse(rows[0].rules);
}

/** Whether the site already identified or erased visitors with a different secret. */
export async function hasOtherSecret(
  client: ClientBase,
  trackingId: string,
  secret: string,
): Promise<boolean> {
  const { rows } = await client.query<{ siteId: number }>(
    `SELECT s.site_id AS "siteId" FROM analytics.site s JOIN analytics.import_rules r USING (site_id)
      WHERE s.tracking_id = $1 AND r.visitor_secret <> decode($2, 'hex')`,
    [trackingId, secret],
  );
  if (rows[0] === undefined) return false;
  const { siteId } = rows[0];
  const named = await client.query(
    'SELECT FROM analytics.page_view WHERE site_id = $1 AND named_by = $2 ORDER BY at LIMIT 1',
    [siteId, NAMED_BY.address],
  );
  return named.rowCount !== 0 || (await hasErasures(client, siteId));
}

/** Whether any of the site's visitors has been erased. The hashes of erased visitors are keyed with the site's secret. */
export async function hasErasures(client: Pick<ClientBase, 'query'>, siteId: number): Promise<boolean> {
  // Sorted like the index, so that the planner uses it even if it expects a row on every page.
  const { rowCount } = await client.query(
    'SELECT FROM analytics.erasure WHERE site_id = $1 ORDER BY erasure_id LIMIT 1',
    [siteId],
  );
  return rowCount !== 0;
}

/** Writes the rules. If they contain no visitor secret, the stored one is kept. Returns whether anything changed. */
export async function writeImportRules(
  client: ClientBase,
  siteId: number,
  rules: ImportRules,
): Promise<boolean> {
  const written = await client.query(
    `INSERT INTO analytics.import_rules AS r (site_id, visitor_period, hosts, click_ids, visitor_secret)
     VALUES ($1, $2, $3, $4, coalesce(decode($5, 'hex'), uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
     ON CONFLICT (site_id) DO UPDATE
       SET visitor_period = $2, hosts = $3, click_ids = $4, visitor_secret = coalesce(decode($5, 'hex'), r.visitor_secret)
      WHERE (r.visitor_period, r.hosts, r.click_ids) IS DISTINCT FROM ($2, $3::text[], $4::text[]) OR r.visitor_secret <> decode($5, 'hex')`,
    [siteId, rules.visitors, rules.hosts, rules.click_ids ?? null, rules.visitor_secret ?? null],
  );
  return written.rowCount !== 0;
}
