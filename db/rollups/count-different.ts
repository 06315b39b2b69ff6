// Owns the counting of different visits and visitors by dimensions that hardly change within a visit.
// Visits of the computed days, one value after the other -> for each key of each day how many values met it, by the day on
// which they met it last. Days are taken in stretches, so that the memory for their cells has a bound.
import { blockCascade } from './block-cascade';
import { type CountedField, type CountedMaterial, keyFields, keyPlaces } from './counted-material';
import { readIntegers } from './integer-rows';
import { addOne, KeyTable, NONE } from './key-table';
import { portions } from './local-day';
import { type VisitDays, visitsSql } from './visit-days';
import { DIFFERENT_ARRAYS } from './write-blocks';

/** Rows of the days that are counted together. */
const STRETCH_ROWS = 4_000_000;
const MANY_KEYS = 64;

/** Counts the different values of one field on the days of the visits. `whole`: these are all days of the site. */
export async function countDifferent(
  visits: VisitDays,
  material: CountedMaterial,
  counted: CountedField,
  whole: boolean,
): Promise<void> {
  const { client, siteId, days } = visits;
  const dimensions = material.steady.filter(({ counts }) => counts.includes(counted.field));
  if (dimensions.length === 0) return;
  const keys = keyFields(dimensions);
  const columns = [counted.field, ...keys];
  const places = dimensions.map((dimension) => keyPlaces(columns, dimension));
  const blocks = blockCascade({
    client,
    siteId,
    table: 'rollup_unique',
    arrays: DIFFERENT_ARRAYS,
    whole,
    kinds: dimensions.map((dimension) => ({
      dimension: dimension.code,
      counted: counted.code,
      keys: dimension.keys.length,
    })),
  });
  /** For each dimension: the keys that the present value met, and the day on which it did so last. */
  const met = dimensions.map(() => new KeyTable(2, 1));
  const forget = (table: KeyTable, index: number): void => {
    // A table that one value filled would be long to empty for each that follows.
    if (table.size > MANY_KEYS) met[index] = new KeyTable(2, 1);
    else if (table.size > 0) table.clear();
  };
  for (const stretch of portions(days, STRETCH_ROWS)) {
    const cells = new Map(stretch.map(({ day }) => [day, dimensions.map(() => blocks.openCells())]));
    let value = Number.NaN;
    const none = NONE;
    await readIntegers(client, visitsSql(visits, counted, keys, stretch), columns.length + 1, (row) => {
      const day = row[0] ?? 0;
      if (row[1] !== value) {
        value = row[1] ?? Number.NaN;
        met.forEach(forget);
      }
      const into = cells.get(day);
      for (let index = 0; index < met.length; index += 1) {
        const table = met[index];
        const own = places[index];
        if (table === undefined || own === undefined) continue;
        const k1 = row[own[0]] ?? 0;
        const k2 = row[own[1]] ?? 0;
        const known = table.size;
        const slot = table.slot(k1, k2);
        const before = table.size > known ? none : (table.sums[slot] ?? none);
        // Another visit on the same day: it is counted.
        if (before === day) continue;
        table.sums[slot] = day;
        addOne(into?.[index], k1, k2, before, 1);
      }
    });
    for (const [day, own] of cells) await blocks.add(day, own);
  }
  await blocks.finish();
}
