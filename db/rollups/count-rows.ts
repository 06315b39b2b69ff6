// Owns the counting of the rows of days: measures by every dimension, and different values by those that vary in a visit.
// Days in portions -> their cells, day after day. Every row is read once; a portion and the open blocks are in memory.
import type { ClientBase } from 'pg';
import { blockCascade } from './block-cascade';
import {
  type CountedMaterial,
  fieldPlace,
  keyAt,
  keyFields,
  measuredFields,
  rowMeasures,
} from './counted-material';
import { readIntegers } from './integer-rows';
import type { KeyTable } from './key-table';
import { dayList, type LocalDay } from './local-day';
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
  const keyPlaces = dimensions.map(
    ({ keys }) => [fieldPlace(fields, keys[0]), fieldPlace(fields, keys[1])] as const,
  );
  const measure = rowMeasures(measures, ['day', ...fields]);
  const different = varying.map((values) => values.counter(fields, whole));
  const sums = new Float64Array(measures.length);

  for (const days of portions) {
    const cells = new Map(days.map(({ day }) => [day, dimensions.map(() => blocks.openCells())]));
    for (const counter of different) counter.open(days);
    await readIntegers(client, rowsSql(siteId, material, fields, days), fields.length + 1, (row) => {
      const own = cells.get(row[0] ?? 0);
      if (own === undefined) return;
      measure(row, sums);
      for (let place = 0; place < own.length; place += 1) {
        const [first, second] = keyPlaces[place] ?? [-1, -1];
        addSums(own[place], keyAt(row, first), keyAt(row, second), sums);
      }
      for (const counter of different) counter.take(row);
    });
    for (const [day, own] of cells) await blocks.add(day, own);
    for (const counter of different) await counter.close(days);
    parts.goOn(days.reduce((total, { rows }) => total + rows, 0));
  }
  await blocks.finish();
  for (const counter of different) await counter.finish();
}

function addSums(cells: KeyTable | undefined, k1: number, k2: number, sums: Float64Array): void {
  if (cells === undefined) return;
  const base = cells.slot(k1, k2) * sums.length;
  const own = cells.sums;
  for (let sum = 0; sum < sums.length; sum += 1) {
    const value = sums[sum] ?? 0;
    if (value !== 0) own[base + sum] = (own[base + sum] ?? 0) + value;
  }
}

/** The rows of days with their day. */
function rowsSql(
  siteId: number,
  { table, time }: CountedMaterial,
  fields: readonly string[],
  days: readonly LocalDay[],
): string {
  return `SELECT ${['d.day', ...fields.map((field) => `v.${field}`)].join(', ')}
    FROM ${dayList(days)} JOIN analytics.${table} v
      ON v.site_id = (SELECT ${siteId}::smallint) AND v.${time} >= d.since AND v.${time} < d.until`;
}
