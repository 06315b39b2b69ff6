// Deletes dimension rows and textual ids that nothing refers to. Dimension tables (with a text_key) and the fields that refer
// to values (named after the id, like page_id or prev_page_id) are read from the catalog, so that none are missed. Values that
// an import replaced are treated as references as long as the import can be undone.
import type { ClientBase } from 'pg';
import { countNoted, forget, forgetFound, note, noted, notedKinds, noting } from '../change/noted';
import { openStaging } from '../change/staging';
import { FIRST_MAPPED_ID, LAST_GIVEN_ID } from '../rows/generated-ids';
import { perConnection } from '../rows/per-connection';
import { ANY_SITE, withHashJoins } from './planner';

interface Field {
  readonly table: string;
  readonly field: string;
}

/** Values that rows refer to by their ids: those of a dimension table, or one kind of textual ids. */
interface Values {
  /** The kind under which their ids are noted. */
  readonly kind: string;
  readonly table: string;
  readonly id: string;
  /** SQL: whether the row `d` of the table is one of them. */
  readonly isOne: string;
  /** The fields that contain their ids. */
  readonly fields: readonly Field[];
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

/** Ids that may be text in files. */
const TEXTUAL_IDS = ['pv_id', 'session_id', 'reader_id', 'version_id'];

/** Tables whose ids are copies of those of their page views. */
const COPIES: ReadonlySet<string> = new Set(['click', 'event', 'conversion']);

/** The visitors in this table have views, or an undo can restore some. */
const VISITOR_FIRST = 'visitor_first';

const findValues = perConnection(async (client: ClientBase): Promise<readonly Values[]> => {
  const { rows: dimensions } = await client.query<{ table: string; id: string }>(DIMENSION_TABLES);
  const { rows } = await client.query<Field>(FIELDS);
  const others = new Set([...dimensions.map(({ table }) => table), VISITOR_FIRST]);
  const fieldsOf = (id: string): readonly Field[] =>
    rows.filter(({ table, field }) => !others.has(table) && (field === id || field.endsWith(`_${id}`)));
  return [
    ...dimensions.map(({ table, id }) => ({ kind: table, table, id, isOne: 'true', fields: fieldsOf(id) })),
    ...TEXTUAL_IDS.map((kind) => ({
      kind,
      table: 'given_id',
      id: 'id',
      isOne: `d.kind = '${kind}'`,
      fields: fieldsOf(kind).filter(({ table, field }) => field !== kind || !COPIES.has(table)),
    })),
  ];
});

/** A CTE with the ids that an undo can restore in a field of page views. */
export const restorable = (field: string): string => `restorable AS MATERIALIZED (
  SELECT (old ->> '${field}')::bigint AS id FROM analytics.import_record WHERE site_id = $1 AND table_name = 'page_view')`;

export type UnusedValues = Awaited<ReturnType<typeof unusedValues>>;

/** Deletes the values that are unused once a transaction has changed a site's rows. */
export async function unusedValues(client: ClientBase, siteId: number) {
  await openStaging(client);
  const all = await findValues(client);
  const kinds = all.map(({ kind }) => kind);

  /** Forgets the noted values that rows refer to, field by field, since the planner underestimates how many rows meet several conditions. */
  const forgetUsed = async ({ kind, table, id, isOne, fields }: Values): Promise<void> => {
    const values = `analytics.${table} d JOIN (${noted(kind)}) g ON g.id = d.${id} WHERE d.site_id = $1 AND ${isOne}`;
    for (const field of fields)
      await forgetFound(client, siteId, `SELECT '${kind}', d.${id} FROM ${values} AND ${isIn(field, id)}`);
  };

  /** Deletes the noted values, except those that an undo can restore. */
  const dropNoted = async (forgetOthers?: typeof forgetUsed): Promise<void> => {
    if ((await notedKinds(client, kinds)).size === 0) return;
    await countNoted(client);
    await forgetFound(client, siteId, replacedValues(all, 'r.site_id = $1'));
    const left = await notedKinds(client, kinds);
    if (left.has('reader')) await client.query(forgettingFirst(noted('reader')), [siteId]);
    for (const values of all) {
      const { kind, table, id, isOne } = values;
      if (!left.has(kind)) continue;
      await forgetOthers?.(values);
      await client.query(
        `DELETE FROM analytics.${table} d USING (${noted(kind)}) g WHERE d.site_id = $1 AND ${isOne} AND d.${id} = g.id`,
        [siteId],
      );
    }
  };

  return {
    /** The fields of a table that contain ids of values. */
    fieldsOf: (table: string): readonly string[] => fieldsIn(all, table).map(({ field }) => field),
    /** SQL that notes the values in rows `t` of a table. `rows` is the SQL after FROM. */
    noting(table: string, rows: string): string {
      const values = fieldsIn(all, table).map(({ kind, field }) =>
        TEXTUAL_IDS.includes(kind)
          ? `('${kind}', CASE WHEN t.${field} BETWEEN ${FIRST_MAPPED_ID} AND ${LAST_GIVEN_ID} THEN t.${field} END)`
          : `('${kind}', t.${field}::bigint)`,
      );
      return noting(`
        SELECT DISTINCT u.* FROM ${rows}, LATERAL (VALUES ${["('', NULL::bigint)", ...values].join(', ')}) u (kind, id)
         WHERE u.id IS NOT NULL`);
    },
    /** Notes the values in the import records `r` that meet a condition. */
    async noteReplaced(condition: string, values: unknown[]): Promise<void> {
      await client.query(noting(`SELECT DISTINCT o.* FROM (${replacedValues(all, condition)}) o`), values);
    },
    /** Deletes the noted values that nothing refers to. */
    drop: (): Promise<void> => dropNoted(forgetUsed),
    /**
     * Deletes all of the site's values that nothing refers to, including those of rows that imports rejected, merged or changed. It reads
     * the site's rows a few times.
     */
    async dropAll(): Promise<void> {
      await forget(client, ...kinds);
      await withHashJoins(client, async () => {
        await client.query(forgettingFirst(VISITORS), [siteId]);
        for (const values of all) {
          const { kind, table, id, isOne } = values;
          const unused = `SELECT d.${id} FROM analytics.${table} d WHERE d.site_id = $1 AND ${isOne} AND ${isUnused(values)}`;
          await note(client, kind, unused, [siteId]);
        }
      });
      await dropNoted();
    },
  };
}

/** SQL: whether no row of site `$1` refers to the value `d`. */
const isUnused = ({ id, fields }: Values): string =>
  ['true', ...fields.map((field) => `NOT ${isIn(field, id)}`)].join(' AND ');

/** SQL: whether a field of a row of site `$1` contains the id of the value `d`. */
const isIn = ({ table, field }: Field, id: string): string =>
  `EXISTS (SELECT FROM analytics.${table} r WHERE r.site_id = $1 AND r.${field} = d.${id})`;

const VISITORS = `SELECT reader_id AS id FROM analytics.${VISITOR_FIRST} WHERE site_id = $1`;

/**
 * SQL that deletes the first-seen times `f` of visitors who have no views and none that an undo can restore. `visitors`: a
 * query for their ids.
 */
export const forgettingFirst = (visitors: string): string => `
WITH ${restorable('reader_id')}
DELETE FROM analytics.${VISITOR_FIRST} f USING (${visitors}) n
 WHERE f.site_id = ${ANY_SITE} AND f.reader_id = n.id
   AND NOT EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = ${ANY_SITE} AND v.reader_id = f.reader_id)
   AND NOT EXISTS (SELECT FROM restorable o WHERE o.id = f.reader_id)`;

const fieldsIn = (all: readonly Values[], table: string) =>
  all.flatMap(({ kind, fields }) =>
    fields.filter((one) => one.table === table).map(({ field }) => ({ kind, field })),
  );

function replacedValues(all: readonly Values[], condition: string): string {
  const fields = all.flatMap(({ kind, fields }) =>
    fields.map(({ table, field }) => `('${kind}', '${table}', '${field}')`),
  );
  return `SELECT f.kind, (r.old ->> f.field)::bigint AS id
    FROM analytics.import_record r JOIN (VALUES ${fields.join(', ')}) f (kind, table_name, field) ON f.table_name = r.table_name
   WHERE r.old ->> f.field IS NOT NULL AND ${condition}`;
}
