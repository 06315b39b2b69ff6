// Writes rows with PostgreSQL's binary COPY, in chunks, as fast as the database accepts them.
import type { Client } from 'pg';
import { copyFrom } from '../../../host-shim/extension-api';
import { FINGERPRINT_BYTES, type RowBatch } from './row-batch';
import type { PhysicalType, TableLayout } from './table-layout';

/** PostgreSQL counts time from 2000-01-01. */
const EPOCH_2000 = 946_684_800;
const TWO_32 = 4_294_967_296;

/** Copies the rows, in this order, into the layout's table. */
export const copyRows = (
  client: Client,
  layout: TableLayout,
  batch: RowBatch,
  order: Uint32Array,
): Promise<void> => {
  const columns = layout.columns.map((column, field) => ({ ...column, field }));
  return copyInto(client, `analytics.${layout.table}`, columns, batch, order);
};

/** Copies the rows into a different table with the same columns; values missing from the file are null there. */
export const stageRows = (
  client: Client,
  layout: TableLayout,
  batch: RowBatch,
  order: Uint32Array,
  table: string,
): Promise<void> => {
  const columns = layout.columns
    .map((column, field) => ({ ...column, field, fallback: Number.NaN }))
    .filter(({ field }) => isGiven(batch, order, field));
  return copyInto(client, table, columns, batch, order);
};

/** Whether any of the rows has a value in the field. */
export function isGiven({ columns }: RowBatch, rows: Uint32Array, field: number): boolean {
  const values = columns[field];
  return values !== undefined && rows.some((row) => !Number.isNaN(values[row] ?? Number.NaN));
}

/** A column with its position among a row's values. */
type CopiedColumn = TableLayout['columns'][number] & { readonly field: number };

async function copyInto(
  client: Client,
  table: string,
  columns: readonly CopiedColumn[],
  batch: RowBatch,
  order: Uint32Array,
): Promise<void> {
  if (order.length === 0) return;
  const names = columns.map((column) => column.name).join(', ');
  await copyFrom(
    client,
    `COPY ${table} (${names}) FROM STDIN (FORMAT binary)`,
    encodeRows(columns, batch, order),
  );
}

const MAX_CHARACTER_BYTES = 3;

/** The rows in PostgreSQL's binary format, in chunks. Throws a RangeError for a number that its column cannot hold. */
export function* encodeRows(
  columns: readonly CopiedColumn[],
  batch: RowBatch,
  order: Uint32Array,
): Generator<Buffer> {
  const texts = columns.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const fixed = 2 + columns.reduce((sum, { type }) => sum + 4 + SIZES[type], 0);
  const { extrasPerRow } = batch;
  const filled = columns.map((column) => ({
    ...column,
    size: SIZES[column.type],
    values: batch.columns[column.field],
  }));
  const pieces = new CopyPieces();
  for (const row of order) {
    let characters = 0;
    for (const text of texts) characters += String(batch.extras[row * extrasPerRow + text] ?? '').length;
    const full = pieces.makeRoom(fixed + characters * MAX_CHARACTER_BYTES);
    if (full !== undefined) yield full;
    pieces.at = encodeRow(pieces, filled, batch, row);
  }
  yield pieces.end();
}

/** Bytes per value, not counting the characters of strings. */
const SIZES: Readonly<Record<PhysicalType, number>> = {
  int2: 2,
  int4: 4,
  int8: 8,
  float8: 8,
  bool: 1,
  timestamptz: 8,
  date: 4,
  uuid: FINGERPRINT_BYTES,
  text: 0,
  // The format version, and space for {}.
  jsonb: 3,
};

interface FilledColumn extends CopiedColumn {
  /** Bytes per value. Looking them up for each value would take twice as long as writing it. */
  readonly size: number;
  /** The values by row; undefined if no row has one. */
  readonly values: Float64Array | undefined;
}

function encodeRow(
  { piece, view, at: start }: CopyPieces,
  columns: readonly FilledColumn[],
  batch: RowBatch,
  row: number,
): number {
  const { extras, extrasPerRow, fingerprints } = batch;
  view.setInt16(start, columns.length);
  let at = start + 2;
  for (const { type, text, size, values, fallback } of columns) {
    const given = values?.[row] ?? Number.NaN;
    const value = Number.isNaN(given) ? fallback : given;
    if (Number.isNaN(value)) {
      view.setInt32(at, -1);
      at += 4;
      continue;
    }
    if (text !== undefined) {
      at = writeText(piece, String(extras[row * extrasPerRow + text] ?? EMPTY_TEXTS[type] ?? ''), type, at);
      continue;
    }
    view.setInt32(at, size);
    at += 4;
    if (type === 'int4') view.setInt32(at, within(value, 2 ** 31));
    else if (type === 'int2') view.setInt16(at, within(value, 2 ** 15));
    else if (type === 'bool') view.setUint8(at, value);
    else if (type === 'int8') setInt64(view, value, at);
    else if (type === 'float8') view.setFloat64(at, value);
    else if (type === 'date') view.setInt32(at, within(value - EPOCH_2000 / 86_400, 2 ** 31));
    else if (type === 'timestamptz') setInt64(view, (value - EPOCH_2000) * 1_000_000, at);
    else piece.set(fingerprints.subarray(row * FINGERPRINT_BYTES, (row + 1) * FINGERPRINT_BYTES), at);
    at += size;
  }
  return at;
}

/** A DataView would wrap a number that is out of range. */
function within(value: number, limit: number): number {
  if (value >= limit || value < -limit) throw new RangeError(`${value} is too large for its column`);
  return value;
}

const JSONB_VERSION = 1;
/** The default for a NOT NULL column of this type. */
const EMPTY_TEXTS: Readonly<Partial<Record<PhysicalType, string>>> = { jsonb: '{}' };

function writeText(piece: Buffer, text: string, type: PhysicalType, start: number): number {
  let at = start + 4;
  if (type === 'jsonb') at = piece.writeUInt8(JSONB_VERSION, at);
  at += piece.write(text, at);
  piece.writeInt32BE(at - start - 4, start);
  return at;
}

function setInt64(view: DataView, value: number, at: number): void {
  const high = Math.floor(value / TWO_32);
  view.setInt32(at, within(high, 2 ** 31));
  view.setUint32(at + 4, value - high * TWO_32);
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);
const FIRST_BYTES = 4096;
/** Each chunk is sent as a separate message, so chunks must not be small. */
const PIECE_BYTES = 256 * 1024;

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);

/** The chunks of a binary COPY. The first one starts small, so that a few rows take little memory. */
export class CopyPieces {
  /** The chunk that is being filled; `at` is its first free position. */
  piece: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  at: number = SIGNATURE.copy(this.piece);
  /** Writes numbers into the chunk faster than a Buffer. */
  view: DataView = viewOf(this.piece);

  /** Makes room for this many bytes. If the chunk is full, starts a new one and returns the full one, which must be sent. */
  makeRoom(bytes: number): Buffer | undefined {
    const wanted = this.at + bytes + TRAILER.length;
    if (wanted <= this.piece.length) return undefined;
    const filled = this.piece.subarray(0, this.at);
    if (wanted <= PIECE_BYTES) {
      this.piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(wanted, this.piece.length * 2)));
      filled.copy(this.piece);
      this.view = viewOf(this.piece);
      return undefined;
    }
    this.piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes + TRAILER.length));
    this.view = viewOf(this.piece);
    this.at = 0;
    return filled;
  }

  /** The last chunk. */
  end(): Buffer {
    return this.piece.subarray(0, this.at + TRAILER.copy(this.piece, this.at));
  }
}
