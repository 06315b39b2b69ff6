// Loads figures that their source corrects later on: a row replaces the stored row with the same key.
import { ANY_SITE } from '../../storage/planner';
import { copyRows } from '../copy-rows';
import { openDimensions } from '../dimensions';
import { fileRows } from '../file-rows';
import { openGivenIds } from '../given-ids';
import type { LateRejection, MaterialLoader } from '../loader';
import type { LoaderContext } from '../loader-context';
import { placesOf, type RowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { storedRows } from '../stored-rows';
import { loadTableLayout, type TableLayout } from '../table-layout';
import { mergeRow, settleTwins } from '../twins';
import { type RowSums, rowSums } from './row-sums';

/** Finds the rows of a batch that only the database can tell to be wrong. */
export type RejectLate = (
  context: LoaderContext,
  layout: TableLayout,
  batch: RowBatch,
) => Promise<readonly LateRejection[]>;

/** The number of a row, where its key is not one. */
const ROW_ID = 'row_id';

/** Opens the loader of a material that the manifest gives a key. */
export async function upsertLoader(context: LoaderContext, rejectLate?: RejectLate): Promise<MaterialLoader> {
  const { client, siteId, manifest, material, duplicates } = context;
  const { table, key, unique } = material;
  if (table === undefined || key === undefined) throw new Error(`${material.name} has no table with a key.`);
  const rowId = unique ?? ROW_ID;
  const layout = await loadTableLayout(client, table);
  const dimensions = openDimensions(context);
  const ids = unique === 'version_id' ? openGivenIds(context, [unique]) : undefined;
  const checker = rowChecker({ ...context, layout, dimensions, ...(ids && { ids }) });
  const { width } = checker.shape;
  const files = await fileRows(context, table);
  const identity = key.join(', ');
  const ignored = new Set(['site_id', rowId, ...key]);
  const stored = await storedRows(context, { layout, rowId, identity, ignored, files });
  const sums = duplicates === 'sum' ? await rowSums(context, layout, key) : undefined;
  const totals = { added: 0, updated: 0, kept: 0, unchanged: 0 };

  const get = (batch: RowBatch, row: number, name: string): number =>
    batch.values[row * width + layout.fieldOf(name)] ?? Number.NaN;
  const set = (batch: RowBatch, row: number, name: string, value: number): void => {
    batch.values[row * width + layout.fieldOf(name)] = value;
  };

  /** A field of the key as a parameter: texts as they are, days as their number. */
  const keyValue = (batch: RowBatch, row: number, name: string): string | number => {
    const { text } = layout.columns[layout.fieldOf(name)] ?? {};
    if (text === undefined) return get(batch, row, name);
    return String(batch.extras[row * batch.shape.extras + text] ?? '');
  };

  const findStored = async (batch: RowBatch, rows: Uint32Array): Promise<ReadonlyMap<number, number>> => {
    const fields = key.map((name) => ({ name, type: layout.columns[layout.fieldOf(name)]?.type ?? 'int8' }));
    const arrays = fields.map(({ type }, i) => `$${i + 2}::${type === 'date' ? 'int4' : type}[]`);
    const same = fields.map(({ name, type }) =>
      type === 'date' ? `t.${name} = DATE '1970-01-01' + k.${name}` : `t.${name} = k.${name}`,
    );
    const answer = await client.query<{ place: number; id: number }>(
      `SELECT k.place::float8 AS place, t.${rowId}::float8 AS id
         FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS k(${key.join(', ')}, place)
         JOIN analytics.${table} t ON t.site_id = ${ANY_SITE} AND ${same.join(' AND ')}`,
      [siteId, ...key.map((name) => Array.from(rows, (row) => keyValue(batch, row, name)))],
    );
    return new Map(answer.rows.map(({ place, id }) => [rows[place - 1] ?? 0, id]));
  };

  const copyNew = async (batch: RowBatch, rows: Uint32Array): Promise<void> => {
    if (rows.length === 0) return;
    if (unique === undefined) {
      const numbers = await client.query<{ id: number }>(
        `SELECT nextval(pg_get_serial_sequence($1, '${ROW_ID}'))::float8 AS id FROM generate_series(1, $2::integer)`,
        [`analytics.${table}`, rows.length],
      );
      for (const [place, row] of rows.entries()) set(batch, row, rowId, numbers.rows[place]?.id ?? 0);
    }
    await copyRows(client, layout, batch, rows);
    totals.added += rows.length;
    await files.note(
      Array.from(rows, (row) => get(batch, row, rowId)),
      Array.from(rows, (row) => batch.lines[row] ?? 0),
      true,
    );
  };

  /** Writes rows whose dimensions have their ids. */
  const writeRows = async (batch: RowBatch, rows: Uint32Array): Promise<readonly LateRejection[]> => {
    const rules = {
      ...{ layout, material, identity, ignored },
      keyOf: (row: number) => key.map((name) => keyValue(batch, row, name)).join('\0'),
      givenOf: (row: number, field: number) => batch.values[row * width + field] ?? Number.NaN,
    };
    const merge = (first: number, row: number): void => mergeRow(batch, rules, first, row);
    const twins = settleTwins(batch, rows, { ...rules, merge: duplicates === 'refuse' ? undefined : merge });
    const numbers = await findStored(batch, twins.once);
    const again = twins.once.filter((row) => numbers.has(row));
    for (const row of again) set(batch, row, rowId, numbers.get(row) ?? 0);
    const met = await stored.meet(batch, again);
    await copyNew(
      batch,
      twins.once.filter((row) => !numbers.has(row)),
    );
    totals.updated += twins.updated + met.updated;
    totals.kept += met.kept;
    totals.unchanged += twins.unchanged + met.unchanged;
    return [...twins.rejections, ...met.rejections];
  };

  const writeSums = async (all: RowSums): Promise<void> => {
    for await (const batch of all.batches(checker.shape)) await writeRows(batch, placesOf(batch));
  };

  return {
    checker,
    rejectsLate: true,
    async write(batch) {
      await checker.settleIds(client, batch);
      const rejections = (await rejectLate?.(context, layout, batch)) ?? [];
      const rejected = new Set(rejections.map(({ row }) => row));
      const rows = placesOf(batch).filter((row) => !rejected.has(row));
      for (const row of rows) set(batch, row, 'site_id', siteId);
      if (sums !== undefined) {
        await sums.add(batch, rows);
        return rejections;
      }
      return [...rejections, ...(await writeRows(batch, rows))].sort((a, b) => a.row - b.row);
    },
    ...(sums === undefined && { nextFile: files.nextFile }),
    async finish() {
      if (sums === undefined) return totals;
      await writeSums(sums);
      return { ...totals, summed: sums.summed() };
    },
    tables: [table, ...[...dimensions.keys()].map((name) => manifest.dimensions.get(name)?.table ?? name)],
  };
}
