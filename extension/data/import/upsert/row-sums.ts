// Adds up any number of rows with the same key in one file: figures are summed, and a position is the mean
// weighted by impressions.
import { openRowStaging, rowStaging } from '../../change/staging';
import { makeRoom, type RowBatch, rowBatch, setValue } from '../../rows/row-batch';
import type { TableLayout } from '../../rows/table-layout';
import { ImportError } from '../import-error';
import type { LoaderContext } from '../loader-context';
import { largestOf } from '../parse-value';

const WEIGHT = 'impressions';
const MEAN = 'position_x100';

/** The sums of one import. Throws an ImportError for a material whose rows cannot be summed. */
export async function rowSums(
  { client, material, limits }: LoaderContext,
  layout: TableLayout,
  key: readonly string[],
) {
  const names = layout.columns.map(({ name }) => name);
  if (!names.includes(MEAN) || layout.texts > 0)
    throw new ImportError(`Rows of ${material.name} cannot be added up`);
  const staging = await openRowStaging(client, 'summed', layout);
  let read = 0;
  let written = 0;
  const sumOf = (name: string): string => {
    if (name === MEAN)
      return `round(coalesce(sum(${MEAN}::numeric * ${WEIGHT}) / nullif(sum(${WEIGHT}), 0), avg(${MEAN})))`;
    return `sum(${name})`;
  };
  const select = layout.columns.map(({ name, type }) => {
    if (type === 'date') return `(${name} - DATE '1970-01-01')::float8 AS ${name}`;
    if (key.includes(name) || name === 'site_id') return `${name}::float8 AS ${name}`;
    return `${sumOf(name)}::float8 AS ${name}`;
  });
  return {
    async add(batch: RowBatch, rows: Uint32Array): Promise<void> {
      await staging.add(batch, rows);
      read += rows.length;
    },
    /** The sums as rows. */
    async *batches(): AsyncGenerator<RowBatch> {
      await client.query(
        `DECLARE sums NO SCROLL CURSOR FOR SELECT ${select.join(', ')} FROM ${rowStaging('summed', layout.table)}
          GROUP BY site_id, ${key.join(', ')} ORDER BY min(place)`,
      );
      for (;;) {
        const { rows } = await client.query<Readonly<Record<string, number | null>>>(
          `FETCH ${limits.batchRows} FROM sums`,
        );
        if (rows.length === 0) return;
        const batch = rowBatch(layout.texts);
        makeRoom(batch, rows.length);
        for (const row of rows) {
          for (const [field, { name, type }] of layout.columns.entries()) {
            const value = row[name] ?? Number.NaN;
            if (value > largestOf(type))
              throw new ImportError(
                `The sum of ${name} is ${value}; the largest that can be stored is ${largestOf(type)}`,
              );
            setValue(batch, batch.end, field, value);
          }
          batch.end += 1;
        }
        written += rows.length;
        yield batch;
      }
    },
    /** The number of rows that were added to another row. */
    summed: (): number => read - written,
  };
}
