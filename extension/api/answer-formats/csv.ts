// CSV as in RFC 4180, with a header, in UTF-8. Null is an empty cell, and an empty string is "". In a file with
// a single column, null is also "", because most readers skip empty lines.
import type { Row } from '../../language/types/compiled-query';
import type { Pieces, StreamedTable, Value } from '../../language/types/query-result';

type Cell = (value: Value) => string;
type Table = Pick<StreamedTable, 'columns' | 'rows'>;

const LINE_END = '\r\n';
/** Makes spreadsheets recognize UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

const SPECIAL = /[",\r\n]/;
/** The start of text that a spreadsheet would run as a formula, including full-width characters. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

export const csvCell: Cell = (value) => {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return value === '' || SPECIAL.test(value) ? quoted(value) : value;
};

/** The start of a formula within a string: some spreadsheets also start a new cell after semicolons, tabs or line endings. */
const INNER_FORMULA = /(?<=[;\t\r\n]"*)[=+\-@\uff1d\uff0b\uff0d\uff20]/g;

/** An apostrophe keeps a formula from running. All text is quoted, because some spreadsheets also split on other characters. */
const spreadsheetCell: Cell = (value) => {
  if (typeof value !== 'string') return csvCell(value);
  const inner = value.replace(INNER_FORMULA, "'$&");
  return quoted(FORMULA.test(value) ? `'${inner}` : inner);
};

export const csvPieces = (table: Table): Pieces => pieces(table, withoutEmptyLines(table, csvCell), '');

/** CSV for readers that treat an empty line as null. */
export const csvPiecesWithEmptyLines = (table: Table): Pieces => pieces(table, csvCell, '');

const withoutEmptyLines = ({ columns }: Table, cellOf: Cell): Cell =>
  columns.length === 1 ? (value) => cellOf(value) || quoted('') : cellOf;

/** CSV that is safe to open in a spreadsheet: no text runs as a formula. */
export const spreadsheetPieces = (table: Table): Pieces =>
  pieces(table, withoutEmptyLines(table, spreadsheetCell), BYTE_ORDER_MARK);

async function* pieces({ columns, rows: batches }: Table, cellOf: Cell, start: string): Pieces {
  const names = columns.map(({ name }) => name);
  const line = (row: Row) => row.map(cellOf).join(',') + LINE_END;
  try {
    yield Buffer.from(start + line(names));
    for await (const rows of batches) yield Buffer.from(rows.map(line).join(''));
  } finally {
    await batches.return();
  }
}
