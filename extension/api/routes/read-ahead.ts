// Reads the feature switches and the site's state before a query is parsed. For recently queried sites, the host reads both in
// the statement that counts the call; other sites need one more statement. Later phases reject a missing or wrong site.
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { CallerAhead, HostRequest, ReadPool } from '../../../host-shim/extension-api';
import { maySee, statesByName } from '../../data/storage/sites/site-states';
import type { QueryDocument } from '../../language/parse/read-document';
import { SWITCHED_OFF, switchedOff } from '../features/feature-switches';

const MAX_SITES = 8;

const valueSchema = z.object({
  off: z.array(z.string()),
  sites: z.array(z.tuple([z.string(), z.number(), z.string()])),
});

export function aheadReader(database: ReadPool) {
  const recent = new LRUCache<string, true>({ max: MAX_SITES });
  const ahead: CallerAhead = {
    name: 'query',
    select: (texts) =>
      `SELECT json_build_object('off', ARRAY(${SWITCHED_OFF}), 'sites', (${statesByName(texts)}))`,
    texts: () => [...recent.keys()],
  };
  return {
    ahead,
    /** Uses what the host has read for this request; otherwise reads the feature switches now. */
    async read({ ahead, user }: HostRequest, { query }: QueryDocument) {
      const named = query?.tracking_id;
      const trackingId = typeof named === 'string' && maySee(user?.sites ?? [], named) ? named : undefined;
      if (trackingId !== undefined) recent.set(trackingId, true);
      if (ahead === undefined) return { switchedOff: await switchedOff(database), prefetchedSite: undefined };
      const { off, sites } = valueSchema.parse(ahead);
      const found = sites.find(([name]) => name === trackingId);
      const prefetchedSite = found && {
        trackingId: found[0],
        state: { siteId: found[1], version: found[2] },
      };
      return { switchedOff: new Set(off), prefetchedSite };
    },
  };
}
