// Splits lines into the cells of CSV (RFC 4180, with any delimiter). A quoted cell may contain line breaks. A stray quote breaks
// only its own record.
import type { ReadableFormat } from '../../../../manifests/reader/formats';
import { ImportError } from '../import-error';
import { MAX_COLUMNS, MAX_LINE_LENGTH, MAX_QUOTES } from '../limits';
import { NO_STEPS, type RecordSink, type Steps } from './read-text';

const UNCLOSED = 'unclosed';
/** Why a record has no cells. */
const QUOTE_FAULTS = {
  stray: 'contains a stray quote; write "5"" wide" for 5" wide',
  tooMany: `has a cell with more than ${MAX_QUOTES} quotes`,
} as const;
type QuoteFault = keyof typeof QUOTE_FAULTS;

/** Passes each record to `onRecord` with the line on which it begins; the first one is the header. */
export function csvRecords(
  { delimiter, quoted }: Pick<ReadableFormat, 'delimiter' | 'quoted'>,
  sink: Pick<RecordSink, 'broken'>,
  onRecord: (cells: readonly string[], line: number) => Steps,
) {
  /** The lines of an incomplete record. */
  let open = '';
  let read = quotedCells(delimiter);
  let openedAt = 0;
  let isFirst = true;
  const unclosed = (): ImportError =>
    new ImportError('is not CSV: a quote is never closed', { line: openedAt });
  return {
    take(line: string, at: number): Steps {
      const isNew = open === '';
      if (isNew) openedAt = at;
      const isPlain = isNew && !(quoted && line.includes('"'));
      const cells = isPlain ? withoutReturn(line).split(delimiter) : read(line);
      if (cells === UNCLOSED) {
        open += `${line}\n`;
        if (open.length > MAX_LINE_LENGTH) throw unclosed();
        return NO_STEPS;
      }
      const before = open;
      open = '';
      if (typeof cells === 'string') {
        const fault = QUOTE_FAULTS[cells];
        if (isFirst) throw new ImportError(`is not CSV: the header ${fault}`, { line: openedAt });
        read = quotedCells(delimiter);
        sink.broken(before + withoutReturn(line), openedAt, fault);
        return NO_STEPS;
      }
      if (cells.length === 1 && cells[0]?.trim() === '') return NO_STEPS;
      if (isFirst && cells.length > MAX_COLUMNS)
        throw new ImportError(`has a header of ${cells.length} columns; the maximum is ${MAX_COLUMNS}`, {
          line: openedAt,
        });
      isFirst = false;
      return onRecord(cells, openedAt);
    },
    /** For a line that is too long, which may be part of an open cell. */
    broken(...line: Parameters<RecordSink['broken']>): void {
      if (open !== '') throw unclosed();
      sink.broken(...line);
    },
    /** Call it after the last line. */
    end(): void {
      if (open !== '') throw unclosed();
    },
  };
}

/** The records in CSV text, which may be cut off; those with faults are left out. */
export function csvCells(text: string, delimiter: string, most: number): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const records = csvRecords({ delimiter, quoted: true }, { broken: () => undefined }, (cells) => {
    found.push(cells);
    return NO_STEPS;
  });
  for (const [place, line] of text.split('\n').entries()) {
    if (found.length >= most) break;
    records.take(line, place + 1);
  }
  return found;
}

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

/**
 * Reads a record with quotes line by line, each line once: an open cell continues on the next line and keeps
 * its line break.
 */
function quotedCells(delimiter: string): (line: string) => string[] | QuoteFault | typeof UNCLOSED {
  let cells: string[] = [];
  let open: string[] | undefined;
  let quotes = 0;
  return (line) => {
    const text = withoutReturn(line);
    for (let from = 0; ; ) {
      if (open === undefined && text[from] !== '"') {
        const next = text.indexOf(delimiter, from);
        const cell = next < 0 ? text.slice(from) : text.slice(from, next);
        if (cell.includes('"')) return 'stray';
        cells.push(cell);
        if (next < 0) break;
        from = next + 1;
        continue;
      }
      if (open === undefined) {
        open = [];
        quotes = 0;
        from += 1;
      }
      let end = text.indexOf('"', from);
      while (end >= 0 && text[end + 1] === '"') {
        quotes += 1;
        if (quotes > MAX_QUOTES) return 'tooMany';
        end = text.indexOf('"', end + 2);
      }
      open.push(end < 0 ? line.slice(from) : text.slice(from, end));
      if (end < 0) return UNCLOSED;
      cells.push(open.join('\n').replaceAll('""', '"'));
      open = undefined;
      if (end + 1 === text.length) break;
      if (text[end + 1] !== delimiter) return 'stray';
      from = end + 2;
    }
    const whole = cells;
    cells = [];
    return whole;
  };
}
