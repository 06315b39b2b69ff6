// Reads what a query needs before it is understood: which features are off, and the state of its site. The host reads both
// together with the caller, for recently queried sites; any other site takes one more statement.
// The phases refuse a body that names no site or a wrong one.
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { CallerAhead, HostRequest } from '../../../host-shim/extension-api';
import type { SiteAhead } from '../../data/storage/sites/site-states';
import { maySee, STATES_BY_NAME } from '../../data/storage/sites/site-states';
import type { QueryDocument } from '../../language/parse/read-document';
import type { Analytics } from '../analytics';
import { SWITCHED_OFF, switchedOff } from '../features/feature-switches';

interface ReadAhead {
  /** Names of features. */
  readonly switchedOff: ReadonlySet<string>;
  readonly siteAhead: SiteAhead | undefined;
}

interface AheadReader {
  readonly ahead: CallerAhead;
  /** What was read for this request, or is read now. */
  read(request: HostRequest, document: QueryDocument): Promise<ReadAhead>;
}

const MOST_SITES = 8;

const valueSchema = z.object({
  off: z.array(z.string()),
  sites: z.array(z.tuple([z.string(), z.number(), z.string()])),
});

/** For a route that runs queries. */
export function aheadReader({ host }: Pick<Analytics, 'host'>): AheadReader {
  const lately = new LRUCache<string, true>({ max: MOST_SITES });
  return {
    ahead: {
      name: 'query',
      select: `SELECT json_build_object('off', ARRAY(${SWITCHED_OFF}), 'sites', (${STATES_BY_NAME}))`,
      texts: () => [...lately.keys()],
    },
    async read({ ahead, user }, { query }) {
      const named = query?.tracking_id;
      const trackingId = typeof named === 'string' && maySee(user?.sites ?? [], named) ? named : undefined;
      if (trackingId !== undefined) lately.set(trackingId, true);
      if (ahead === undefined)
        return { switchedOff: await switchedOff(host.database.read), siteAhead: undefined };
      const { off, sites } = valueSchema.parse(ahead);
      const found = sites.find(([name]) => name === trackingId);
      const siteAhead = found && { trackingId: found[0], state: { siteId: found[1], version: found[2] } };
      return { switchedOff: new Set(off), siteAhead };
    },
  };
}
