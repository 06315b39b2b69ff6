// Imports rows from memory or a generator, one by one; their values are stored as given.
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { Manifest } from '../../../manifests/reader/manifest';
import { ImportError } from './import-error';
import type { ImportOptions, ImportReport } from './import-options';
import { importFile } from './import-together';

interface RowsOptions extends Partial<Omit<ImportOptions, 'input' | 'format' | 'write' | 'manifest'>> {
  readonly material: string;
  /** Tracking id of the site. */
  readonly site: string;
  readonly rows: Iterable<object>;
}

const LINES_AT_ONCE = 500;

/** Imports rows. Throws an ImportError as `importFile` does. */
export function importRows(
  write: Knex,
  manifest: Manifest,
  { rows, ...options }: RowsOptions,
): Promise<ImportReport> {
  return importFile({
    source: 'rows',
    onError: 'stop',
    clock: () => new Date(),
    ...options,
    write,
    manifest,
    format: 'as-stored',
    input: Readable.from(toNdjson(rows)),
  });
}

function* toNdjson(rows: Iterable<object>): Generator<Buffer> {
  let lines: string[] = [];
  for (const row of rows) {
    refuseInfinite(row);
    lines.push(`${JSON.stringify(row)}\n`);
    if (lines.length < LINES_AT_ONCE) continue;
    yield Buffer.from(lines.join(''));
    lines = [];
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''));
}

/** JSON would write null for Infinity, and null means "not known". */
function refuseInfinite(value: object): void {
  for (const member of Object.values(value)) {
    if (typeof member === 'number' && !Number.isFinite(member))
      throw new ImportError(`A row contains the number ${member}, which JSON cannot represent`);
    if (typeof member === 'object' && member !== null) refuseInfinite(member);
  }
}
