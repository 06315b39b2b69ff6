// Rows of one batch with the same key: identical ones count once, different ones are rejected or merged.
import type { Material } from '../../../manifests/reader/manifest';
import type { RowBatch } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import { columnsBehind } from './column-names';
import { BadValue } from './import-error';
import type { LateRejection } from './loader';

interface TwinRules {
  readonly layout: TableLayout;
  readonly material: Material;
  /** What identifies rows, in words. */
  readonly identity: string;
  /** Fields that are no values of the row. */
  readonly ignored: ReadonlySet<string>;
  /** What identifies a row, as one value; undefined if nothing does. */
  keyOf(row: number): string | number | undefined;
  /** The value that the file gave, or NaN. */
  givenOf(row: number, field: number): number;
  /** Merges a later row into the first one with its key; absent if such rows are refused. */
  readonly merge: ((first: number, row: number) => void) | undefined;
}

interface Twins {
  /** The first row for each key. */
  readonly once: Uint32Array;
  readonly unchanged: number;
  readonly updated: number;
  readonly rejections: readonly LateRejection[];
}

/** Finds the rows of a batch that have the same key. */
export function settleTwins(batch: RowBatch, rows: Uint32Array, rules: TwinRules): Twins {
  const { layout, material, identity, keyOf, givenOf, merge } = rules;
  const compared = layout.columns.flatMap((column, field) =>
    rules.ignored.has(column.name) ? [] : [{ ...column, field }],
  );
  const textOf = (row: number, text: number): unknown => batch.extras[row * batch.shape.extras + text];
  const differences = (first: number, row: number): readonly string[] =>
    compared.flatMap(({ name, field, text, fallback }) => {
      const given = givenOf(row, field);
      if (Number.isNaN(given)) return [];
      const before = givenOf(first, field);
      const known = Number.isNaN(before) ? fallback : before;
      const isSame = known === given && (text === undefined || textOf(first, text) === textOf(row, text));
      return isSame ? [] : [name];
    });

  const firsts = new Map<string | number, number>();
  const rejections: LateRejection[] = [];
  let unchanged = 0;
  let updated = 0;
  const once = rows.filter((row) => {
    const key = keyOf(row);
    if (key === undefined) return true;
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, row);
      return true;
    }
    const fields = differences(first, row);
    if (fields.length === 0) unchanged += 1;
    else if (merge !== undefined) {
      merge(first, row);
      updated += 1;
    } else {
      const columns = fields.map((field) => columnsBehind(material, field)).join(', ');
      const reason = `has the same ${identity} as line ${batch.lines[first]}, and other values in: ${columns}`;
      rejections.push({ row, fault: new BadValue(undefined, undefined, reason) });
    }
    return false;
  });
  return { once, unchanged, updated, rejections };
}

/** Takes over what a row gives, besides the ignored fields. */
export function mergeRow(
  batch: RowBatch,
  { layout, ignored, givenOf }: Pick<TwinRules, 'layout' | 'ignored' | 'givenOf'>,
  first: number,
  row: number,
): void {
  const { values, extras, shape } = batch;
  for (const [field, { name }] of layout.columns.entries()) {
    const given = givenOf(row, field);
    if (!ignored.has(name) && !Number.isNaN(given)) values[first * shape.width + field] = given;
  }
  for (let extra = 0; extra < shape.extras; extra += 1) {
    const given = extras[row * shape.extras + extra] ?? null;
    if (given !== null) extras[first * shape.extras + extra] = given;
  }
}
