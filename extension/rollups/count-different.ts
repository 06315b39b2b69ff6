// Owns the counting of different visits and visitors by dimensions that hardly change within a visit.
// Visits of the computed days, one value after the other -> for each key of each day how many values met it, by the day on
// which they met it last. Days are taken in stretches, so that the memory for their cells has a bound.
import type { ClientBase } from 'pg';
import { blockCascade } from './block-cascade';
import { type CountedField, type CountedMaterial, keyFields, keyPlaces } from './counted-material';
import { highHalf, lowHalf } from './halves';
import { readIntegers } from './integer-rows';
import { addOne, KeyTable, NONE } from './key-table';
import type { LocalDay } from './local-day';
import type { Visits } from './visit-days';
import type { BlockWriter } from './write-blocks';

const MANY_KEYS = 64;

export interface DifferentParts {
  readonly client: ClientBase;
  readonly siteId: number;
  readonly material: CountedMaterial;
  readonly counted: CountedField;
  readonly visits: Visits;
  /** Of blocks of different values. */
  readonly writer: BlockWriter;
  readonly stretches: readonly (readonly LocalDay[])[];
  /** Whether these are all days of the site. */
  readonly whole: boolean;
  /** Told of days that are done; what it throws ends the work. */
  goOn(days: readonly LocalDay[]): void;
}

/**
 * Counts the different values of one field. Answers in halves those that are on several days, where some dimension that
 * varies within a visit counts them too.
 */
export async function countDifferent(parts: DifferentParts): Promise<KeyTable> {
  const { client, siteId, material, counted, visits, writer, stretches, whole } = parts;
  const dimensions = material.steady.filter(({ counts }) => counts.includes(counted.field));
  const keys = keyFields(dimensions);
  const columns = [counted.field, ...keys];
  const places = dimensions.map((dimension) => keyPlaces(columns, dimension));
  const blocks = blockCascade({
    client,
    siteId,
    writer,
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
  const varies = material.varying.some(({ counts }) => counts.includes(counted.field));
  const several = new KeyTable(2, 0);
  const visitsOf = await visits.sorted(counted, keys);
  for (const stretch of stretches) {
    const cells = new Map(stretch.map(({ day }) => [day, dimensions.map(() => blocks.openCells())]));
    let value = Number.NaN;
    let firstDay = NONE;
    const none = NONE;
    await readIntegers(client, visitsOf(stretch), columns.length + 1, (row) => {
      const day = row[0] ?? 0;
      if (row[1] !== value) {
        value = row[1] ?? Number.NaN;
        firstDay = day;
        met.forEach(forget);
      } else if (varies && day !== firstDay) several.slot(highHalf(value), lowHalf(value));
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
    parts.goOn(stretch);
  }
  await blocks.finish();
  return several;
}
