// Owns the writing of blocks: rows of arrays, by PostgreSQL's binary COPY.
// Tables of cells in -> rows of analytics.rollup or rollup_unique. A block without cells is not written.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { CopyPieces } from '../import/copy-rows';
import { TWO_32 } from './halves';
import { type KeyTable, NONE } from './key-table';

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
const DIFFERENT_ARRAYS: readonly BlockArray[] = [{ name: 'counts', type: 'integer' }];

const TYPES = { integer: { oid: 23, bytes: 4 }, bigint: { oid: 20, bytes: 8 } } as const;
const MOST_COUNTED = 2_147_483_647;
/** Dimensions, whether there are nulls, type, length, first place. */
const ARRAY_HEADER = 20;
const KEY_NAMES = ['keys', 'second_keys'] as const;

/** The writer of blocks of different values. */
export const differentWriter = (client: ClientBase, siteId: number): BlockWriter =>
  blockWriter(client, siteId, 'rollup_unique', DIFFERENT_ARRAYS);

/** So many cells wait to be written together. */
const WAITING_CELLS = 200_000;

/** Where the blocks of one table wait to be written. */
export interface BlockWriter {
  readonly table: 'rollup' | 'rollup_unique';
  readonly arrays: readonly BlockArray[];
  /** Takes a block, whose cells stay as they are from then on. */
  put(block: Block): Promise<void>;
  /** Writes what waits. */
  finish(): Promise<void>;
}

/** The writer of a site's blocks that have sums of these kinds. */
export function blockWriter(
  client: ClientBase,
  siteId: number,
  table: 'rollup' | 'rollup_unique',
  arrays: readonly BlockArray[],
): BlockWriter {
  let waiting: Block[] = [];
  let cells = 0;
  const finish = async (): Promise<void> => {
    const blocks = waiting;
    waiting = [];
    cells = 0;
    if (blocks.length > 0) await writeBlocks(client, siteId, { table, arrays }, blocks);
  };
  return {
    table,
    arrays,
    async put(block) {
      if (block.cells.size === 0) return;
      waiting.push(block);
      cells += block.cells.size;
      if (cells >= WAITING_CELLS) await finish();
    },
    finish,
  };
}

async function writeBlocks(
  client: ClientBase,
  siteId: number,
  { table, arrays }: Pick<BlockWriter, 'table' | 'arrays'>,
  blocks: readonly Block[],
): Promise<void> {
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
  await pipeline(Readable.from(encode(siteId, columns.length, arrays, blocks)), copy);
}

function* encode(
  siteId: number,
  columns: number,
  arrays: readonly BlockArray[],
  blocks: readonly Block[],
): Generator<Buffer> {
  const pieces = new CopyPieces();
  for (const { kind, level, block, cells } of blocks) {
    const fields: readonly Field[] = [
      ...[siteId, kind.dimension, ...(kind.counted === null ? [] : [kind.counted]), level].map(smallField),
      blockField(block),
      ...[0, 1, ...(kind.counted === null ? [] : [2])].map((place) =>
        place < 2 && place >= kind.keys ? NULL_FIELD : keyArray(cells, place),
      ),
      ...arrays.map((array, place) => sumArray(cells, place, array)),
    ];
    for (const [place, { bytes, write }] of fields.entries()) {
      const needed = bytes + (place === 0 ? 2 : 0);
      const full = pieces.makeRoom(needed);
      if (full !== undefined) yield full;
      const { buffer, byteOffset, length } = pieces.piece;
      const view = new DataView(buffer, byteOffset, length);
      if (place === 0) {
        view.setInt16(pieces.at, columns);
        pieces.at += 2;
      }
      write(view, pieces.at);
      pieces.at += bytes;
    }
  }
  yield pieces.end();
}

/** A column of a row in its binary form, with its length before it. */
interface Field {
  readonly bytes: number;
  write(view: DataView, at: number): void;
}

const NULL_FIELD: Field = { bytes: 4, write: (view, at) => view.setInt32(at, -1) };

const smallField = (value: number): Field => ({
  bytes: 6,
  write(view, at) {
    view.setInt32(at, 2);
    view.setInt16(at + 4, value);
  },
});

const blockField = (value: number): Field => ({
  bytes: 8,
  write(view, at) {
    view.setInt32(at, 4);
    view.setInt32(at + 4, value);
  },
});

/** Writes what stands before the elements of an array; answers where they begin. */
function arrayHeader(
  view: DataView,
  at: number,
  { bytes, length, nulls, oid }: { bytes: number; length: number; nulls: boolean; oid: number },
): number {
  for (const [place, value] of [bytes - 4, 1, nulls ? 1 : 0, oid, length, 1].entries()) {
    view.setInt32(at + place * 4, value);
  }
  return at + 4 + ARRAY_HEADER;
}

function keyArray({ keys, ints, size }: KeyTable, place: number): Field {
  let nulls = 0;
  for (let at = place; at < size * ints; at += ints) if (keys[at] === NONE) nulls += 1;
  const bytes = 4 + ARRAY_HEADER + size * 8 - nulls * 4;
  return {
    bytes,
    write(view, start) {
      let at = arrayHeader(view, start, { bytes, length: size, nulls: nulls > 0, oid: TYPES.integer.oid });
      for (let from = place; from < size * ints; from += ints) {
        const key = keys[from] ?? NONE;
        view.setInt32(at, key === NONE ? -1 : 4);
        if (key !== NONE) view.setInt32(at + 4, key);
        at += key === NONE ? 4 : 8;
      }
    },
  };
}

function sumArray({ sums, width, size }: KeyTable, place: number, { name, type }: BlockArray): Field {
  const { oid, bytes: length } = TYPES[type];
  const bytes = 4 + ARRAY_HEADER + size * (4 + length);
  // Sums are exact below these bounds; beyond them nothing may be stored.
  const most = length === 4 ? MOST_COUNTED : Number.MAX_SAFE_INTEGER;
  return {
    bytes,
    write(view, start) {
      let at = arrayHeader(view, start, { bytes, length: size, nulls: false, oid });
      for (let from = place; from < size * width; from += width) {
        const sum = sums[from] ?? 0;
        if (sum > most)
          throw new RangeError(`${name} of one key is ${sum}, which is more than can be kept counted`);
        view.setInt32(at, length);
        if (length === 4) view.setInt32(at + 4, sum);
        else {
          view.setInt32(at + 4, Math.floor(sum / TWO_32));
          view.setUint32(at + 8, sum % TWO_32);
        }
        at += 4 + length;
      }
    },
  };
}
