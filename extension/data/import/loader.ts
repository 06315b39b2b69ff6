// The interface of all loaders, which check the rows of one material and write them batch by batch.

import type { RowBatch } from '../rows/row-batch';
import type { ImportCounts } from './import-counts';
import type { BadValue } from './import-error';
import type { LoaderContext } from './loader-context';
import type { RowChecker } from './row-checker';

/** A row of a batch with an error that only the database can find. */
export interface LateRejection {
  readonly row: number;
  readonly fault: BadValue;
}

export interface MaterialLoader {
  readonly checker: RowChecker;
  /** Writes a batch, which may be refilled once this resolves. */
  write(batch: RowBatch): Promise<readonly LateRejection[]>;
  /** Runs after each batch: if enough rows are staged, derives their values and writes them, which is work for the database alone. */
  apply?(): Promise<void>;
  /** Begins another file, whose rows may correct those of earlier files; absent if an import can have only one file. */
  nextFile?(): Promise<void>;
  /** Finishes the work in the transaction after all rows are written. Returns the counts of the written and the waiting rows. */
  finish(): Promise<Partial<ImportCounts>>;
  /** Tables whose statistics the import makes stale, the main one first. */
  readonly tables: readonly string[];
}

export type OpenLoader = (context: LoaderContext) => Promise<MaterialLoader>;
