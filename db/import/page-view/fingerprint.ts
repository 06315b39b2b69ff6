// Owns how a row without a pv_id is found again: by what it says, and by its number among rows that say the same.
// Row of numbers in -> 16 bytes. Texts are there as dictionary ids, which never change within a site.
import { createHash } from 'node:crypto';
import { numberTable } from '../number-table';
import type { RowBatch } from '../row-batch';

/** Writes the fingerprint of a row into its batch. Call it once per row, in the order of the file. */
export type Fingerprinter = (batch: RowBatch, row: number) => void;

/**
 * A fingerprinter for one file. Equal rows are counted within a window of the last `windowKeys` different rows or
 * more (at most twice as many); an equal row farther away counts as the same row, given twice.
 */
export function fingerprinter(windowKeys: number): Fingerprinter {
  let young = numberTable(windowKeys);
  let old = numberTable(windowKeys);
  const occurrence = (key: number): number => {
    const count = (young.get(key) ?? old.get(key) ?? 0) + 1;
    if (!young.hasRoom(1)) {
      old = young;
      young = numberTable(windowKeys);
    }
    young.set(key, count);
    return count;
  };
  return (batch, row) => {
    const bytes = new Uint8Array(batch.values.buffer, row * batch.width * 8, batch.width * 8);
    let digest = createHash('sha256').update(bytes).digest();
    const count = occurrence(digest.readUIntBE(16, 6) + 1);
    if (count > 1) digest = createHash('sha256').update(digest).update(String(count)).digest();
    batch.fingerprints.set(digest.subarray(0, 16), row * 16);
  };
}
