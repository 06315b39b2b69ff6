// Owns the writing of rows: PostgreSQL's binary COPY, in pieces, at the pace of the database.
// Rows of a batch in the order asked -> the table. Binary, because rows are numbers: nothing to quote, half the work.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { RowBatch } from './row-batch';
import type { PhysicalType, TableLayout } from './table-layout';

const PIECE_BYTES = 256 * 1024;
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);
/** PostgreSQL counts time from 2000-01-01. */
const EPOCH_2000 = 946_684_800;
const TWO_32 = 4_294_967_296;

/** Copies the rows named by `order`, in that order. */
export async function copyRows(
  client: ClientBase,
  layout: TableLayout,
  batch: RowBatch,
  order: Uint32Array,
): Promise<void> {
  if (order.length === 0) return;
  const names = layout.columns.map((column) => column.name).join(', ');
  const copy = client.query(copyFrom(`COPY analytics.${layout.table} (${names}) FROM STDIN (FORMAT binary)`));
  await pipeline(Readable.from(encode(layout, batch, order)), copy);
}

function* encode(layout: TableLayout, batch: RowBatch, order: Uint32Array): Generator<Buffer> {
  const types = layout.columns.map((column) => column.type);
  const largest = 2 + types.reduce((sum, type) => sum + 4 + SIZES[type], 0);
  yield SIGNATURE;
  let piece = Buffer.allocUnsafe(PIECE_BYTES);
  let at = 0;
  for (const row of order) {
    if (at + largest > PIECE_BYTES) {
      yield piece.subarray(0, at);
      piece = Buffer.allocUnsafe(PIECE_BYTES);
      at = 0;
    }
    at = encodeRow(piece, at, types, batch, row);
  }
  yield piece.subarray(0, at);
  yield TRAILER;
}

const SIZES: Readonly<Record<PhysicalType, number>> = {
  int2: 2,
  int4: 4,
  int8: 8,
  bool: 1,
  timestamptz: 8,
  uuid: 16,
};

function encodeRow(
  piece: Buffer,
  start: number,
  types: readonly PhysicalType[],
  batch: RowBatch,
  row: number,
): number {
  const base = row * batch.width;
  let at = piece.writeInt16BE(types.length, start);
  for (let field = 0; field < types.length; field += 1) {
    const value = batch.values[base + field] ?? Number.NaN;
    if (Number.isNaN(value)) {
      at = piece.writeInt32BE(-1, at);
      continue;
    }
    const type = types[field] ?? 'int8';
    at = piece.writeInt32BE(SIZES[type], at);
    if (type === 'int4') at = piece.writeInt32BE(value, at);
    else if (type === 'int2') at = piece.writeInt16BE(value, at);
    else if (type === 'bool') at = piece.writeUInt8(value, at);
    else if (type === 'int8') at = writeInt64(piece, value, at);
    else if (type === 'timestamptz') at = writeInt64(piece, (value - EPOCH_2000) * 1_000_000, at);
    else {
      piece.set(batch.fingerprints.subarray(row * 16, row * 16 + 16), at);
      at += 16;
    }
  }
  return at;
}

function writeInt64(piece: Buffer, value: number, at: number): number {
  const high = Math.floor(value / TWO_32);
  piece.writeInt32BE(high, at);
  return piece.writeUInt32BE(value - high * TWO_32, at + 4);
}
