// The custom channel rules of sites that do not use the shipped ones.
import type { ClientBase } from 'pg';
import type { ReadPool } from '../../../../host-shim/extension-api';
import {
  type Channels,
  channelsOfSite,
  type SiteChannelRules,
  siteChannelRules,
} from '../../../../manifests/reader/channels';
import type { SiteChannels } from '../../../language/types/channels';

const RULES =
  'SELECT site_id AS "siteId", rules FROM analytics.channel_rules WHERE site_id = ANY($1) ORDER BY site_id';

interface StoredRules {
  readonly siteId: number;
  readonly rules: unknown;
}

/** Returns a site's custom rules in the format of the sites file, or undefined if the site uses the shipped ones. */
export async function readChannelRules(
  client: ClientBase,
  siteId: number,
): Promise<SiteChannelRules | undefined> {
  const { rows } = await client.query<StoredRules>(RULES, [[siteId]]);
  return rows[0] && siteChannelRules.parse(rows[0].rules);
}

/** Custom rules by site id, in ascending order. */
export async function listChannelRules(
  read: ReadPool,
  siteIds: readonly number[],
): Promise<ReadonlyMap<number, SiteChannelRules>> {
  const rows = await read.query<StoredRules>({ text: RULES, values: [siteIds] });
  return new Map(rows.map(({ siteId, rules }) => [siteId, siteChannelRules.parse(rules)]));
}

/** The channel rules of sites with custom rules. Sites with the same rules are grouped. */
export async function customChannels(
  read: ReadPool,
  siteIds: readonly number[],
  shipped: Channels,
): Promise<readonly SiteChannels[]> {
  const own = [...(await listChannelRules(read, siteIds))];
  return [...Map.groupBy(own, ([, rules]) => JSON.stringify(rules)).values()].flatMap((sites) =>
    sites[0] === undefined
      ? []
      : [{ siteIds: sites.map(([siteId]) => siteId), rules: channelsOfSite(sites[0][1], shipped) }],
  );
}

/** Writes a site's custom rules; if undefined, the site uses the shipped ones. Returns whether anything changed. */
export async function writeChannelRules(
  client: ClientBase,
  siteId: number,
  rules: SiteChannelRules | undefined,
): Promise<boolean> {
  const written =
    rules === undefined
      ? await client.query('DELETE FROM analytics.channel_rules WHERE site_id = $1', [siteId])
      : await client.query(
          `INSERT INTO analytics.channel_rules AS r (site_id, rules) VALUES ($1, $2)
           ON CONFLICT (site_id) DO UPDATE SET rules = excluded.rules WHERE r.rules <> excluded.rules`,
          [siteId, JSON.stringify(rules)],
        );
  return written.rowCount !== 0;
}
