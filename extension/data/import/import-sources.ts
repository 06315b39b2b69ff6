// Maps the names of a site's sources to numbers. Rows from different sources are never treated as the same row.
import { textKey } from '../../language/sql/text-key';
import { cachedIds } from './dimensions';
import type { FindIds } from './find-ids';
import { ImportError } from './import-error';
import type { LoaderContext } from './loader-context';

const UNNAMED = 0;
const LAST_NUMBER = 32_767;

export type ImportSources = Awaited<ReturnType<typeof openSources>>;

/** Loads the sources of a site. New names get the next numbers. */
export async function openSources(context: LoaderContext) {
  const { client, siteId, sourceName, limits } = context;
  const { rows } = await client.query<{ number: number; name: string }>(
    'SELECT source_no AS number, source_name AS name FROM analytics.import_source WHERE site_id = $1',
    [siteId],
  );
  const numbers = new Map(rows.map(({ number, name }) => [name, number]));
  const named = new Map(rows.map(({ number, name }) => [number, name]));

  const numberOf = async (name: string): Promise<number> => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const next = Math.max(UNNAMED, ...numbers.values()) + 1;
    if (next > LAST_NUMBER)
      throw new ImportError(`The site has rows from ${LAST_NUMBER} named sources, which is the limit`);
    await client.query(
      'INSERT INTO analytics.import_source (site_id, source_no, source_name) VALUES ($1, $2, $3)',
      [siteId, next, name],
    );
    numbers.set(name, next);
    named.set(next, name);
    return next;
  };

  const findIds: FindIds = async (_client, requested) => {
    const found = new Map<string, number>();
    for (const { texts } of requested.values()) found.set(textKey(texts), await numberOf(texts[0] ?? ''));
    return found;
  };
  return {
    /** The number of the import's source, for rows that do not name a source. */
    own: sourceName === undefined ? UNNAMED : await numberOf(sourceName),
    /** Maps the source names in the file to numbers. */
    names: cachedIds({ table: 'import_source', id: 'source_no' }, ['source_name'], limits, findIds),
    /** Undefined for rows without a named source. */
    nameOf: (number: number) => named.get(number),
  };
}
