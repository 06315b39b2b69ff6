// A site's import rules: how to derive visitors from files without ids, and how to clean URLs.
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { strict } from '../field-faults';
import { hostName } from '../plain-text';

/** How long the same IP address and user agent count as one visitor: a local day, a month, or always. */
export const VISITOR_PERIODS = ['day', 'month', 'always'] as const;
export type VisitorPeriod = (typeof VISITOR_PERIODS)[number];

export const importRulesSchema = strict({
  visitors: z.enum(VISITOR_PERIODS).default('day'),
  /** Other hosts that belong to the site. */
  hosts: z.array(hostName).default([]),
  /** Parameters to remove from URLs instead of the default ones. */
  click_ids: z
    .array(z.string().regex(/^[a-z0-9_.-]+$/, 'must be the name of a parameter in lower case'))
    .optional(),
});
type ImportRules = z.infer<typeof importRulesSchema>;

export async function readImportRules(client: ClientBase, siteId: number): Promise<ImportRules | undefined> {
  const { rows } = await client.query(
    `SELECT json_strip_nulls(json_build_object('visitors', visitor_period, 'hosts', hosts, 'click_ids', click_ids)) AS rules
       FROM analytics.import_rules WHERE site_id = $1`,
    [siteId],
  );
  return rows[0] && importRulesSchema.parse(rows[0].rules);
}

/** Writes the rules, without changing the visitor secret. Returns whether anything changed. */
export async function writeImportRules(
  client: ClientBase,
  siteId: number,
  rules: ImportRules,
): Promise<boolean> {
  const written = await client.query(
    `INSERT INTO analytics.import_rules AS r (site_id, visitor_period, hosts, click_ids) VALUES ($1, $2, $3, $4)
     ON CONFLICT (site_id) DO UPDATE SET visitor_period = $2, hosts = $3, click_ids = $4
      WHERE (r.visitor_period, r.hosts, r.click_ids) IS DISTINCT FROM ($2, $3::text[], $4::text[])`,
    [siteId, rules.visitors, rules.hosts, rules.click_ids ?? null],
  );
  return written.rowCount !== 0;
}
