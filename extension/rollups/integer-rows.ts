// Owns the reading of many rows of numbers: PostgreSQL's binary COPY, row by row, without an object for any of them.
// A query of integers and booleans in -> its rows, one after the other in the same array; null is NONE.
import type { ClientBase } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { TWO_32 } from './halves';
import { NONE } from './key-table';

/** Signature, flags, and the length of an extension that nobody has. */
const HEADER_BYTES = 19;
/** A number of 8 bytes and its length. */
const WIDEST = 12;

/**
 * Runs a query that has no parameters and `width` columns of type smallint, integer, bigint or boolean. The array that
 * `onRow` is given is that of the next row too. Behind the columns it has one more value, which is always null.
 */
export async function readIntegers(
  client: ClientBase,
  sql: string,
  width: number,
  onRow: (row: Float64Array) => void,
): Promise<void> {
  const row = new Float64Array(width + 1).fill(NONE);
  const largest = 2 + width * WIDEST;
  let rest: Buffer = Buffer.alloc(0);
  let begun = false;
  let failure: unknown;
  /** A COPY that is broken off leaves its connection in the middle of it: the other rows are read, and left alone. */
  const take = (): void => {
    if (failure !== undefined) return;
    try {
      onRow(row);
    } catch (error) {
      failure = error;
    }
  };
  for await (const piece of client.query(copyTo(`COPY (${sql}) TO STDOUT (FORMAT binary)`))) {
    const bytes: Buffer = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    if (!begun) {
      if (bytes.length < HEADER_BYTES) {
        rest = bytes;
        continue;
      }
      begun = true;
      at = HEADER_BYTES;
    }
    // The last rows of a piece may not be there as a whole: their length is looked at before they are read.
    while (bytes.length - at >= largest || hasRow(bytes, at)) {
      if (bytes.readInt16BE(at) < 0) {
        at += 2;
        break;
      }
      at = readRow(bytes, at + 2, row, width);
      take();
    }
    rest = bytes.subarray(at);
  }
  if (failure !== undefined) throw failure;
  if (!begun || rest.length > 0) throw new Error('the rows of a COPY end in the middle');
}

/** Whether a whole row, or the end of all rows, begins at a place. */
function hasRow(bytes: Buffer, start: number): boolean {
  if (bytes.length - start < 2) return false;
  let at = start + 2;
  for (let left = bytes.readInt16BE(start); left > 0; left -= 1) {
    if (bytes.length - at < 4) return false;
    at += 4 + Math.max(0, bytes.readInt32BE(at));
  }
  return at <= bytes.length;
}

function readRow(bytes: Buffer, start: number, row: Float64Array, width: number): number {
  let at = start;
  for (let column = 0; column < width; column += 1) {
    const size = bytes.readInt32BE(at);
    at += 4;
    if (size === 4) row[column] = bytes.readInt32BE(at);
    else if (size === 8) row[column] = bytes.readInt32BE(at) * TWO_32 + bytes.readUInt32BE(at + 4);
    else if (size === 2) row[column] = bytes.readInt16BE(at);
    else if (size === 1) row[column] = bytes[at] ?? 0;
    else row[column] = NONE;
    at += Math.max(0, size);
  }
  return at;
}
