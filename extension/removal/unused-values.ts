// Dimension rows whose last row is gone: their texts go too. What refers to a dimension is read from the catalog: every field
// named like its id, or ending like it (prev_page_id).
import type { ClientBase } from 'pg';
import type { Dimension, Manifest } from '../../manifests/reader/manifest';

/** Fields of tables that hold ids of a dimension of the site. */
export interface References {
  readonly dimension: Dimension;
  readonly fields: readonly { readonly table: string; readonly field: string }[];
}

/** Creates the temporary table of noted values, and finds the fields. */
export async function findReferences(client: ClientBase, manifest: Manifest): Promise<readonly References[]> {
  await client.query(
    'CREATE TEMPORARY TABLE gone_value (dimension text, id bigint, PRIMARY KEY (dimension, id)) ON COMMIT DROP',
  );
  const { rows } = await client.query<{ table: string; field: string }>(
    `SELECT c.relname AS table, a.attname AS field
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'r' AND a.attname LIKE '%\\_id'
        AND EXISTS (SELECT FROM pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'site_id')`,
  );
  return [...manifest.dimensions.values()]
    .filter(({ scope, hasTextKey }) => scope === 'site' && hasTextKey)
    .map((dimension) => ({
      dimension,
      fields: rows.filter(
        ({ table, field }) =>
          table !== dimension.table && (field === dimension.id || field.endsWith(`_${dimension.id}`)),
      ),
    }));
}

/** Notes the values of the rows `t` of a table that meet a condition. */
export async function noteValues(
  client: ClientBase,
  references: readonly References[],
  table: string,
  condition: string,
  bindings: unknown[],
): Promise<void> {
  const values = references.flatMap(({ dimension, fields }) =>
    fields
      .filter((one) => one.table === table)
      .map(({ field }) => `('${dimension.name}', t.${field}::bigint)`),
  );
  if (values.length === 0) return;
  await client.query(
    `INSERT INTO gone_value
     SELECT DISTINCT u.dimension, u.id FROM analytics.${table} t, LATERAL (VALUES ${values.join(', ')}) u (dimension, id)
      WHERE u.id IS NOT NULL AND ${condition} ON CONFLICT DO NOTHING`,
    bindings,
  );
}

/** Removes the noted values to which no row refers any more. */
export async function dropUnusedValues(
  client: ClientBase,
  references: readonly References[],
  siteId: number,
): Promise<void> {
  await client.query('ANALYZE gone_value');
  for (const { dimension, fields } of references) {
    const unused = fields.map(
      ({ table, field }) =>
        `NOT EXISTS (SELECT FROM analytics.${table} r WHERE r.site_id = $1 AND r.${field} = d.${dimension.id})`,
    );
    await client.query(
      `DELETE FROM analytics.${dimension.table} d USING gone_value g
        WHERE d.site_id = $1 AND g.dimension = '${dimension.name}' AND d.${dimension.id} = g.id AND ${unused.join(' AND ')}`,
      [siteId],
    );
  }
}
