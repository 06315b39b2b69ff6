// How a row without an id of its own is recognised when it comes again: by its content, and by its number among equal rows.
// Only what the file gave is hashed, so a column or a default that is added later changes no fingerprint.
import { createHash, hash } from 'node:crypto';
import { numberTable } from './bounded-maps';
import { FINGERPRINT_BYTES, type RowBatch } from './row-batch';
import type { TableLayout } from './table-layout';

/** Writes the fingerprint of a row into its batch. Call it once per row, in the order of the file. */
export type Fingerprinter = (batch: RowBatch, row: number) => void;

/** The fields of a row, and what the importer itself puts into them. */
export interface PrintedFields {
  readonly layout: TableLayout;
  readonly computed: ReadonlySet<string>;
  readonly defaults?: ReadonlyMap<string, number>;
}

const WORDS_PER_FIELD = 3;
/** Stands for the name of the field that hashes the noted texts. */
const NOTED = 'noted texts';
/** Stands where the hash of a field's name stands. */
const OCCURRENCE = 0;

/**
 * A fingerprinter for one file: 16 bytes of a SHA-256 for each row. Equal rows are counted within a window of at least
 * `windowKeys` different rows (at most twice as many); an equal row farther away counts as the same row.
 */
export function fingerprinter(
  { layout, computed, defaults }: PrintedFields,
  windowKeys: number,
): Fingerprinter {
  const fields = [...layout.columns, { name: NOTED, nullable: false }].map(({ name, nullable }) => ({
    name: nameHash(name),
    // What the importer fills in. In a nullable column a 0 was given; a computed one is still open.
    filled: nullable || computed.has(name) ? Number.NaN : (defaults?.get(name) ?? 0),
  }));
  // Room for one field more: the number of the row among equal ones.
  const words = new Uint32Array((fields.length + 1) * WORDS_PER_FIELD);
  const halves = new Uint32Array(2);
  const number = new Float64Array(halves.buffer);
  const occurrence = occurrenceCounter(windowKeys);

  const put = (length: number, name: number, value: number): number => {
    number[0] = value;
    words[length] = name;
    words[length + 1] = halves[0] ?? 0;
    words[length + 2] = halves[1] ?? 0;
    return length + WORDS_PER_FIELD;
  };

  const collect = ({ values, shape }: RowBatch, row: number): number => {
    let length = 0;
    for (let field = 0; field < fields.length; field += 1) {
      const value = values[row * shape.width + field] ?? Number.NaN;
      const about = fields[field];
      if (about === undefined || Number.isNaN(value) || value === about.filled) continue;
      length = put(length, about.name, value);
    }
    return length;
  };

  return (batch, row) => {
    const length = collect(batch, row);
    let digest = sha256(words.subarray(0, length));
    const count = occurrence(digest.readUIntLE(0, 6) + 1);
    if (count > 1) digest = sha256(words.subarray(0, put(length, OCCURRENCE, count)));
    digest.copy(batch.fingerprints, row * FINGERPRINT_BYTES, 0, FINGERPRINT_BYTES);
  };
}

/** The fingerprint of a row as PostgreSQL prints a uuid. */
export function fingerprintText({ fingerprints }: RowBatch, row: number): string {
  const bytes = Buffer.from(fingerprints.buffer, row * FINGERPRINT_BYTES, FINGERPRINT_BYTES);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * A hash of 52 bits that stands for a text among the numbers of a row: enough to tell apart rows that are equal otherwise.
 * `seed` is the hash of the texts before it.
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

// `hash` came with Node 20.12; it takes two thirds of the time of a Hash object.
const sha256: (data: Uint32Array) => Buffer =
  typeof hash === 'function'
    ? (data) => hash('sha256', data, 'buffer')
    : (data) => createHash('sha256').update(data).digest();

/** Counts how often a key came by, within a window of keys. */
function occurrenceCounter(windowKeys: number): (key: number) => number {
  let young = numberTable(windowKeys);
  let old = numberTable(windowKeys);
  return (key) => {
    const count = (young.get(key) ?? old.get(key) ?? 0) + 1;
    if (!young.hasRoom(1)) {
      old = young;
      young = numberTable(windowKeys);
    }
    young.set(key, count);
    return count;
  };
}

function nameHash(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
