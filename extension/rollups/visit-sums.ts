// Owns the sums of visits on their way into the counts: a visit's rows are added up before they go into each dimension.
// Rows in -> one row for all that a visit did on a day with the same keys, whenever its keys change and at the end.
import { highHalf, lowHalf } from './halves';
import { KeyTable, NONE } from './key-table';

export interface VisitSums {
  take(row: Float64Array, sums: Float64Array): void;
  /** Gives out what it holds and forgets it. */
  flush(): void;
}

/**
 * Opens the sums of rows of so many columns that begin with their day. `visitPlace`: where a row names its visit;
 * `keyPlaces`: its keys. `put` is given a row with its day and keys alone, and `width` sums; both arrays are used again.
 */
export function visitSums(
  visitPlace: number,
  keyPlaces: readonly number[],
  columns: number,
  width: number,
  put: (row: Float64Array, sums: Float64Array) => void,
): VisitSums {
  const visits = new KeyTable(3, width);
  const count = keyPlaces.length;
  let keys = new Int32Array(0);
  const held = new Float64Array(columns).fill(NONE);
  const sums = new Float64Array(width);

  const giveOut = (slot: number): void => {
    held[0] = visits.keys[slot * 3] ?? 0;
    for (let at = 0; at < count; at += 1) held[keyPlaces[at] ?? 0] = keys[slot * count + at] ?? 0;
    sums.set(visits.sums.subarray(slot * width, (slot + 1) * width));
    put(held, sums);
  };

  const differs = (slot: number, row: Float64Array): boolean => {
    const base = slot * count;
    for (let at = 0; at < count; at += 1) if (keys[base + at] !== row[keyPlaces[at] ?? 0]) return true;
    return false;
  };

  return {
    take(row, own) {
      const visit = row[visitPlace] ?? 0;
      const known = visits.size;
      const slot = visits.slot(row[0] ?? 0, highHalf(visit), lowHalf(visit));
      const base = slot * width;
      const isNew = visits.size > known;
      if (isNew || differs(slot, row)) {
        if (!isNew) {
          giveOut(slot);
          visits.sums.fill(0, base, base + width);
        }
        if ((slot + 1) * count > keys.length) {
          const larger = new Int32Array((visits.keys.length / 3) * count);
          larger.set(keys);
          keys = larger;
        }
        for (let at = 0; at < count; at += 1) keys[slot * count + at] = row[keyPlaces[at] ?? 0] ?? 0;
      }
      const to = visits.sums;
      for (let sum = 0; sum < width; sum += 1) to[base + sum] = (to[base + sum] ?? 0) + (own[sum] ?? 0);
    },
    flush() {
      for (let slot = 0; slot < visits.size; slot += 1) giveOut(slot);
      visits.clear();
    },
  };
}
