// The rules that turn files into a site's rows; the defaults apply if the site has none.
import type { ClientBase } from 'pg';
import { KNOWN_WORDS } from '../../../../manifests/reader/known-words';
import { VISITOR_PERIODS } from '../../storage/sites/import-rules';
import type { TimeParser } from '../parse-time';
import type { DeriveContext } from './derive-views';
import type { AddressRules } from './site-addresses';
import { siteAddresses } from './site-addresses';
import { agentReader } from './user-agent';
import { type VisitorRules, visitorReader } from './visitor-id';

const CLICK_IDS = Object.keys(KNOWN_WORDS.click_ids);

interface SiteRules {
  readonly addresses: AddressRules;
  readonly visitors: VisitorRules;
}

interface StoredRules {
  readonly domain: string;
  readonly timezone: string;
  readonly visitor_secret: Buffer;
  readonly visitor_period: string;
  readonly hosts: readonly string[];
  readonly click_ids: readonly string[] | null;
}

/** Loads a site's rules. If the site has none, stores the defaults with a new secret. */
export async function loadSiteRules(client: Pick<ClientBase, 'query'>, siteId: number): Promise<SiteRules> {
  await client.query('INSERT INTO analytics.import_rules (site_id) VALUES ($1) ON CONFLICT DO NOTHING', [
    siteId,
  ]);
  const { rows } = await client.query<StoredRules>(
    `SELECT s.domain, s.timezone, r.visitor_secret, r.visitor_period, r.hosts, r.click_ids
       FROM analytics.site s JOIN analytics.import_rules r USING (site_id) WHERE s.site_id = $1`,
    [siteId],
  );
  const [rules] = rows;
  if (rules === undefined) throw new Error(`There is no site ${siteId}.`);
  const { domain, hosts, timezone } = rules;
  return {
    addresses: {
      domain,
      hosts,
      removed: rules.click_ids ?? CLICK_IDS,
      clickIds: [...CLICK_IDS, ...(rules.click_ids ?? [])],
    },
    visitors: {
      secret: rules.visitor_secret,
      period: VISITOR_PERIODS.find((period) => period === rules.visitor_period) ?? 'day',
      timezone,
    },
  };
}

/** Everything that an import needs to derive columns. */
export const deriveContext = (
  { addresses, visitors }: SiteRules,
  parseTime: TimeParser,
  placeOf: DeriveContext['placeOf'],
): DeriveContext => ({
  site: siteAddresses(addresses),
  parseTime,
  agentOf: agentReader(),
  visitorOf: visitorReader(visitors),
  ...(placeOf && { placeOf }),
});
