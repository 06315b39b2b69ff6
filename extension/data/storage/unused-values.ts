// Deletes dimension rows that nothing refers to. Dimension tables (with a text_key) and the fields that refer to them (named
// after the id, like page_id or prev_page_id) are read from the catalog, so that none are missed. Values that an import
// replaced count as references as long as the import can be undone.
import type { ClientBase } from 'pg';
import { countNoted, forgetFound, noted, notedKinds, noting } from '../change/noted';
import { openStaging } from '../change/staging';
import { perConnection } from '../rows/per-connection';
import { ANY_SITE } from './planner';

/** A dimension table and the fields that contain its ids. */
interface References {
  readonly table: string;
  readonly id: string;
  readonly fields: readonly { readonly table: string; readonly field: string }[];
}

const DIMENSION_TABLES = `
SELECT c.relname AS table, a.attname AS id
  FROM pg_class c
  JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary AND i.indnatts = 2
  JOIN pg_attribute s ON s.attrelid = c.oid AND s.attnum = i.indkey[0] AND s.attname = 'site_id'
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[1] AND a.attname LIKE '%\\_id'
 WHERE c.relnamespace = 'analytics'::regnamespace
   AND EXISTS (SELECT FROM pg_attribute k WHERE k.attrelid = c.oid AND k.attname = 'text_key')`;

const FIELDS = `
SELECT c.relname AS table, a.attname AS field
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'r' AND a.attname LIKE '%\\_id'
   AND EXISTS (SELECT FROM pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'site_id')`;

const findReferences = perConnection(async (client: ClientBase): Promise<readonly References[]> => {
  const dimensions = await client.query<{ table: string; id: string }>(DIMENSION_TABLES);
  const { rows } = await client.query<{ table: string; field: string }>(FIELDS);
  return dimensions.rows.map((dimension) => ({
    ...dimension,
    fields: rows.filter(
      ({ table, field }) =>
        table !== dimension.table && (field === dimension.id || field.endsWith(`_${dimension.id}`)),
    ),
  }));
});

/** A CTE with the ids that an undo can restore in a field of page views. */
export const restorable = (field: string): string => `restorable AS MATERIALIZED (
  SELECT (old ->> '${field}')::bigint AS id FROM analytics.import_record WHERE site_id = $1 AND table_name = 'page_view')`;

export type UnusedValues = Awaited<ReturnType<typeof unusedValues>>;

/** Notes dimension values that may be unused once a transaction has changed a site's rows, and deletes those that are. */
export async function unusedValues(client: ClientBase, siteId: number) {
  await openStaging(client);
  const references = await findReferences(client);
  return {
    /** The fields of a table that contain dimension ids. */
    fieldsOf: (table: string): readonly string[] => fieldsIn(references, table).map(({ field }) => field),
    /** SQL that notes the values in rows `t` of a table. `rows` is the SQL after FROM. */
    noting(table: string, rows: string): string {
      const values = fieldsIn(references, table).map(
        ({ dimension, field }) => `('${dimension}', t.${field}::bigint)`,
      );
      return noting(`
        SELECT DISTINCT u.* FROM ${rows}, LATERAL (VALUES ${["('', NULL::bigint)", ...values].join(', ')}) u (dimension, id)
         WHERE u.id IS NOT NULL`);
    },
    /** Notes the values in the import records `r` that meet a condition. */
    async noteReplaced(condition: string, values: unknown[]): Promise<void> {
      await client.query(
        noting(`SELECT DISTINCT o.* FROM (${replacedValues(references, condition)}) o`),
        values,
      );
    },
    /** Deletes the noted values that nothing refers to. */
    async drop(): Promise<void> {
      const tables = references.map(({ table }) => table);
      if ((await notedKinds(client, tables)).size === 0) return;
      await countNoted(client);
      await forgetFound(client, siteId, replacedValues(references, 'r.site_id = $1'));
      const kinds = await notedKinds(client, tables);
      if (kinds.has('reader')) await client.query(forgettingFirst(noted('reader')), [siteId]);
      for (const { table, id, fields } of references) {
        if (!kinds.has(table)) continue;
        const unused = fields.map(
          (one) =>
            `NOT EXISTS (SELECT FROM analytics.${one.table} r WHERE r.site_id = $1 AND r.${one.field} = d.${id})`,
        );
        await client.query(
          `DELETE FROM analytics.${table} d USING (${noted(table)}) g
            WHERE d.site_id = $1 AND d.${id} = g.id AND ${['true', ...unused].join(' AND ')}`,
          [siteId],
        );
      }
    },
  };
}

/** SQL that deletes the times `f` at which visitors without views were first seen. `visitors`: a query for their ids. */
export const forgettingFirst = (visitors: string): string => `
DELETE FROM analytics.visitor_first f USING (${visitors}) n
 WHERE f.site_id = ${ANY_SITE} AND f.reader_id = n.id
   AND NOT EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = ${ANY_SITE} AND v.reader_id = f.reader_id)`;

const fieldsIn = (references: readonly References[], table: string) =>
  references.flatMap(({ table: dimension, fields }) =>
    fields.filter((one) => one.table === table).map(({ field }) => ({ dimension, field })),
  );

function replacedValues(references: readonly References[], condition: string): string {
  const fields = references.flatMap((dimension) =>
    dimension.fields.map(({ table, field }) => `('${dimension.table}', '${table}', '${field}')`),
  );
  return `SELECT f.dimension, (r.old ->> f.field)::bigint AS id
    FROM analytics.import_record r JOIN (VALUES ${fields.join(', ')}) f (dimension, table_name, field) ON f.table_name = r.table_name
   WHERE r.old ->> f.field IS NOT NULL AND ${condition}`;
}
