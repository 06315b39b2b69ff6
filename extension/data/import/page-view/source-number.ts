// The site's number for the name of a source. Views from two sources are never the same view.
import { ImportError } from '../import-error';
import type { LoaderContext } from '../loader-context';

const UNNAMED = 0;
const LAST_NUMBER = 32_767;

/** The number of the import's source. A new name gets the next one. */
export async function sourceNumber({ client, siteId, sourceName }: LoaderContext): Promise<number> {
  if (sourceName === undefined) return UNNAMED;
  const { rows } = await client.query<{ known: number | null; next: number }>(
    `SELECT (SELECT source_no FROM analytics.import_source WHERE site_id = $1 AND source_name = $2) AS known,
            (SELECT coalesce(max(source_no), 0) + 1 FROM analytics.import_source WHERE site_id = $1) AS next`,
    [siteId, sourceName],
  );
  const { known = null, next = 1 } = rows[0] ?? {};
  if (known !== null) return known;
  if (next > LAST_NUMBER)
    throw new ImportError(`The site has views from ${LAST_NUMBER} named sources, which is the limit`);
  await client.query(
    'INSERT INTO analytics.import_source (site_id, source_no, source_name) VALUES ($1, $2, $3)',
    [...[siteId, next, sourceName]],
  );
  return next;
}
