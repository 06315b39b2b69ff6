// How a click or event is recognized when it is imported again: by its identifying values, such as its time and page view, and by
// the name of its source. Its other values may change.
import { hash } from 'node:crypto';
import { FINGERPRINT_BYTES, type RowBatch, valueAt } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import { occurrenceCounter } from './bounded-maps';

const WORDS_PER_FIELD = 3;
const SOURCE = nameHash('source name');
/** Used instead of the hash of a field's name. */
const OCCURRENCE = 0;

/**
 * Returns a function that writes the fingerprint of a row into its batch: the first 16 bytes of a SHA-256 hash of the row's source
 * name and its values in the given fields; fields without a value are left out. The second of two identical rows, such as clicks in
 * the same second, is a separate row. Identical rows are counted among at least `window` different rows (at most twice as many).
 */
export function fingerprinter(
  layout: TableLayout,
  identity: readonly string[],
  sourceOf: (batch: RowBatch, row: number) => string | undefined,
  window: number,
): (batch: RowBatch, row: number) => void {
  const occurrence = occurrenceCounter(window);
  const fields = identity.map((name) => ({ place: layout.fieldOf(name), name: nameHash(name) }));
  // One in addition to the fields, for the name of the source.
  const words = new Uint32Array((fields.length + 1) * WORDS_PER_FIELD);
  const halves = new Uint32Array(2);
  const number = new Float64Array(halves.buffer);

  const put = (length: number, name: number, value: number): number => {
    if (Number.isNaN(value)) return length;
    number[0] = value;
    words[length] = name;
    words[length + 1] = halves[0] ?? 0;
    words[length + 2] = halves[1] ?? 0;
    return length + WORDS_PER_FIELD;
  };

  return (batch, row) => {
    const source = sourceOf(batch, row);
    let length = source === undefined ? 0 : put(0, SOURCE, textHash(0, source));
    for (const { place, name } of fields) length = put(length, name, valueAt(batch, row, place));
    const digest = sha256(words.subarray(0, length)).subarray(0, FINGERPRINT_BYTES);
    const count = occurrence(digest.readUIntLE(0, 6) + 1);
    const counted = count === 1 ? digest : sha256(Uint32Array.of(OCCURRENCE, count, ...digest));
    counted.copy(batch.fingerprints, row * FINGERPRINT_BYTES, 0, FINGERPRINT_BYTES);
  };
}

/** The fingerprint of a row as PostgreSQL prints a uuid. */
export function fingerprintText({ fingerprints }: RowBatch, row: number): string {
  const bytes = Buffer.from(fingerprints.buffer, row * FINGERPRINT_BYTES, FINGERPRINT_BYTES);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * A 52-bit hash that represents a string among the numbers of a row: enough to distinguish rows that are
 * otherwise identical. `seed` is the hash of the strings before it.
 */
export function textHash(seed: number, text: string): number {
  let low = 0xdeadbeef ^ (seed | 0);
  let high = 0x41c6ce57 ^ ((seed / 4_294_967_296) | 0);
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 2_654_435_761);
    high = Math.imul(high ^ code, 1_597_334_677);
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (high & 0xfffff) * 4_294_967_296 + (low >>> 0);
}

// The function `hash` takes two thirds of the time that a Hash object takes.
const sha256 = (data: Uint32Array): Buffer => hash('sha256', data, 'buffer');

function nameHash(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
