// Handles rows of a file that are already stored: what they change depends on the import's conflict rule. A column that is not
// in the file keeps the stored value.

import { openRowStaging, rowStaging } from '../change/staging';
import { isGiven } from '../rows/copy-rows';
import type { RowBatch } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import { ANY_SITE } from '../storage/planner';
import { columnsBehind } from './column-setters';
import type { DimensionIds } from './dimensions';
import { type FileRows, fileRow } from './file-rows';
import { BadValue } from './import-error';
import type { LateRejection } from './loader';
import type { LoaderContext } from './loader-context';
import { mergedIds } from './merge-texts';

export interface StoredTable {
  readonly layout: TableLayout;
  /** The field with the row's id. */
  readonly rowId: string;
  /** A description of what identifies rows. */
  readonly identity: string;
  /** Fields that are not values of the row. */
  readonly ignored: ReadonlySet<string>;
  /** The dimensions by field, for ids that represent several strings of which a row may contain only some. */
  readonly mergeable?: ReadonlyMap<string, DimensionIds>;
  /**
   * SQL by field for whether a value in the file differs, if a simple comparison is not enough. `m` is the row of the file, `t`
   * the stored one.
   */
  readonly differs?: Readonly<Record<string, string>>;
  /** The values to store by field, where they are neither the given nor the current ones. */
  sets?(given: readonly string[]): Readonly<Record<string, string>>;
  /** Runs for each row of a batch that is ignored because the stored row has other values. */
  keepStored?(row: number): void;
  /** Runs once the rows are staged. Returns the fields that are treated as given from then on. */
  prepare?(given: readonly string[]): Promise<readonly string[]>;
  /** Run before and after the matching stored rows change in these fields. */
  before?(given: readonly string[]): Promise<void>;
  after?(given: readonly string[]): Promise<void>;
}

interface Difference {
  /** Numbered from 1, in the order of the rows. */
  readonly place: number;
  /** The line of an earlier row in this file with the same id; null if there is none. */
  readonly line: number | null;
  readonly fields: readonly string[];
}

/**
 * SQL: the stored row with the id of a staged row `m`. Forces a lookup in the index of the id for each staged row; otherwise, the planner
 * might read the whole site.
 */
export const storedRow = (table: string, rowId: string): string =>
  `(SELECT * FROM analytics.${table} WHERE site_id = ${ANY_SITE} AND ${rowId} BETWEEN m.${rowId} AND m.${rowId} ORDER BY ${rowId} OFFSET 0)`;

/** The rejection of a row that differs in these fields from another one with the same key. */
export function conflictOf(
  { material }: LoaderContext,
  { identity }: StoredTable,
  row: number,
  where: string,
  fields: readonly string[],
): LateRejection {
  const columns = fields.map((field) => columnsBehind(material, field)).join(', ');
  const reason = `has the same ${identity} as ${where}, but different values in: ${columns}`;
  return { row, fault: new BadValue(undefined, undefined, reason) };
}

/** Returns a function that matches stored rows with rows of a batch, whose ids are set. Each stored row is matched only once. */
export function storedRows(context: LoaderContext, about: StoredTable, files: FileRows) {
  const { client, siteId, importId, onConflict, duplicates } = context;
  const { layout, rowId } = about;
  const { table } = layout;
  const MATCHED_ROW = rowStaging('met', table);
  const FILE_ROW = fileRow(table);
  const JOINED = `${MATCHED_ROW} m CROSS JOIN LATERAL ${storedRow(table, rowId)} t`;
  const IS_MATCHED = `t.site_id = ${ANY_SITE} AND t.${rowId} = ANY (ARRAY(SELECT ${rowId} FROM ${MATCHED_ROW})) AND t.${rowId} = m.${rowId}`;

  /** Fills in the staged rows' missing strings from the stored rows. */
  const mergeTexts = async (field: string, dimension: DimensionIds): Promise<void> => {
    const { rows: pairs } = await client.query<{ given: number; before: number }>(
      `SELECT DISTINCT m.${field}::float8 AS given, t.${field}::float8 AS before FROM ${JOINED} WHERE m.${field} <> t.${field}`,
      [siteId],
    );
    const merged = (await mergedIds(context, dimension, pairs)).map((id, place) => ({ ...pairs[place], id }));
    const changed = merged.filter(({ given, id }) => id !== given);
    if (changed.length === 0) return;
    await client.query(
      `UPDATE ${MATCHED_ROW} m SET ${field} = u.id
         FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS u(given, before, id), analytics.${table} t
        WHERE ${IS_MATCHED} AND m.${field} = u.given AND t.${field} = u.before`,
      [
        siteId,
        changed.map(({ given }) => given),
        changed.map(({ before }) => before),
        changed.map(({ id }) => id),
      ],
    );
  };

  const differences = async (given: readonly string[]): Promise<readonly Difference[]> => {
    const named = given.map((field) => {
      const differs = about.differs?.[field] ?? `m.${field} IS DISTINCT FROM t.${field}`;
      return `CASE WHEN m.${field} IS NOT NULL AND (${differs}) THEN '${field}' END`;
    });
    const answer = await client.query<Difference>(
      `SELECT * FROM (
         SELECT m.place, f.line::float8 AS line, array_remove(ARRAY[${named.join(', ')}]::text[], NULL) AS fields
           FROM ${JOINED} LEFT JOIN ${FILE_ROW} f ON f.row_id = m.${rowId}) d
        WHERE fields <> '{}' ORDER BY place`,
      [siteId],
    );
    return answer.rows;
  };

  const logOld = async (fields: readonly string[]): Promise<void> => {
    if (importId === undefined) return;
    const old = fields.map((field) => `'${field}', t.${field}`);
    await client.query(
      `WITH added AS MATERIALIZED (
         SELECT ids FROM analytics.import_record WHERE site_id = $1 AND import_id = $2 AND table_name = $3 AND kind = 'added'
       )
       INSERT INTO analytics.import_record AS r (site_id, import_id, table_name, kind, row_id, old)
       SELECT $1, $2, $3, 'changed', t.${rowId}, jsonb_build_object(${old.join(', ')})
         FROM ${JOINED}
        WHERE NOT EXISTS (SELECT FROM added WHERE ids @> t.${rowId})
       ON CONFLICT (site_id, import_id, table_name, row_id) DO UPDATE SET old = excluded.old || r.old`,
      [siteId, importId, table],
    );
  };

  const update = async (given: readonly string[]): Promise<void> => {
    const sets = about.sets?.(given) ?? {};
    const fields = [...new Set([...given, ...Object.keys(sets)])];
    const assigned = fields.map((field) => `${field} = ${sets[field] ?? `coalesce(m.${field}, t.${field})`}`);
    await about.before?.(given);
    await logOld(fields);
    await client.query(
      `UPDATE analytics.${table} t SET ${assigned.join(', ')} FROM ${MATCHED_ROW} m
        WHERE ${IS_MATCHED}`,
      [siteId],
    );
    await about.after?.(given);
  };

  return async (batch: RowBatch, rows: Uint32Array) => {
    if (rows.length === 0) return { updated: 0, kept: 0, unchanged: 0, rejections: [] };
    const staging = await openRowStaging(client, 'met', layout);
    await files.search();
    await staging.add(batch, rows);
    // The planner needs little more than the number of rows. Analyzing all columns would take as long as comparing the rows.
    await client.query(`ANALYZE ${MATCHED_ROW} (site_id)`);
    const filled = layout.columns.flatMap(({ name }, field) => (isGiven(batch, rows, field) ? [name] : []));
    const values = filled.filter((name) => name !== rowId && !about.ignored.has(name));
    const given = (await about.prepare?.(values)) ?? values;
    const rejections: LateRejection[] = [];
    const chosen: number[] = [];
    let kept = 0;
    let different = given.length === 0 ? [] : await differences(given);
    // Equal ids need no merging, so the rows of most batches are compared once.
    const unequal = new Set(different.flatMap(({ fields }) => fields));
    const merging = [...(about.mergeable ?? [])].filter(
      ([field]) => values.includes(field) && unequal.has(field),
    );
    for (const [field, dimension] of merging) await mergeTexts(field, dimension);
    if (merging.length > 0) different = await differences(given);
    for (const one of different) {
      const row = rows[one.place - 1] ?? 0;
      const isRefused = one.line === null ? onConflict === 'refuse' : duplicates === 'refuse';
      const where = one.line === null ? 'a stored row' : `line ${one.line}`;
      if (isRefused) rejections.push(conflictOf(context, about, row, where, one.fields));
      else if (one.line === null && onConflict === 'keep') {
        kept += 1;
        about.keepStored?.(row);
      } else chosen.push(one.place);
    }
    if (chosen.length > 0) {
      await client.query(`DELETE FROM ${MATCHED_ROW} WHERE place <> ALL($1::integer[])`, [chosen]);
      await update(given);
    }
    const refused = new Set(rejections.map(({ row }) => row));
    const accepted = [...rows].filter((row) => !refused.has(row));
    await files.note(batch, accepted, false);
    return { updated: chosen.length, kept, unchanged: rows.length - different.length, rejections };
  };
}
