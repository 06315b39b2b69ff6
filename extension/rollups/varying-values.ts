// Owns the counting of different visits and visitors by dimensions that vary within a visit, such as pages.
// Rows of days -> for each key of each day how many values met it. A value on one day alone is counted as its rows pass; the
// database puts those on several days into the order of time.
import type { RollupDimension } from '../../manifests/reader/rollups';
import { blockCascade } from './block-cascade';
import type { DifferentParts } from './count-different';
import { keyPlaces } from './counted-material';
import { highHalf, lowHalf, wholeOf } from './halves';
import { readIntegers } from './integer-rows';
import { addOne, KeyTable, NONE } from './key-table';
import type { LocalDay } from './local-day';
import type { DaysQuery } from './visit-days';

/** A field whose values such dimensions count. */
export interface VaryingValues {
  readonly field: string;
  /** Counts rows of these fields, which follow the day. */
  counter(fields: readonly string[]): VaryingCounter;
}

export interface VaryingCounter {
  /** Begins with some days. */
  open(days: readonly LocalDay[]): void;
  take(row: Float64Array): void;
  /** Ends with these days. */
  close(days: readonly LocalDay[]): Promise<void>;
  finish(): Promise<void>;
}

export interface VaryingParts extends Omit<DifferentParts, 'stretches' | 'goOn'> {
  /** The values that are on several days, in halves. */
  readonly several: KeyTable;
}

/** A dimension, and the query of its cells of values on several days, where there are any. */
interface VaryingDimension {
  readonly dimension: RollupDimension;
  readonly cells?: DaysQuery;
}

/** Prepares the counting of a field's values; nothing where no varying dimension counts them. */
export async function openVarying(parts: VaryingParts): Promise<readonly VaryingValues[]> {
  const { material, counted, visits, several } = parts;
  const values = Array.from({ length: several.size }, (_, slot) =>
    wholeOf(several.keys[slot * 2] ?? 0, several.keys[slot * 2 + 1] ?? 0),
  );
  const dimensions: VaryingDimension[] = [];
  for (const dimension of material.varying) {
    if (!dimension.counts.includes(counted.field)) continue;
    if (values.length === 0) dimensions.push({ dimension });
    else dimensions.push({ dimension, cells: await visits.cells(counted, dimension, values) });
  }
  if (dimensions.length === 0) return [];
  return [{ field: counted.field, counter: (fields) => varyingCounter(parts, dimensions, fields) }];
}

function varyingCounter(
  { client, siteId, counted, several, writer, whole }: VaryingParts,
  dimensions: readonly VaryingDimension[],
  fields: readonly string[],
): VaryingCounter {
  const blocks = blockCascade({
    client,
    siteId,
    whole,
    writer,
    kinds: dimensions.map(({ dimension: { code, keys } }) => ({
      dimension: code,
      counted: counted.code,
      keys: keys.length,
    })),
  });
  const valuePlace = fields.indexOf(counted.field) + 1;
  const places = dimensions.map(({ dimension }) => keyPlaces(fields, dimension));
  let cells = new Map<number, readonly KeyTable[]>();
  /** The pairs of value and key that were met, by day and dimension. */
  let met = new Map<number, readonly KeyTable[]>();
  let pairsOfDay = 0;
  return {
    open(days) {
      const [like] = [...cells.values()].slice(-1);
      const open = () => dimensions.map((_, place) => blocks.openCells(like?.[place]));
      cells = new Map(days.map(({ day }) => [day, open()]));
      met = new Map(days.map(({ day }) => [day, dimensions.map(() => new KeyTable(4, 0, pairsOfDay))]));
    },
    take(row) {
      const value = row[valuePlace] ?? 0;
      const high = highHalf(value);
      const low = lowHalf(value);
      if (several.size > 0 && several.has(high, low)) return;
      const own = cells.get(row[0] ?? 0);
      const seen = met.get(row[0] ?? 0);
      if (own === undefined || seen === undefined) return;
      for (let place = 0; place < own.length; place += 1) {
        const pairs = seen[place];
        const keys = places[place];
        if (pairs === undefined || keys === undefined) continue;
        const k1 = row[keys[0]] ?? 0;
        const k2 = row[keys[1]] ?? 0;
        const before = pairs.size;
        pairs.slot(high, low, k1, k2);
        if (pairs.size > before) addOne(own[place], k1, k2, NONE, 1);
      }
    },
    async close(days) {
      pairsOfDay = Math.max(0, ...[...met.values()].flat().map(({ size }) => size));
      met.clear();
      for (const [place, { cells: stored }] of dimensions.entries()) {
        if (stored === undefined) continue;
        await readIntegers(client, stored(days), 5, (row) => {
          const [day = 0, k1 = 0, k2 = 0, previous = 0, count = 0] = row;
          addOne(cells.get(day)?.[place], k1, k2, previous, count);
        });
      }
      for (const [day, own] of cells) await blocks.add(day, own);
    },
    finish: () => blocks.finish(),
  };
}
