// Owns the counting of different visits and visitors by dimensions that vary within a visit, such as pages.
// Rows of days -> for each key of each day how many values met it. A value on one day alone is counted as its rows pass; the
// database puts those on several days into the order of time.
import type { RollupDimension } from '../../manifests/reader/rollups';
import { blockCascade } from './block-cascade';
import { type CountedField, keyPlaces } from './counted-material';
import { readIntegers } from './integer-rows';
import { addOne, KeyTable, NONE } from './key-table';
import type { LocalDay } from './local-day';
import {
  closeStraddlingCells,
  openStraddlingCells,
  straddlingCellsSql,
  straddlingSql,
  type VisitDays,
} from './visit-days';
import { DIFFERENT_ARRAYS } from './write-blocks';

/** A field whose values such dimensions count. */
export interface VaryingValues {
  readonly field: string;
  /** Counts rows of these fields, which follow the day. `whole`: of all days of the site. */
  counter(fields: readonly string[], whole: boolean): VaryingCounter;
  close(): Promise<void>;
}

export interface VaryingCounter {
  /** Begins with some days. */
  open(days: readonly LocalDay[]): void;
  take(row: Float64Array): void;
  /** Ends with these days. */
  close(days: readonly LocalDay[]): Promise<void>;
  finish(): Promise<void>;
}

const TWO_32 = 4_294_967_296;
/** An id as two integers. */
const highOf = (value: number): number => Math.floor(value / TWO_32);
const lowOf = (value: number): number => value | 0;

/** Prepares the values of the opened field; nothing where no varying dimension counts them. */
export async function openVarying(
  visits: VisitDays,
  counted: CountedField,
): Promise<readonly VaryingValues[]> {
  const dimensions = visits.material.varying.filter(({ counts }) => counts.includes(counted.field));
  if (dimensions.length === 0) return [];
  const straddling = new KeyTable(2, 0);
  await readIntegers(visits.client, straddlingSql(counted), 1, (row) => {
    straddling.slot(highOf(row[0] ?? 0), lowOf(row[0] ?? 0));
  });
  for (const dimension of dimensions) await openStraddlingCells(visits, counted, dimension);
  return [
    {
      field: counted.field,
      counter: (fields, whole) => varyingCounter(visits, counted, dimensions, straddling, fields, whole),
      async close() {
        for (const dimension of dimensions) await closeStraddlingCells(visits, counted, dimension);
      },
    },
  ];
}

function varyingCounter(
  { client, siteId }: VisitDays,
  counted: CountedField,
  dimensions: readonly RollupDimension[],
  straddling: KeyTable,
  fields: readonly string[],
  whole: boolean,
): VaryingCounter {
  const blocks = blockCascade({
    client,
    siteId,
    whole,
    table: 'rollup_unique',
    arrays: DIFFERENT_ARRAYS,
    kinds: dimensions.map(({ code, keys }) => ({
      dimension: code,
      counted: counted.code,
      keys: keys.length,
    })),
  });
  const valuePlace = fields.indexOf(counted.field) + 1;
  const places = dimensions.map((dimension) => keyPlaces(fields, dimension));
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
      const high = highOf(value);
      const low = lowOf(value);
      if (straddling.size > 0 && straddling.has(high, low)) return;
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
      for (const [place, dimension] of straddling.size === 0 ? [] : dimensions.entries()) {
        await readIntegers(client, straddlingCellsSql(counted, dimension, days), 5, (row) => {
          const [day = 0, k1 = 0, k2 = 0, previous = 0, count = 0] = row;
          addOne(cells.get(day)?.[place], k1, k2, previous, count);
        });
      }
      for (const [day, own] of cells) await blocks.add(day, own);
    },
    finish: () => blocks.finish(),
  };
}
