import { type CommandInput, countOf, formatCount } from '../../host-shim/extension-api';
import type { ImportReport } from '../data/import/import-options';
import type { Rejection } from '../data/import/import-record';
import type { PreviewRow } from '../data/import/preview-rows';
import type { QueryError } from '../language/errors/query-error';
import type { Row } from '../language/types/compiled-query';
import type { QueryResult, Value } from '../language/types/query-result';

const NUMBER_COLUMN = /^-?\d/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** Values may contain escape sequences, which a terminal would interpret, and line breaks, which would break the table. */
const printable = (value: Value): string => (value === null ? '' : String(value).replace(CONTROL, '\ufffd'));

export function formatTable({
  columns,
  rows,
  count,
  totalCount,
  truncated,
}: QueryResult<readonly Row[]>): string {
  if (count !== null) return `${alignedTable(['count'], [[count]])}\n`;
  const table = alignedTable(columns, rows);
  if (!truncated) return `${table}\n(${countOf(rows.length, 'row')})`;
  return totalCount === null
    ? `${table}\n(first ${countOf(rows.length, 'row')}; there are more)`
    : `${table}\n(first ${formatCount(rows.length)} of ${countOf(totalCount, 'row')})`;
}

/** Right-aligns numeric columns. */
export function alignedTable(columns: readonly string[], rows: readonly (readonly Value[])[]): string {
  const lines = [columns, ...rows.map((row) => row.map(printable))];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? '').length)));
  const isNumber = columns.map((_, i) =>
    rows.every((row) => row[i] === null || NUMBER_COLUMN.test(String(row[i]))),
  );
  const print = (line: readonly string[]) =>
    line
      .map((cell, i) => (isNumber[i] === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  const [head = [], ...body] = lines;
  return [print(head), rule, ...body.map(print)].join('\n');
}

export function formatError({ code, at, message, hint }: QueryError): string {
  const place = at === undefined ? '' : ` at ${at}`;
  return `${code}${place}: ${message}${hint === undefined ? '' : `\n${hint}`}`;
}

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
