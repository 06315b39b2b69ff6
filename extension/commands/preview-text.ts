// What a dry run shows: the first rows as they would be stored, and the first rejected ones.
import type { CommandInput } from '../../host-shim/extension-api';
import type { ImportReport } from '../data/import/import-options';
import type { Rejection } from '../data/import/import-record';
import type { PreviewRow } from '../data/import/preview-rows';

export const PREVIEW_ROWS = 20;

/** Prints one column per line, because rows are wider than terminals. */
export function showPreview(
  reports: readonly ImportReport[],
  rejected: readonly Rejection[],
  input: CommandInput,
): void {
  const rows: readonly PreviewRow[] = reports.flatMap(({ preview = [] }) => preview).slice(0, PREVIEW_ROWS);
  for (const [place, row] of rows.entries()) {
    input.out(`row ${place + 1}\n`);
    input.table(
      Object.entries(row).map(([name, value]) => [
        '',
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
  }
  if (rejected.length > 0) input.out('rejected rows\n');
  input.table(rejected.map((one) => ['', placeOf(one), reasonOf(one)]));
  if (rows.length + rejected.length > 0) input.out('\n');
}

export const placeOf = ({ file, line }: Rejection): string =>
  `${file === null ? '' : `${file}, `}line ${line}`;

export const reasonOf = ({ column, value, reason }: Rejection): string =>
  [column, value, reason].filter((part) => part !== null).join(' ');
