// Owns what is counted of the rows of a material: which of their fields are read, and what each row adds to which counts.
// manifests/rollups.yaml -> fields to read, and functions over a row of these. Names in SQL are the manifest's alone.

import type { ClientBase } from 'pg';
import { loadManifest } from '../../manifests/reader/manifest';
import {
  COUNTED_FIELDS,
  type RollupDimension,
  type RollupMeasure,
  type Rollups,
} from '../../manifests/reader/rollups';
import { NONE } from './key-table';
import type { BlockArray } from './write-blocks';

export interface CountedMaterial {
  readonly material: string;
  readonly table: string;
  readonly time: string;
  readonly dimensions: readonly RollupDimension[];
  /** Those whose keys hardly change within a visit, and those whose keys do. */
  readonly steady: readonly RollupDimension[];
  readonly varying: readonly RollupDimension[];
  /** The fields whose different values some dimension counts, each with its number in the database. */
  readonly counted: readonly CountedField[];
  /** The arrays of its measures, in their order. */
  readonly arrays: readonly BlockArray[];
  readonly measures: readonly RollupMeasure[];
}

export interface CountedField {
  readonly field: string;
  readonly code: number;
}

/** All materials that are counted. */
export async function countedMaterials(
  client: ClientBase,
  rollups: Rollups,
): Promise<readonly CountedMaterial[]> {
  const stored = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, atttypid::regtype::text AS type FROM pg_attribute
      WHERE attrelid = 'analytics.rollup'::regclass AND attnum > 0 AND NOT attisdropped`,
  );
  const big = new Set(stored.rows.filter(({ type }) => type === 'bigint[]').map(({ name }) => name));
  return [...rollups.values()].map(({ material, dimensions, measures }) => ({
    ...tableOf(material),
    material,
    dimensions,
    steady: dimensions.filter(({ varies }) => !varies),
    varying: dimensions.filter(({ varies }) => varies),
    counted: Object.entries(COUNTED_FIELDS)
      .filter(([field]) => dimensions.some(({ counts }) => counts.includes(field)))
      .map(([field, code]) => ({ field, code })),
    arrays: measures.map(({ name }) => ({ name, type: big.has(name) ? 'bigint' : 'integer' })),
    measures,
  }));
}

const { materials } = loadManifest();

/** The table of a material, and the field with the time of a row. */
export function tableOf(material: string): { readonly table: string; readonly time: string } {
  const { table, time } = materials.get(material) ?? {};
  if (table === undefined || time === undefined) throw new Error(`the rows of ${material} cannot be counted`);
  return { table, time: time.field };
}

/** The key fields of some dimensions, each once. */
export function keyFields(dimensions: readonly RollupDimension[]): readonly string[] {
  return [...new Set(dimensions.flatMap(({ keys }) => keys))];
}

/** The fields that measures look at. */
export function measuredFields(measures: readonly RollupMeasure[]): readonly string[] {
  return measures.flatMap(({ of, where }) => [...(of === undefined ? [] : [of]), ...Object.keys(where)]);
}

/**
 * What a row adds to each measure, written to `sums`. `fields` are those of the row in their order: flags are 0 and 1, null
 * is NONE.
 */
export function rowMeasures(
  measures: readonly RollupMeasure[],
  fields: readonly string[],
): (row: Float64Array, sums: Float64Array) => void {
  const parts = measures.map(({ function: kind, of, where }) => ({
    sums: kind === 'SUM',
    of: of === undefined ? -1 : fields.indexOf(of),
    conditions: Object.entries(where).map(([field, value]) => ({ place: fields.indexOf(field), value })),
  }));
  const none = NONE;
  const holds = (row: Float64Array, conditions: (typeof parts)[number]['conditions']): boolean => {
    for (const { place, value } of conditions) {
      const own = row[place] ?? none;
      if (value === 'positive' ? own <= 0 : own !== value) return false;
    }
    return true;
  };
  return (row, sums) => {
    for (let place = 0; place < parts.length; place += 1) {
      const part = parts[place];
      if (part === undefined) continue;
      const value = part.of < 0 ? 1 : (row[part.of] ?? none);
      const counts = value !== none && holds(row, part.conditions);
      sums[place] = counts ? (part.sums ? value : 1) : 0;
    }
  };
}

/** Places of a dimension's keys in a row of the day and these fields; a key that it does not have is null behind them. */
export function keyPlaces(
  fields: readonly string[],
  { keys }: RollupDimension,
): readonly [first: number, second: number] {
  const place = (key: string | undefined): number =>
    (key === undefined ? fields.length : fields.indexOf(key)) + 1;
  return [place(keys[0]), place(keys[1])];
}
