// Owns the way of counts from days into longer blocks: each is written when its last part is there.
// Cells of days in the order of time -> blocks of all levels. Parts of a longer block that are not computed again are read.
// Of different values a longer block counts those that are new in one of its parts and were not there in an earlier part.
import type { ClientBase } from 'pg';
import { BLOCK_BASE, TOP_LEVEL } from '../../manifests/reader/rollups';
import { readIntegers } from './integer-rows';
import { KeyTable, NONE } from './key-table';
import type { BlockKind, BlockWriter } from './write-blocks';

export interface CascadeParts {
  readonly client: ClientBase;
  readonly siteId: number;
  readonly writer: BlockWriter;
  readonly kinds: readonly BlockKind[];
  /** Whether every block of these kinds is computed: then none is read. */
  readonly whole: boolean;
}

export interface BlockCascade {
  /** An empty table for one kind. `like`: of about that size. */
  openCells(like?: KeyTable): KeyTable;
  /** Takes the cells of a day, by the place of their kind. Days come in order; their blocks must not be stored. */
  add(day: number, cells: readonly KeyTable[]): Promise<void>;
  /** Gives out the longer blocks that are open. Call it when all days were added. */
  finish(): Promise<void>;
}

/** The block of a level that a day lies in. */
export const blockOf = (day: number, level: number): number => Math.floor(day / BLOCK_BASE ** level);

/** A table like another one has room for some more keys. */
const SPARE = 1.1;

interface OpenBlock {
  readonly block: number;
  readonly cells: readonly KeyTable[];
}

/** Opens the way of some kinds of counts of one site. */
export function blockCascade({ client, siteId, writer, kinds, whole }: CascadeParts): BlockCascade {
  const { table, arrays } = writer;
  const ints = table === 'rollup' ? 2 : 3;
  /** By level; those of days are never open. */
  const open: (OpenBlock | undefined)[] = [];

  const openCells = (like?: KeyTable): KeyTable =>
    new KeyTable(ints, arrays.length, like && Math.ceil(like.size * SPARE));

  const put = async (level: number, block: number, cells: readonly KeyTable[]): Promise<void> => {
    for (const [place, kind] of kinds.entries()) {
      const own = cells[place];
      if (own !== undefined) await writer.put({ kind, level, block, cells: own });
    }
    const above = open[level + 1];
    if (above === undefined) return;
    const firstDay = above.block * BLOCK_BASE ** (level + 1);
    for (const [place, part] of cells.entries()) {
      const into = above.cells[place];
      if (into !== undefined) merge(part, into, firstDay);
    }
  };

  /** Closes the block of a level, and those below it before. */
  const close = async (level: number): Promise<void> => {
    for (let lower = 1; lower <= level; lower += 1) {
      const done = open[lower];
      open[lower] = undefined;
      if (done !== undefined) await put(lower, done.block, done.cells);
    }
  };

  const openBlock = async (level: number, block: number): Promise<void> => {
    if (open[level]?.block === block) return;
    const before = open[level];
    await close(level);
    const cells = kinds.map((_, place) => openCells(before?.cells[place]));
    open[level] = { block, cells };
    if (!whole && kinds.length > 0) await readParts(level, block, cells);
  };

  /** Adds the stored parts of a block: those that are computed again are not there yet. */
  const readParts = async (level: number, block: number, cells: readonly KeyTable[]): Promise<void> => {
    const isUnique = table === 'rollup_unique';
    const names = [...(isUnique ? ['previous'] : []), ...arrays.map(({ name }) => name)];
    const codes = kinds.map(({ dimension }) => dimension);
    const counted = kinds.flatMap(({ counted: field }) => (field === null ? [] : [field]));
    const firstDay = block * BLOCK_BASE ** level;
    const sums = 3 + (isUnique ? 1 : 0);
    const places = new Map(kinds.map(({ dimension }, place) => [dimension, place]));
    const sql = `SELECT dimension, unnest(keys), unnest(second_keys), ${names.map((name) => `unnest(${name})`).join(', ')}
       FROM analytics.${table} WHERE site_id = ${siteId} AND dimension IN (${codes.join(', ')}) AND level = ${level - 1}
        AND block BETWEEN ${block * BLOCK_BASE} AND ${(block + 1) * BLOCK_BASE - 1}
        ${isUnique ? `AND counted IN (${counted.join(', ')})` : ''}`;
    await readIntegers(client, sql, 3 + names.length, (row) => {
      const into = cells[places.get(row[0] ?? 0) ?? -1];
      if (into === undefined) return;
      const previous = isUnique ? (row[3] ?? NONE) : NONE;
      if (previous >= firstDay) return;
      const base = into.slot(row[1] ?? NONE, row[2] ?? NONE, previous) * arrays.length;
      for (let sum = 0; sum < arrays.length; sum += 1) {
        into.sums[base + sum] = (into.sums[base + sum] ?? 0) + (row[sums + sum] ?? 0);
      }
    });
  };

  return {
    openCells,
    async add(day, cells) {
      // From above: closing a longer block closes the shorter ones in it first.
      for (let level = TOP_LEVEL; level > 0; level -= 1) {
        await openBlock(level, blockOf(day, level));
      }
      await put(0, day, cells);
    },
    finish: () => close(TOP_LEVEL),
  };
}

function merge(part: KeyTable, into: KeyTable, firstDay: number): void {
  const { keys, ints, width, sums } = part;
  // No day is before the smallest integer, so a value that was never met before is always new.
  const none = NONE;
  for (let slot = 0; slot < part.size; slot += 1) {
    const base = slot * ints;
    const previous = ints > 2 ? (keys[base + 2] ?? none) : none;
    if (previous >= firstDay) continue;
    const target = into.slot(keys[base] ?? none, keys[base + 1] ?? none, previous) * width;
    const own = into.sums;
    for (let sum = 0; sum < width; sum += 1) {
      own[target + sum] = (own[target + sum] ?? 0) + (sums[slot * width + sum] ?? 0);
    }
  }
}
