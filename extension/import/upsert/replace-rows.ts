// Owns the exchange of rows by their key, in SQL: a temporary table of what comes in, compared with what is there.
// Rows copied into `table`, in the order of the file -> the stored rows, and how many are new, changed or the same.
import type { ClientBase } from 'pg';
import type { TableLayout } from '../table-layout';

export interface Counts {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
}

export interface IncomingRows {
  /** Where the rows are copied to. */
  readonly table: string;
  /** Moves what was copied into the stored table. */
  replace(): Promise<Counts>;
}

/** Prepares the exchange for one import. */
export async function replaceRows(
  client: ClientBase,
  layout: TableLayout,
  siteId: number,
  key: readonly string[],
): Promise<IncomingRows> {
  const { table } = layout;
  const columns = layout.columns.map((column) => column.name);
  const figures = columns.filter((name) => name !== 'site_id' && !key.includes(name));
  const list = (names: readonly string[], of: string): string =>
    names.map((name) => `${of}.${name}`).join(', ');
  const sameKey = key.map((name) => `t.${name} = i.${name}`).join(' AND ');
  await client.query(
    `CREATE TEMPORARY TABLE incoming (LIKE analytics.${table}, place integer GENERATED ALWAYS AS IDENTITY) ON COMMIT DROP`,
  );
  // `before`: the figures of the row before it with the same key, in this batch or stored.
  const compare = `
    SELECT count(*) FILTER (WHERE before IS NULL)::int AS added,
           count(*) FILTER (WHERE before <> now)::int AS updated,
           count(*) FILTER (WHERE before = now)::int AS unchanged
      FROM (SELECT ROW(${list(figures, 'i')})::text AS now,
                   coalesce(lag(ROW(${list(figures, 'i')})::text) OVER (PARTITION BY ${list(key, 'i')} ORDER BY i.place),
                            CASE WHEN t.site_id IS NOT NULL THEN ROW(${list(figures, 't')})::text END) AS before
              FROM incoming i LEFT JOIN analytics.${table} t ON t.site_id = $1 AND ${sameKey}) compared`;
  const keepLast = `
    DELETE FROM incoming USING (SELECT max(place) AS last, ${key.join(', ')} FROM incoming GROUP BY ${key.join(', ')}) i
     WHERE ${key.map((name) => `incoming.${name} = i.${name}`).join(' AND ')} AND incoming.place < i.last`;
  const keepChanged = `
    DELETE FROM incoming i USING analytics.${table} t
     WHERE t.site_id = $1 AND ${sameKey} AND ROW(${list(figures, 't')}) IS NOT DISTINCT FROM ROW(${list(figures, 'i')})`;
  // Not updated in place: rows that exchange what must be unique would meet halfway.
  const remove = `DELETE FROM analytics.${table} t USING incoming i WHERE t.site_id = $1 AND ${sameKey}`;
  const insert = `INSERT INTO analytics.${table} (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM incoming`;

  return {
    table: 'incoming',
    async replace() {
      await client.query('ANALYZE incoming');
      const answer = await client.query<Counts>(compare, [siteId]);
      await client.query(keepLast);
      await client.query(keepChanged, [siteId]);
      await client.query(remove, [siteId]);
      await client.query(insert);
      await client.query('TRUNCATE incoming RESTART IDENTITY');
      return answer.rows[0] ?? { added: 0, updated: 0, unchanged: 0 };
    },
  };
}
