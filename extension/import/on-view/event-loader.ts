// Owns what is particular about events on their way in: they carry their time, and their parameters are observed.
// Rows of events in -> the same, and the names and parameters that they brought. A name that none of them has goes again.
import type { MaterialLoader, OpenLoader, RoadParts } from '../loader';
import { observeParameters } from './observe-parameters';
import { viewRowLoader } from './view-row-loader';

const COMPUTED: ReadonlySet<string> = new Set([
  'view_at',
  'session_id',
  'page_id',
  'site_id',
  'event_id',
  'fingerprint',
]);

/** Opens the loader of events for one import. */
export const openEventLoader: OpenLoader = async (parts): Promise<MaterialLoader> => {
  const lastName = await lastNameId(parts);
  return viewRowLoader(parts, {
    table: 'event',
    tables: ['event', 'event_name', 'conversion'],
    idColumn: 'event_id',
    computed: COMPUTED,
    defaults: new Map(),
    timeOf: (_viewAt, field) => field('at'),
    async finish(firstId) {
      await parts.client.query(FORGET_UNUSED, [parts.siteId, lastName]);
      await observeParameters(parts.client, parts.siteId, firstId);
    },
  });
};

async function lastNameId({ client, siteId }: RoadParts): Promise<number> {
  const answer = await client.query<{ last: number }>(
    'SELECT coalesce(max(event_name_id), 0) AS last FROM analytics.event_name WHERE site_id = $1',
    [siteId],
  );
  return answer.rows[0]?.last ?? 0;
}

/** The names that only rows without a page view had. */
const FORGET_UNUSED = `
DELETE FROM analytics.event_name n
 WHERE n.site_id = $1 AND n.event_name_id > $2
   AND NOT EXISTS (SELECT FROM analytics.event e WHERE e.site_id = $1 AND e.event_name_id = n.event_name_id)`;
