// Owns the writing of rows: PostgreSQL's binary COPY, in pieces, at the pace of the database.
// Rows of a batch in the order asked -> the table. Binary: nothing to quote, half the work.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ClientBase, DatabaseError } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { TWO_32 } from '../rollups/halves';
import type { RowBatch } from './row-batch';
import type { PhysicalType, StoredColumn, TableLayout } from './table-layout';

/** PostgreSQL counts time from 2000-01-01. */
const EPOCH_2000 = 946_684_800;

/** Copies the rows named by `order`, in that order; into a table of the same columns, where one is named. */
export async function copyRows(
  client: ClientBase,
  layout: TableLayout,
  batch: RowBatch,
  order: Uint32Array,
  table = `analytics.${layout.table}`,
): Promise<void> {
  if (order.length === 0) return;
  const names = layout.columns.map((column) => column.name).join(', ');
  const copy = client.query(copyFrom(`COPY ${table} (${names}) FROM STDIN (FORMAT binary)`));
  await pipeline(Readable.from(encode(layout, batch, order)), copy);
}

/** Whether a copy failed because a row is there already. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23505';
}

function* encode(layout: TableLayout, batch: RowBatch, order: Uint32Array): Generator<Buffer> {
  const { columns } = layout;
  const fixed = 2 + columns.reduce((sum, { type }) => sum + 4 + SIZES[type], 0);
  const pieces = new CopyPieces();
  for (const row of order) {
    const full = pieces.makeRoom(fixed + textBytes(batch, row));
    if (full !== undefined) yield full;
    pieces.at = encodeRow(pieces.piece, pieces.at, columns, batch, row);
  }
  yield pieces.end();
}

const LARGEST_CHARACTER = 3;

/** The most that the texts of a row may take: a unit of UTF-16 is at most three bytes. */
function textBytes(batch: RowBatch, row: number): number {
  let length = 0;
  for (let text = row * batch.texts; text < (row + 1) * batch.texts; text += 1) {
    length += batch.kept[text]?.length ?? 0;
  }
  return length * LARGEST_CHARACTER;
}

const SIZES: Readonly<Record<PhysicalType, number>> = {
  int2: 2,
  int4: 4,
  int8: 8,
  float8: 8,
  bool: 1,
  timestamptz: 8,
  date: 4,
  uuid: 16,
  // Their characters come on top; JSON begins with the number of its form.
  text: 0,
  jsonb: 1,
};

function encodeRow(
  piece: Buffer,
  start: number,
  columns: readonly StoredColumn[],
  batch: RowBatch,
  row: number,
): number {
  const base = row * batch.width;
  let at = piece.writeInt16BE(columns.length, start);
  for (let field = 0; field < columns.length; field += 1) {
    const value = batch.values[base + field] ?? Number.NaN;
    const column = columns[field];
    if (column === undefined || Number.isNaN(value)) {
      at = piece.writeInt32BE(-1, at);
      continue;
    }
    const { type } = column;
    if (column.text !== undefined) {
      at = writeText(piece, batch.kept[row * batch.texts + column.text] ?? '', type, at);
      continue;
    }
    at = piece.writeInt32BE(SIZES[type], at);
    if (type === 'int4') at = piece.writeInt32BE(value, at);
    else if (type === 'int2') at = piece.writeInt16BE(value, at);
    else if (type === 'bool') at = piece.writeUInt8(value, at);
    else if (type === 'int8') at = writeInt64(piece, value, at);
    else if (type === 'float8') at = piece.writeDoubleBE(value, at);
    else if (type === 'date') at = piece.writeInt32BE(value - EPOCH_2000 / 86_400, at);
    else if (type === 'timestamptz') at = writeInt64(piece, (value - EPOCH_2000) * 1_000_000, at);
    else {
      piece.set(batch.fingerprints.subarray(row * 16, row * 16 + 16), at);
      at += 16;
    }
  }
  return at;
}

function writeText(piece: Buffer, text: string, type: PhysicalType, start: number): number {
  let at = start + 4;
  if (type === 'jsonb') at = piece.writeUInt8(JSONB_FORM, at);
  at += piece.write(text, at);
  piece.writeInt32BE(at - start - 4, start);
  return at;
}

const JSONB_FORM = 1;

function writeInt64(piece: Buffer, value: number, at: number): number {
  const high = Math.floor(value / TWO_32);
  piece.writeInt32BE(high, at);
  return piece.writeUInt32BE(value - high * TWO_32, at + 4);
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);
const FIRST_BYTES = 4096;
/** Small ones would each be a message of their own. */
const PIECE_BYTES = 256 * 1024;

export class CopyPieces {
  /** The piece that is being filled; `at` is the place behind what is in it. */
  piece: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  at: number = SIGNATURE.copy(this.piece);

  /** Makes room for so many bytes. Answers the piece that was full, which is to be sent. */
  makeRoom(bytes: number): Buffer | undefined {
    const wanted = this.at + bytes + TRAILER.length;
    if (wanted <= this.piece.length) return undefined;
    const filled = this.piece.subarray(0, this.at);
    if (wanted <= PIECE_BYTES) {
      this.piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(wanted, this.piece.length * 2)));
      filled.copy(this.piece);
      return undefined;
    }
    this.piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes + TRAILER.length));
    this.at = 0;
    return filled;
  }

  /** The last piece. */
  end(): Buffer {
    return this.piece.subarray(0, this.at + TRAILER.copy(this.piece, this.at));
  }
}
