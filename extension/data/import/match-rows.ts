// Matches the rows of one table in an import with each other and with stored rows, records them for undo, and writes them.
import { copyRows } from '../rows/copy-rows';
import { type RowBatch, setValue, valueAt } from '../rows/row-batch';
import { fileRows } from './file-rows';
import type { LateRejection } from './loader';
import type { LoaderContext } from './loader-context';
import { mergedIds } from './merge-texts';
import type { FindStored } from './stored-keys';
import { conflictOf, type StoredTable, storedRows } from './stored-rows';

interface MatchedTable extends StoredTable {
  /** Returns the key that identifies a row within its file; absent if identical rows are separate rows. */
  keyOf?(batch: RowBatch, row: number): number | string;
  /** Runs after a later row is merged into the first row with the same key. */
  merged?(batch: RowBatch, first: number, row: number): void;
  /** Finds stored rows. */
  readonly find: FindStored;
  /** Sets the ids of new rows; absent if the file contains them. */
  number?(batch: RowBatch, rows: Uint32Array): void | Promise<void>;
  /**
   * Writes new rows, whose ids are set and recorded; if absent, the rows are copied. `stored`: the rows that were already
   * stored.
   */
  add?(batch: RowBatch, rows: Uint32Array, stored: Uint32Array): Promise<void>;
}

export function matchRows(context: LoaderContext, about: MatchedTable) {
  const { client } = context;
  const { layout, rowId } = about;
  const files = fileRows(context, layout, rowId);
  const matchStored = storedRows(context, about, files);
  const id = layout.fieldOf(rowId);
  const totals = { added: 0, updated: 0, kept: 0, unchanged: 0 };

  return {
    /** Writes these rows of a batch. */
    async write(batch: RowBatch, rows: Uint32Array): Promise<readonly LateRejection[]> {
      const sameKeys = await settleDuplicates(context, about, batch, rows);
      const numbers = await about.find(batch, sameKeys.once);
      for (const [row, number] of numbers) setValue(batch, row, id, number);
      const known = sameKeys.once.filter((row) => numbers.has(row));
      const fresh = sameKeys.once.filter((row) => !numbers.has(row));
      const matches = await matchStored(batch, known);
      await about.number?.(batch, fresh);
      await files.note(batch, [...fresh], true);
      if (about.add === undefined) await copyRows(client, layout, batch, fresh);
      else await about.add(batch, fresh, known);
      totals.added += fresh.length;
      totals.updated += matches.updated + sameKeys.updated;
      totals.kept += matches.kept;
      totals.unchanged += matches.unchanged + sameKeys.unchanged;
      return [...sameKeys.rejections, ...matches.rejections];
    },
    /** Begins another file, whose rows may correct those of earlier files. */
    nextFile: files.nextFile,
    totals: () => totals,
  };
}

/**
 * Finds the rows of a batch that have the same key. Identical rows are imported as one; different ones are rejected or merged.
 */
async function settleDuplicates(
  context: LoaderContext,
  about: MatchedTable,
  batch: RowBatch,
  rows: Uint32Array,
) {
  const { layout, ignored, keyOf } = about;
  if (keyOf === undefined) return { once: rows, unchanged: 0, updated: 0, rejections: [] };
  const { extras, extrasPerRow } = batch;
  const compared = layout.columns.flatMap((column, field) =>
    ignored.has(column.name) ? [] : [{ ...column, field }],
  );
  const textOf = (row: number, text: number): unknown => extras[row * extrasPerRow + text];
  const mergedBefore = new Map<string, number>();
  /** Fills in the later row's missing strings from the first row. */
  const mergeTexts = async (first: number, row: number): Promise<void> => {
    for (const [name, dimension] of about.mergeable ?? []) {
      const field = layout.fieldOf(name);
      const [given, before] = [valueAt(batch, row, field), valueAt(batch, first, field)];
      if (Number.isNaN(given) || Number.isNaN(before) || given === before) continue;
      const pair = `${name} ${given} ${before}`;
      const id =
        mergedBefore.get(pair) ?? (await mergedIds(context, dimension, [{ given, before }]))[0] ?? given;
      mergedBefore.set(pair, id);
      setValue(batch, row, field, id);
    }
  };
  const differences = (first: number, row: number): readonly string[] =>
    compared.flatMap(({ name, field, text, fallback }) => {
      const given = valueAt(batch, row, field);
      if (Number.isNaN(given)) return [];
      const before = valueAt(batch, first, field);
      const known = Number.isNaN(before) ? fallback : before;
      const isSame = known === given && (text === undefined || textOf(first, text) === textOf(row, text));
      return isSame ? [] : [name];
    });
  /** Copies the later row's values into the first one. */
  const merge = (first: number, row: number): void => {
    for (const { field, text } of compared) {
      const given = valueAt(batch, row, field);
      if (Number.isNaN(given)) continue;
      setValue(batch, first, field, given);
      if (text !== undefined) extras[first * extrasPerRow + text] = extras[row * extrasPerRow + text] ?? null;
    }
    about.merged?.(batch, first, row);
  };

  const firsts = new Map<string | number, number>();
  const rejections: LateRejection[] = [];
  let unchanged = 0;
  let updated = 0;
  for (const row of rows) {
    const key = keyOf(batch, row);
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, row);
      continue;
    }
    await mergeTexts(first, row);
    const fields = differences(first, row);
    if (fields.length === 0) unchanged += 1;
    else if (context.duplicates !== 'refuse') {
      merge(first, row);
      updated += 1;
    } else rejections.push(conflictOf(context, about, row, `line ${batch.lines[first]}`, fields));
  }
  /** The first row for each key. */
  const once = Uint32Array.from(firsts.values());
  return { once, unchanged, updated, rejections };
}
