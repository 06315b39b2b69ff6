// Finds which rows of a batch a table already contains, with one query for the whole batch.

import { type RowBatch, valueAt } from '../rows/row-batch';
import type { StoredField, TableLayout } from '../rows/table-layout';
import { ANY_SITE } from '../storage/planner';
import { fingerprintText } from './fingerprint';
import type { LoaderContext } from './loader-context';

/** Returns the ids of the stored rows that have the same keys as these rows of a batch, by row. */
export type FindStored = (batch: RowBatch, rows: Uint32Array) => Promise<ReadonlyMap<number, number>>;

type KeyValue = string | number;

/** Reads a field of a key as a query parameter: strings and fingerprints unchanged, days as numbers. */
export function keyReader(layout: TableLayout, name: string): (batch: RowBatch, row: number) => KeyValue {
  const field = layout.fieldOf(name);
  const { type, text } = layout.columns[field] ?? { type: 'int8' };
  if (type === 'uuid') return fingerprintText;
  if (text !== undefined)
    return ({ extras, extrasPerRow }, row) => String(extras[row * extrasPerRow + text] ?? '');
  return (batch, row) => valueAt(batch, row, field);
}

/** Finds rows by the fields of a key. */
export function keyFinder(
  context: LoaderContext,
  layout: TableLayout,
  rowId: string,
  key: readonly string[],
): FindStored {
  const fields = key.map((name) => ({
    name,
    type: layout.columns[layout.fieldOf(name)]?.type ?? 'int8',
    read: keyReader(layout, name),
  }));
  return async (batch, rows) => {
    const values = fields.map(({ read }) => Array.from(rows, (row) => read(batch, row)));
    const found = await storedIds(context, layout.table, rowId, fields, values);
    return new Map(found.map(({ place, id }) => [rows[place - 1] ?? 0, id]));
  };
}

/** Returns the ids of the site's stored rows that have these keys, which are given as a list of values for each field. */
export async function storedIds(
  { client, siteId }: LoaderContext,
  table: string,
  rowId: string,
  fields: readonly Pick<StoredField, 'name' | 'type'>[],
  values: readonly (readonly KeyValue[])[],
): Promise<readonly { readonly place: number; readonly id: number }[]> {
  if (values[0]?.length === 0) return [];
  const arrays = fields.map(({ type }, place) => `$${place + 2}::${type === 'date' ? 'int4' : type}[]`);
  const same = fields.map(({ name, type }) =>
    type === 'date' ? `${name} = DATE '1970-01-01' + k.${name}` : `${name} = k.${name}`,
  );
  const names = fields.map(({ name }) => name).join(', ');
  const { rows } = await client.query<{ place: number; id: number }>(
    `SELECT k.place::float8 AS place, v.id FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS k(${names}, place),
       LATERAL (SELECT ${rowId}::float8 AS id FROM analytics.${table} WHERE site_id = ${ANY_SITE} AND ${same.join(' AND ')} LIMIT 1) v`,
    [siteId, ...values],
  );
  return rows;
}
