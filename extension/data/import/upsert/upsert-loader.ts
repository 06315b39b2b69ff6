// Loads figures that their source may correct later: a row replaces the stored row with the same key.

import { nextNumbers } from '../../rows/generated-ids';
import { placesOf, type RowBatch, setValue } from '../../rows/row-batch';
import { loadTableLayout } from '../../rows/table-layout';
import { rowIdOf } from '../../storage/stored-materials';
import { openDimensions } from '../dimensions';
import { openGivenIds } from '../given-ids';
import type { OpenLoader } from '../loader';
import { matchRows } from '../match-rows';
import { rowChecker } from '../row-checker';
import { keyFinder, keyReader } from '../stored-keys';
import { rejectTakenNumbers } from './reject-taken-numbers';
import { rowSums } from './row-sums';

/** The reason that reports show for a row that was skipped because its values were added to another row. */
const SUMMED = 'added to an earlier row with the same key';

/** Opens the loader for a material that has a key in the manifest. */
export const upsertLoader: OpenLoader = async (context) => {
  const { client, siteId, manifest, material, duplicates } = context;
  const { table, key, unique } = material;
  if (table === undefined || key === undefined) throw new Error(`${material.name} has no table with a key.`);
  const rowId = rowIdOf(material);
  const layout = await loadTableLayout(client, table);
  const dimensions = openDimensions(context);
  const isVersion = unique === 'version_id';
  const ids = isVersion ? openGivenIds(context, [unique]) : undefined;
  const checker = rowChecker({ ...context, layout, dimensions, ...(ids && { ids }) });
  const siteField = layout.fieldOf('site_id');
  const readers = key.map((name) => keyReader(layout, name));

  const numberRows = async (batch: RowBatch, rows: Uint32Array): Promise<void> => {
    if (rows.length === 0) return;
    const numbers = await nextNumbers(client, table, rowId, rows.length);
    const field = layout.fieldOf(rowId);
    for (const [place, row] of rows.entries()) setValue(batch, row, field, numbers[place] ?? 0);
  };

  const matched = matchRows(context, {
    layout,
    rowId,
    identity: key.join(', '),
    ignored: new Set(['site_id', rowId, ...key]),
    keyOf: (batch, row) => readers.map((read) => read(batch, row)).join('\0'),
    find: keyFinder(context, layout, rowId, key),
    ...(unique === undefined && { number: numberRows }),
  });
  const sums = duplicates === 'sum' ? await rowSums(context, layout, key) : undefined;

  return {
    checker,
    async write(batch) {
      await checker.settleIds(client, batch);
      const rejections = isVersion ? await rejectTakenNumbers(context, layout, batch) : [];
      const rejected = new Set(rejections.map(({ row }) => row));
      const rows = placesOf(batch).filter((row) => !rejected.has(row));
      for (const row of rows) setValue(batch, row, siteField, siteId);
      if (sums !== undefined) {
        await sums.add(batch, rows);
        return rejections;
      }
      return [...rejections, ...(await matched.write(batch, rows))];
    },
    ...(sums === undefined && { nextFile: matched.nextFile }),
    async finish() {
      if (sums === undefined) return matched.totals();
      for await (const batch of sums.batches()) await matched.write(batch, placesOf(batch));
      const summed = sums.summed();
      return { ...matched.totals(), ...(summed > 0 && { skipped: { [SUMMED]: summed } }) };
    },
    tables: [table, ...[...dimensions.keys()].map((name) => manifest.dimensions.get(name)?.table ?? name)],
  };
};
