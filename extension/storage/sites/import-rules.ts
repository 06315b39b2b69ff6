// How files without ids, and with addresses as they were requested, become rows of a site: its part of the file of sites.
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { strict } from '../field-faults';
import { hostName } from '../plain-text';

/** How long an address and user agent mean the same visitor: a local day or month, or always. */
export const VISITOR_PERIODS = ['day', 'month', 'always'] as const;
export type VisitorPeriod = (typeof VISITOR_PERIODS)[number];

export const importRulesSchema = strict({
  visitors: z.enum(VISITOR_PERIODS).default('day'),
  /** Hosts of the site besides its domain. */
  hosts: z.array(hostName).default([]),
  /** Parameters that are taken out of addresses, instead of those of the program. */
  click_ids: z
    .array(z.string().regex(/^[a-z0-9_.-]+$/, 'must be the name of a parameter in small letters'))
    .optional(),
});
export type ImportRules = z.infer<typeof importRulesSchema>;

/** Stores the rules of a site; its secret stays. Gives whether that changed anything. */
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
