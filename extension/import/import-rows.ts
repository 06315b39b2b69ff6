// Owns the import of rows that are in memory, or made on the way: tests and the demo site.
// Objects in -> a report out. They take the same loader as a file of NDJSON, line by line.
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { Manifest } from '../../manifests/reader/manifest';
import { ImportError } from './import-error';
import { type ImportOptions, type ImportReport, importFile } from './import-file';

export interface RowsOptions extends Partial<Omit<ImportOptions, 'input' | 'format' | 'write' | 'manifest'>> {
  readonly material: string;
  /** Tracking id of the site. */
  readonly site: string;
  readonly rows: Iterable<object>;
}

const LINES_AT_ONCE = 500;

/** Imports rows as if they came from a file. */
export async function importRows(
  write: Knex,
  manifest: Manifest,
  options: RowsOptions,
): Promise<ImportReport> {
  const { rows, ...rest } = options;
  return importFile({
    source: 'rows',
    onError: 'stop',
    clock: () => new Date(),
    ...rest,
    write,
    manifest,
    format: 'ndjson',
    input: Readable.from(pieces(rows)),
  });
}

function* pieces(rows: Iterable<object>): Generator<Buffer> {
  let lines: string[] = [];
  for (const row of rows) {
    refuseEndless(row);
    lines.push(JSON.stringify(row));
    if (lines.length < LINES_AT_ONCE) continue;
    yield Buffer.from(`${lines.join('\n')}\n`);
    lines = [];
  }
  if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`);
}

/** JSON would write null for a number without end, and null is "not known". */
function refuseEndless(value: object): void {
  for (const member of Object.values(value)) {
    if (typeof member === 'number' && !Number.isFinite(member)) {
      throw new ImportError(`a row holds the number ${member}, which JSON cannot say`);
    }
    if (typeof member === 'object' && member !== null) refuseEndless(member);
  }
}
