// Owns the counting of the rows of days: measures by every dimension, and different values by those that vary in a visit.
// Days in portions -> their cells, day after day. Every row is read once; a portion and the open blocks are in memory.
import type { ClientBase } from 'pg';
import type { RollupDimension } from '../../manifests/reader/rollups';
import { blockCascade } from './block-cascade';
import { type CountedMaterial, keyFields, keyPlaces, measuredFields, rowMeasures } from './counted-material';
import { readIntegers } from './integer-rows';
import type { KeyTable } from './key-table';
import { type LocalDay, rowsOfDays } from './local-day';
import type { VaryingValues } from './varying-values';
import { visitSums } from './visit-sums';
import { blockWriter } from './write-blocks';

export interface CountParts {
  readonly client: ClientBase;
  readonly siteId: number;
  readonly material: CountedMaterial;
  readonly portions: readonly (readonly LocalDay[])[];
  /** Whether these are all days of the site. */
  readonly whole: boolean;
  /** Told of days that are done; what it throws ends the work. */
  goOn(days: readonly LocalDay[]): void;
}

/** Counts the rows of days; `varying` are the fields of which the material's varying dimensions count values. */
export async function countRows(parts: CountParts, varying: readonly VaryingValues[]): Promise<void> {
  const { client, siteId, material, portions, whole } = parts;
  const { dimensions, arrays, measures } = material;
  const writer = blockWriter(client, siteId, 'rollup', arrays);
  const blocks = blockCascade({
    client,
    siteId,
    whole,
    writer,
    kinds: dimensions.map(({ code, keys }) => ({ dimension: code, counted: null, keys: keys.length })),
  });
  const visit = material.counted[0]?.field;
  const named = [...varying.map(({ field }) => field), ...(visit === undefined ? [] : [visit])];
  const fields = [...new Set([...keyFields(dimensions), ...named, ...measuredFields(measures)])];
  const measure = rowMeasures(measures, ['day', ...fields]);
  const different = varying.map((values) => values.counter(fields));
  const sums = new Float64Array(measures.length);
  let cells: ReadonlyMap<number, readonly KeyTable[]> = new Map();
  let like: readonly KeyTable[] = [];

  const adder = (some: readonly RollupDimension[]): ((row: Float64Array, of: Float64Array) => void) => {
    const tables = some.map((dimension) => dimensions.indexOf(dimension));
    const places = some.map((dimension) => keyPlaces(fields, dimension));
    return (row, of) => {
      const own = cells.get(row[0] ?? 0);
      if (own !== undefined) addSums(own, tables, places, row, of);
    };
  };
  const toVarying = adder(material.varying);
  const toSteady = adder(material.steady);
  const steadyPlaces = keyFields(material.steady).map((field) => fields.indexOf(field) + 1);
  // Rows of a visit have the same keys mostly: together they are found in each dimension once.
  const visits =
    visit === undefined
      ? undefined
      : visitSums(fields.indexOf(visit) + 1, steadyPlaces, fields.length + 2, sums.length, toSteady);

  for (const days of portions) {
    cells = new Map(
      days.map(({ day }) => [day, dimensions.map((_, place) => blocks.openCells(like[place]))]),
    );
    for (const counter of different) counter.open(days);
    await readIntegers(client, rowsOfDays(siteId, material, fields, days), fields.length + 1, (row) => {
      measure(row, sums);
      toVarying(row, sums);
      if (visits === undefined) toSteady(row, sums);
      else visits.take(row, sums);
      for (const counter of different) counter.take(row);
    });
    visits?.flush();
    for (const [day, own] of cells) {
      await blocks.add(day, own);
      like = own;
    }
    for (const counter of different) await counter.close(days);
    parts.goOn(days);
  }
  await blocks.finish();
  for (const counter of different) await counter.finish();
  await writer.finish();
}

/** Adds the sums of a row to its cells in some of the tables. */
function addSums(
  own: readonly KeyTable[],
  tables: readonly number[],
  places: readonly (readonly [first: number, second: number])[],
  row: Float64Array,
  sums: Float64Array,
): void {
  const width = sums.length;
  for (let at = 0; at < tables.length; at += 1) {
    const table = own[tables[at] ?? -1];
    const keys = places[at];
    if (table === undefined || keys === undefined) continue;
    const base = table.slot(row[keys[0]] ?? 0, row[keys[1]] ?? 0) * width;
    const to = table.sums;
    for (let sum = 0; sum < width; sum += 1) to[base + sum] = (to[base + sum] ?? 0) + (sums[sum] ?? 0);
  }
}
