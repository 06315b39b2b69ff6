// The rows of one table in an import: matched with each other and with stored rows, recorded for undo, and written.
import { copyRows } from '../rows/copy-rows';
import type { RowBatch } from '../rows/row-batch';
import { fileRows } from './file-rows';
import type { LateRejection, LoadTotals } from './loader';
import type { LoaderContext } from './loader-context';
import type { FindStored } from './stored-keys';
import { type StoredTable, storedRows } from './stored-rows';
import { mergeRow, settleTwins } from './twins';

interface MatchedTable extends StoredTable {
  /** What identifies a row within its file; absent if equal rows are separate rows. */
  keyOf?(batch: RowBatch, row: number): number | string;
  /** The value that the file gave, or NaN; if absent, the value of the row. */
  givenOf?(batch: RowBatch, row: number, field: number): number;
  /** Runs when a later row was merged into the first one with its key. */
  merged?(batch: RowBatch, first: number, row: number): void;
  /** Finds stored rows. */
  readonly find: FindStored;
  /** Sets the numbers of new rows; absent if the file gives them. */
  number?(batch: RowBatch, rows: Uint32Array): void | Promise<void>;
  /** Writes new rows, which have numbers and are recorded; if absent, by a copy. `stored`: rows that were stored before. */
  add?(batch: RowBatch, rows: Uint32Array, stored: Uint32Array): Promise<void>;
}

interface MatchedRows {
  /** Writes these rows of a batch. */
  write(batch: RowBatch, rows: Uint32Array): Promise<readonly LateRejection[]>;
  /** Begins another file, whose rows may correct those of earlier files. */
  nextFile(): Promise<void>;
  totals(): LoadTotals;
}

export async function matchRows(context: LoaderContext, about: MatchedTable): Promise<MatchedRows> {
  const { client, material, duplicates } = context;
  const { layout, rowId, keyOf } = about;
  const files = await fileRows(context, layout.table);
  const stored = storedRows(context, about, files);
  const id = layout.fieldOf(rowId);
  const totals = { added: 0, updated: 0, kept: 0, unchanged: 0 };

  const rowValue = ({ values, shape }: RowBatch, row: number, field: number): number =>
    values[row * shape.width + field] ?? Number.NaN;

  const twinsOf = (batch: RowBatch, rows: Uint32Array) => {
    if (keyOf === undefined) return { once: rows, unchanged: 0, updated: 0, rejections: [] };
    const rules = {
      ...{ layout, material, identity: about.identity, ignored: about.ignored },
      keyOf: (row: number) => keyOf(batch, row),
      givenOf: (row: number, field: number) => (about.givenOf ?? rowValue)(batch, row, field),
    };
    const merge = (first: number, row: number): void => {
      mergeRow(batch, rules, first, row);
      about.merged?.(batch, first, row);
    };
    return settleTwins(batch, rows, { ...rules, merge: duplicates === 'refuse' ? undefined : merge });
  };

  return {
    async write(batch, rows) {
      const twins = twinsOf(batch, rows);
      const numbers = await about.find(batch, twins.once);
      for (const [row, number] of numbers) batch.values[row * batch.shape.width + id] = number;
      const known = twins.once.filter((row) => numbers.has(row));
      const fresh = twins.once.filter((row) => !numbers.has(row));
      const met = await stored.meet(batch, known);
      await about.number?.(batch, fresh);
      await files.note(
        Array.from(fresh, (row) => rowValue(batch, row, id)),
        Array.from(fresh, (row) => batch.lines[row] ?? 0),
        true,
      );
      if (about.add === undefined) await copyRows(client, layout, batch, fresh);
      else await about.add(batch, fresh, known);
      totals.added += fresh.length;
      totals.updated += met.updated + twins.updated;
      totals.kept += met.kept;
      totals.unchanged += met.unchanged + twins.unchanged;
      return [...twins.rejections, ...met.rejections];
    },
    nextFile: files.nextFile,
    totals: () => totals,
  };
}
