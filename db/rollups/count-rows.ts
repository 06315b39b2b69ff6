// Owns the counting of the rows of days: measures by every dimension, and different values by those that vary in a visit.
// Days in portions -> their cells, day after day. Every row is read once; a portion and the open blocks are in memory.
import type { ClientBase } from 'pg';
import { blockCascade } from './block-cascade';
import { type CountedMaterial, keyFields, keyPlaces, measuredFields, rowMeasures } from './counted-material';
import { readIntegers } from './integer-rows';
import type { KeyTable } from './key-table';
import { type LocalDay, rowsOfDays } from './local-day';
import type { VaryingValues } from './varying-values';

export interface CountParts {
  readonly client: ClientBase;
  readonly siteId: number;
  readonly material: CountedMaterial;
  readonly portions: readonly (readonly LocalDay[])[];
  /** Whether these are all days of the site. */
  readonly whole: boolean;
  /** Told of rows that are done; what it throws ends the work. */
  goOn(rows: number): void;
}

/** Counts the rows of days; `varying` are the fields of which the material's varying dimensions count values. */
export async function countRows(parts: CountParts, varying: readonly VaryingValues[]): Promise<void> {
  const { client, siteId, material, portions, whole } = parts;
  const { dimensions, arrays, measures } = material;
  const blocks = blockCascade({
    client,
    siteId,
    whole,
    table: 'rollup',
    arrays,
    kinds: dimensions.map(({ code, keys }) => ({ dimension: code, counted: null, keys: keys.length })),
  });
  const fields = [
    ...new Set([...keyFields(dimensions), ...varying.map(({ field }) => field), ...measuredFields(measures)]),
  ];
  const places = dimensions.map((dimension) => keyPlaces(fields, dimension));
  const measure = rowMeasures(measures, ['day', ...fields]);
  const different = varying.map((values) => values.counter(fields, whole));
  const sums = new Float64Array(measures.length);
  const filled = new Uint8Array(measures.length);
  let like: readonly KeyTable[] = [];

  for (const days of portions) {
    const cells = new Map(
      days.map(({ day }) => [day, dimensions.map((_, place) => blocks.openCells(like[place]))]),
    );
    for (const counter of different) counter.open(days);
    await readIntegers(client, rowsOfDays(siteId, material, fields, days), fields.length + 1, (row) => {
      const own = cells.get(row[0] ?? 0);
      if (own === undefined) return;
      measure(row, sums);
      let count = 0;
      for (let sum = 0; sum < sums.length; sum += 1) {
        if (sums[sum] === 0) continue;
        filled[count] = sum;
        count += 1;
      }
      for (let place = 0; place < own.length; place += 1) {
        const table = own[place];
        const keys = places[place];
        if (table === undefined || keys === undefined) continue;
        const base = table.slot(row[keys[0]] ?? 0, row[keys[1]] ?? 0) * sums.length;
        const to = table.sums;
        for (let at = 0; at < count; at += 1) {
          const sum = filled[at] ?? 0;
          to[base + sum] = (to[base + sum] ?? 0) + (sums[sum] ?? 0);
        }
      }
      for (const counter of different) counter.take(row);
    });
    for (const [day, own] of cells) {
      await blocks.add(day, own);
      like = own;
    }
    for (const counter of different) await counter.close(days);
    parts.goOn(days.reduce((total, { rows }) => total + rows, 0));
  }
  await blocks.finish();
  for (const counter of different) await counter.finish();
}
