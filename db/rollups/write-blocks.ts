// Owns the writing of blocks: rows of arrays, by PostgreSQL's binary COPY.
// Tables of cells in -> rows of analytics.rollup or rollup_unique. A block without cells is not written.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type KeyTable, NONE, sortedSlots } from './key-table';

/** What the blocks of one dimension have in common. */
export interface BlockKind {
  readonly dimension: number;
  /** The field whose different values are counted; null: measures of rows. */
  readonly counted: number | null;
  /** How many keys the dimension has. */
  readonly keys: number;
}

export interface Block {
  readonly kind: BlockKind;
  readonly level: number;
  readonly block: number;
  /** Keys k1, k2 and, of different values, the day before; sums in the order of the arrays. */
  readonly cells: KeyTable;
}

export interface BlockArray {
  readonly name: string;
  readonly type: 'integer' | 'bigint';
}

/** The array of `rollup_unique` that is a sum. */
export const DIFFERENT_ARRAYS: readonly BlockArray[] = [{ name: 'counts', type: 'integer' }];

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);
const TYPES = { integer: { oid: 23, bytes: 4 }, bigint: { oid: 20, bytes: 8 } } as const;
const TWO_32 = 4_294_967_296;
const MOST_COUNTED = 2_147_483_647;
/** Dimensions, whether there are nulls, type, length, first place. */
const ARRAY_HEADER = 20;
const KEY_NAMES = ['keys', 'second_keys'] as const;

/** Writes blocks of one table, all of the same kind of sums. */
export async function writeBlocks(
  client: ClientBase,
  siteId: number,
  table: 'rollup' | 'rollup_unique',
  arrays: readonly BlockArray[],
  blocks: readonly Block[],
): Promise<void> {
  const filled = blocks.filter(({ cells }) => cells.size > 0);
  if (filled.length === 0) return;
  const isUnique = table === 'rollup_unique';
  const columns = [
    'site_id',
    'dimension',
    ...(isUnique ? ['counted'] : []),
    'level',
    'block',
    ...KEY_NAMES,
    ...(isUnique ? ['previous'] : []),
    ...arrays.map(({ name }) => name),
  ];
  const copy = client.query(
    copyFrom(`COPY analytics.${table} (${columns.join(', ')}) FROM STDIN (FORMAT binary)`),
  );
  await pipeline(Readable.from(encode(siteId, columns.length, arrays, filled)), copy);
}

function* encode(
  siteId: number,
  columns: number,
  arrays: readonly BlockArray[],
  blocks: readonly Block[],
): Generator<Buffer> {
  yield SIGNATURE;
  for (const { kind, level, block, cells } of blocks) {
    yield header(siteId, columns, kind, level, block);
    const slots = sortedSlots(cells);
    const keys = [0, 1, ...(kind.counted === null ? [] : [2])];
    for (const place of keys) {
      yield place < 2 && place >= kind.keys ? NULL_FIELD : keyArray(cells, slots, place);
    }
    for (const [place, array] of arrays.entries()) yield sumArray(cells, slots, place, array);
  }
  yield TRAILER;
}

const NULL_FIELD = Buffer.from([0xff, 0xff, 0xff, 0xff]);

function header(siteId: number, columns: number, kind: BlockKind, level: number, block: number): Buffer {
  const small = [siteId, kind.dimension, ...(kind.counted === null ? [] : [kind.counted]), level];
  const bytes = Buffer.allocUnsafe(2 + small.length * 6 + 8);
  let at = bytes.writeInt16BE(columns, 0);
  for (const value of small) at = bytes.writeInt16BE(value, bytes.writeInt32BE(2, at));
  bytes.writeInt32BE(block, bytes.writeInt32BE(4, at));
  return bytes;
}

function arrayHeader(bytes: Buffer, size: number, length: number, nulls: boolean, oid: number): number {
  let at = bytes.writeInt32BE(size, 0);
  at = bytes.writeInt32BE(1, at);
  at = bytes.writeInt32BE(nulls ? 1 : 0, at);
  at = bytes.writeInt32BE(oid, at);
  at = bytes.writeInt32BE(length, at);
  return bytes.writeInt32BE(1, at);
}

function keyArray({ keys, ints }: KeyTable, slots: Int32Array, place: number): Buffer {
  let nulls = 0;
  for (const slot of slots) if (keys[slot * ints + place] === NONE) nulls += 1;
  const size = ARRAY_HEADER + slots.length * 8 - nulls * 4;
  const bytes = Buffer.allocUnsafe(4 + size);
  let at = arrayHeader(bytes, size, slots.length, nulls > 0, TYPES.integer.oid);
  for (const slot of slots) {
    const key = keys[slot * ints + place] ?? NONE;
    at = key === NONE ? bytes.writeInt32BE(-1, at) : bytes.writeInt32BE(key, bytes.writeInt32BE(4, at));
  }
  return bytes;
}

function sumArray(
  { sums, width }: KeyTable,
  slots: Int32Array,
  place: number,
  { name, type }: BlockArray,
): Buffer {
  const { oid, bytes: length } = TYPES[type];
  const size = ARRAY_HEADER + slots.length * (4 + length);
  const bytes = Buffer.allocUnsafe(4 + size);
  let at = arrayHeader(bytes, size, slots.length, false, oid);
  for (const slot of slots) {
    const sum = sums[slot * width + place] ?? 0;
    // Sums are exact below these bounds; beyond them nothing may be stored.
    if (sum > (length === 4 ? MOST_COUNTED : Number.MAX_SAFE_INTEGER))
      throw new RangeError(`${name} of one key is ${sum}, which is more than can be kept counted`);
    at = bytes.writeInt32BE(length, at);
    if (length === 8) at = bytes.writeInt32BE(Math.floor(sum / TWO_32), at);
    at = length === 8 ? bytes.writeUInt32BE(sum % TWO_32, at) : bytes.writeInt32BE(sum, at);
  }
  return bytes;
}
