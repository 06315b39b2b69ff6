// How a result and an error look on a terminal.
import type { QueryError } from '../language/errors/query-error';
import type { Row } from '../language/types/compiled-query';
import type { QueryResult, Value } from '../language/types/query-result';

const NUMBER_COLUMN = /^-?\d/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** A title may hold escape sequences, which a terminal would obey, and line ends, which would break the table. */
const printable = (value: Value): string => (value === null ? '' : String(value).replace(CONTROL, '\ufffd'));

/** The columns and rows of a result; a count is a table of one cell. */
function cells({ columns, rows, count }: QueryResult<readonly Row[]>): {
  columns: readonly string[];
  rows: readonly (readonly Value[])[];
} {
  return count === null ? { columns, rows } : { columns: ['count'], rows: [[count]] };
}

/** The table of a result, and a line that says how much of the whole it is. */
export function formatTable(result: QueryResult<readonly Row[]>): string {
  const { columns, rows } = cells(result);
  return `${alignedTable(columns, rows)}\n${summary(result)}`;
}

/** Aligned columns, numbers to the right. */
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

/** Code, place, message and repair of an error. */
export function formatError({ code, at, message, hint }: QueryError): string {
  const place = at === undefined ? '' : ` at ${at}`;
  return `${code}${place}: ${message}${hint === undefined ? '' : `\n${hint}`}`;
}
