// The rules for importing files into a site; the defaults apply if the site has none.
import type { ClientBase } from 'pg';
import { KNOWN_WORDS } from '../../../../manifests/reader/known-words';
import type { TimeParser } from '../parse-time';
import type { DeriveContext } from './derive-views';
import { type AddressRules, siteAddresses } from './site-addresses';
import { agentReader } from './user-agent';
import { type VisitorRules, visitorReader } from './visitor-id';

const CLICK_IDS = Object.keys(KNOWN_WORDS.click_ids);

type SiteRules = AddressRules & VisitorRules;

/** Loads a site's rules. If the site has none, stores the defaults with a new secret. */
export async function loadSiteRules(client: Pick<ClientBase, 'query'>, siteId: number): Promise<SiteRules> {
  await client.query('INSERT INTO analytics.import_rules (site_id) VALUES ($1) ON CONFLICT DO NOTHING', [
    siteId,
  ]);
  const { rows } = await client.query<Omit<SiteRules, 'clickIds'>>(
    `SELECT s.domain, s.timezone, r.visitor_secret AS secret, r.visitor_period AS period, r.hosts,
            coalesce(r.click_ids, $2::text[]) AS removed
       FROM analytics.site s JOIN analytics.import_rules r USING (site_id) WHERE s.site_id = $1`,
    [siteId, CLICK_IDS],
  );
  const [rules] = rows;
  if (rules === undefined) throw new Error(`There is no site ${siteId}.`);
  return { ...rules, clickIds: [...new Set([...CLICK_IDS, ...rules.removed])] };
}

/** Everything that an import needs to derive columns. */
export const deriveContext = (
  rules: SiteRules,
  parseTime: TimeParser,
  placeOf: DeriveContext['placeOf'],
): DeriveContext => ({
  site: siteAddresses(rules),
  parseTime,
  agentOf: agentReader(),
  visitorOf: visitorReader(rules),
  ...(placeOf && { placeOf }),
});
