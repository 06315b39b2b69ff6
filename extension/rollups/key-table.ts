// Owns a table of small integer keys with sums beside them, in typed arrays: what rows are counted into.
// Up to four 32-bit integers -> a slot; slots count up from 0. It grows as it fills and can be emptied and used again.

/** Stands for null in a key. No id and no day is so small. */
export const NONE = -2_147_483_648;

const FIRST_SLOTS = 4;

export class KeyTable {
  size = 0;
  /** `ints` integers of each slot. */
  keys: Int32Array;
  /** `width` numbers of each slot. */
  sums: Float64Array;
  /** Slot + 1 by hash; 0 is free. Twice as long as there are slots at most. */
  private index: Int32Array;

  constructor(
    readonly ints: number,
    readonly width: number,
    slots = FIRST_SLOTS,
  ) {
    const room = 2 ** Math.ceil(Math.log2(Math.max(FIRST_SLOTS, slots)));
    this.keys = new Int32Array(room * ints);
    this.sums = new Float64Array(room * width);
    this.index = new Int32Array(room * 2);
  }

  /** The slot of a key, made with sums of 0 when it is new; integers beyond `ints` do not count. */
  slot(a: number, b: number, c = 0, d = 0): number {
    const place = this.placeOf(a, b, c, d);
    const found = this.index[place] ?? 0;
    if (found > 0) return found - 1;
    if ((this.size + 1) * 2 > this.index.length) {
      this.grow();
      return this.slot(a, b, c, d);
    }
    const { keys, ints } = this;
    const base = this.size * ints;
    keys[base] = a;
    keys[base + 1] = b;
    if (ints > 2) keys[base + 2] = c;
    if (ints > 3) keys[base + 3] = d;
    this.size += 1;
    this.index[place] = this.size;
    return this.size - 1;
  }

  has(a: number, b: number, c = 0, d = 0): boolean {
    return this.index[this.placeOf(a, b, c, d)] !== 0;
  }

  /** Forgets all keys. */
  clear(): void {
    this.index.fill(0);
    this.sums.fill(0, 0, this.size * this.width);
    this.size = 0;
  }

  /** Where a key stands in the index, or would stand. */
  private placeOf(a: number, b: number, c: number, d: number): number {
    const { keys, ints, index } = this;
    const mask = index.length - 1;
    let place = hash(a, b, ints > 2 ? c : 0, ints > 3 ? d : 0) & mask;
    for (;;) {
      const base = ((index[place] ?? 0) - 1) * ints;
      if (base < 0) return place;
      if (
        keys[base] === a &&
        keys[base + 1] === b &&
        (ints < 3 || keys[base + 2] === c) &&
        (ints < 4 || keys[base + 3] === d)
      )
        return place;
      place = (place + 1) & mask;
    }
  }

  private grow(): void {
    const { ints, width, keys, sums } = this;
    const room = this.index.length;
    this.keys = new Int32Array(room * ints);
    this.keys.set(keys);
    this.sums = new Float64Array(room * width);
    this.sums.set(sums);
    this.index = new Int32Array(room * 2);
    const at = (base: number, place: number): number => keys[base + place] ?? 0;
    for (let slot = 0; slot < this.size; slot += 1) {
      const base = slot * ints;
      this.index[this.placeOf(at(base, 0), at(base, 1), at(base, 2), at(base, 3))] = slot + 1;
    }
  }
}

function hash(a: number, b: number, c: number, d: number): number {
  let mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) ^ Math.imul(c, 0x27d4eb2f) ^ Math.imul(d, 0x165667b1);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0x9e3779b1);
  return mixed ^ (mixed >>> 16);
}

/** Adds to a cell of different values. */
export function addOne(
  cells: KeyTable | undefined,
  k1: number,
  k2: number,
  previous: number,
  count: number,
): void {
  if (cells === undefined) return;
  const slot = cells.slot(k1, k2, previous);
  cells.sums[slot] = (cells.sums[slot] ?? 0) + count;
}
