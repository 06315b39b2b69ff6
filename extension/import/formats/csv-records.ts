// Cuts lines into the cells of CSV (RFC 4180, with any delimiter). A quoted cell may hold line breaks. A stray quote spoils
// its own record only.
import { ImportError } from '../import-error';
import { type LineSink, LONGEST_LINE } from './read-lines';

export interface CsvOptions {
  readonly delimiter: string;
  /** Whether quotes mean anything. */
  readonly quoted: boolean;
}

export interface CsvRecords {
  take(text: string, line: number): void;
  /** Call it behind the last line. */
  end(): void;
}

const STRAY = 'stray';
const UNCLOSED = 'unclosed';
const QUOTE_RULE = 'holds a stray quote; write "5"" wide" for 5" wide';

/** Hands each record to `onRecord` with the line where it begins; the first one is the header. */
export function csvRecords(
  { delimiter, quoted }: CsvOptions,
  sink: Pick<LineSink, 'broken'>,
  onRecord: (cells: readonly string[], line: number) => void,
): CsvRecords {
  let open = '';
  let openedAt = 0;
  let isFirst = true;
  const unclosed = (): ImportError =>
    new ImportError('is not CSV: a quote is opened and never closed', { line: openedAt });
  return {
    take(ended, at) {
      const line = open === '' ? at : openedAt;
      const text = open === '' ? withoutReturn(ended) : `${open}\n${withoutReturn(ended)}`;
      const cells = quoted && text.includes('"') ? quotedCells(text, delimiter) : text.split(delimiter);
      if (cells === UNCLOSED) {
        // The break inside the cell is kept as it was.
        open = open === '' ? ended : `${open}\n${ended}`;
        openedAt = line;
        if (open.length > LONGEST_LINE) throw unclosed();
        return;
      }
      open = '';
      if (cells === STRAY) {
        if (isFirst) throw new ImportError(`is not CSV: the header ${QUOTE_RULE}`, { line });
        sink.broken(text, line, QUOTE_RULE);
        return;
      }
      if (cells.length === 1 && cells[0]?.trim() === '') return;
      isFirst = false;
      onRecord(cells, line);
    },
    end() {
      if (open !== '') throw unclosed();
    },
  };
}

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

function quotedCells(text: string, delimiter: string): string[] | typeof STRAY | typeof UNCLOSED {
  const cells: string[] = [];
  let from = 0;
  while (true) {
    if (text[from] !== '"') {
      const next = text.indexOf(delimiter, from);
      const cell = next < 0 ? text.slice(from) : text.slice(from, next);
      if (cell.includes('"')) return STRAY;
      cells.push(cell);
      if (next < 0) return cells;
      from = next + 1;
      continue;
    }
    let end = text.indexOf('"', from + 1);
    while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
    if (end < 0) return UNCLOSED;
    cells.push(text.slice(from + 1, end).replaceAll('""', '"'));
    if (end + 1 === text.length) return cells;
    if (text[end + 1] !== delimiter) return STRAY;
    from = end + 2;
  }
}
