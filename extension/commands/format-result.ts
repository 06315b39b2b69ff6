// Formats results and errors for a terminal.
import type { QueryError } from '../language/errors/query-error';
import type { Row } from '../language/types/compiled-query';
import type { QueryResult, Value } from '../language/types/query-result';

const NUMBER_COLUMN = /^-?\d/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** A title may contain escape sequences, which a terminal would execute, and line breaks, which would break the table. */
const printable = (value: Value): string => (value === null ? '' : String(value).replace(CONTROL, '\ufffd'));

/** The columns and rows of a result. A count is a table with one cell. */
function cells({ columns, rows, count }: QueryResult<readonly Row[]>): {
  columns: readonly string[];
  rows: readonly (readonly Value[])[];
} {
  return count === null ? { columns, rows } : { columns: ['count'], rows: [[count]] };
}

/** A result as a table, followed by a line with the number of rows. */
export function formatTable(result: QueryResult<readonly Row[]>): string {
  const { columns, rows } = cells(result);
  return `${alignedTable(columns, rows)}\n${summary(result)}`;
}

/** Aligns the columns, with numbers on the right. */
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

function summary({ rows, count, totalCount, truncated }: QueryResult<readonly Row[]>): string {
  if (count !== null) return '';
  if (!truncated) return `(${rows.length} rows)`;
  return totalCount === null
    ? `(first ${rows.length} rows; there are more)`
    : `(first ${rows.length} of ${totalCount} rows)`;
}

/** An error's code, place, message and hint. */
export function formatError({ code, at, message, hint }: QueryError): string {
  const place = at === undefined ? '' : ` at ${at}`;
  return `${code}${place}: ${message}${hint === undefined ? '' : `\n${hint}`}`;
}
