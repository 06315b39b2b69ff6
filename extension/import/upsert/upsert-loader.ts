// Loads figures that their source corrects later on: a row replaces the stored row with the same key. Of several rows of
// one file the last counts.
import type { ClientBase } from 'pg';
import { copyRows } from '../copy-rows';
import { openDimensions } from '../dimensions';
import type { LateRejection, MaterialLoader } from '../loader';
import type { LoaderContext } from '../loader-context';
import { newPlaces, type RowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { loadTableLayout, type TableLayout } from '../table-layout';

/** Finds the rows of a batch that only the database can tell to be wrong. */
export type RejectLate = (
  context: LoaderContext,
  layout: TableLayout,
  batch: RowBatch,
) => Promise<readonly LateRejection[]>;

/** Opens the loader of a material that the manifest gives a key. */
export async function upsertLoader(context: LoaderContext, rejectLate?: RejectLate): Promise<MaterialLoader> {
  const { client, siteId, manifest, material } = context;
  const { table, key } = material;
  if (table === undefined || key === undefined) throw new Error(`${material.name} has no table with a key.`);
  const layout = await loadTableLayout(client, table);
  const dimensions = openDimensions(context);
  const checker = rowChecker({ ...context, layout, dimensions, computed: new Set(['site_id']) });
  const merge = await prepareMerge(client, layout, siteId, key);
  const siteField = layout.fieldOf('site_id');
  const totals = { added: 0, updated: 0, kept: 0, unchanged: 0 };

  return {
    checker,
    rejectsLate: rejectLate !== undefined,
    async write(batch) {
      await checker.settleIds(client, batch);
      const rejections = (await rejectLate?.(context, layout, batch)) ?? [];
      const rejected = new Set(rejections.map(({ row }) => row));
      const rows = newPlaces(batch).filter((row) => !rejected.has(row));
      for (const row of rows) batch.values[row * checker.shape.width + siteField] = siteId;
      await copyRows(client, layout, batch, rows, INCOMING);
      const { added, updated, unchanged } = await merge();
      totals.added += added;
      totals.updated += updated;
      totals.unchanged += unchanged;
      return rejections;
    },
    async finish() {
      return totals;
    },
    tables: [table, ...[...dimensions.keys()].map((name) => manifest.dimensions.get(name)?.table ?? name)],
  };
}

interface Counts {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
}

const INCOMING = 'incoming';

/** Creates the temporary table INCOMING, and gives the function that merges its rows, in their order, into the stored ones. */
async function prepareMerge(
  client: ClientBase,
  { table, columns }: TableLayout,
  siteId: number,
  key: readonly string[],
): Promise<() => Promise<Counts>> {
  const names = columns.map(({ name }) => name).join(', ');
  const figures = columns.map(({ name }) => name).filter((name) => name !== 'site_id' && !key.includes(name));
  const of = (alias: string, fields: readonly string[]): string =>
    fields.map((name) => `${alias}.${name}`).join(', ');
  const sameKey = (one: string, other: string): string =>
    key.map((name) => `${one}.${name} = ${other}.${name}`).join(' AND ');
  await client.query(
    `CREATE TEMPORARY TABLE ${INCOMING} (LIKE analytics.${table}, place integer GENERATED ALWAYS AS IDENTITY)
       ON COMMIT DROP`,
  );
  // `before`: the figures of the previous row with the same key, in this batch or stored.
  const count = `
    SELECT count(*) FILTER (WHERE before IS NULL)::int AS added,
           count(*) FILTER (WHERE before <> now)::int AS updated,
           count(*) FILTER (WHERE before = now)::int AS unchanged
      FROM (SELECT ROW(${of('i', figures)})::text AS now,
                   coalesce(lag(ROW(${of('i', figures)})::text) OVER (PARTITION BY ${of('i', key)} ORDER BY i.place),
                            CASE WHEN t.site_id IS NOT NULL THEN ROW(${of('t', figures)})::text END) AS before
              FROM ${INCOMING} i LEFT JOIN analytics.${table} t ON t.site_id = $1 AND ${sameKey('t', 'i')}) compared`;
  const dropOvertaken = `
    DELETE FROM ${INCOMING}
     USING (SELECT max(place) AS last, ${key.join(', ')} FROM ${INCOMING} GROUP BY ${key.join(', ')}) i
     WHERE ${sameKey(INCOMING, 'i')} AND ${INCOMING}.place < i.last`;
  const dropUnchanged = `
    DELETE FROM ${INCOMING} i USING analytics.${table} t
     WHERE t.site_id = $1 AND ${sameKey('t', 'i')}
       AND ROW(${of('t', figures)}) IS NOT DISTINCT FROM ROW(${of('i', figures)})`;
  // Not updated in place: rows that exchange a unique value would collide halfway.
  const remove = `DELETE FROM analytics.${table} t USING ${INCOMING} i WHERE t.site_id = $1 AND ${sameKey('t', 'i')}`;
  const insert = `INSERT INTO analytics.${table} (${names}) SELECT ${names} FROM ${INCOMING}`;

  return async () => {
    await client.query(`ANALYZE ${INCOMING}`);
    const answer = await client.query<Counts>(count, [siteId]);
    await client.query(dropOvertaken);
    await client.query(dropUnchanged, [siteId]);
    await client.query(remove, [siteId]);
    await client.query(insert);
    await client.query(`TRUNCATE ${INCOMING} RESTART IDENTITY`);
    return answer.rows[0] ?? { added: 0, updated: 0, unchanged: 0 };
  };
}
