// Splits the output of PostgreSQL so that one read from the client's socket ends with CopyDone, and CommandComplete arrives in a
// later one.
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const COPY_DONE = 'c'.charCodeAt(0);
const HEADER = 5;
/** Enough time for the client, which is in the same process, to read the first part and rename a file. */
const BETWEEN_MS = 30;

/** Forwards the server's messages in order, on a connection without TLS. */
export function splittingCopies(client: Socket): (chunk: Buffer) => void {
  const cutAfterDone = openCutter();
  let written: Promise<void> = Promise.resolve();
  const deliver = async (pieces: readonly Buffer[]) => {
    for (const [place, piece] of pieces.entries()) {
      if (place > 0) await pause(BETWEEN_MS);
      client.write(piece);
    }
  };
  return (chunk) => {
    const pieces = cutAfterDone(chunk);
    written = written.then(() => deliver(pieces));
  };
}

/** Parses the messages (a letter and a length), and splits a chunk after each CopyDone. */
function openCutter(): (chunk: Buffer) => readonly Buffer[] {
  const header: number[] = [];
  let left = 0;
  let isAfterDone = false;
  return (chunk) => {
    const pieces: Buffer[] = isAfterDone ? [Buffer.alloc(0)] : [];
    let from = 0;
    let at = 0;
    while (at < chunk.length) {
      if (left > 0) {
        const length = Math.min(left, chunk.length - at);
        left -= length;
        at += length;
      } else {
        header.push(chunk[at] ?? 0);
        at += 1;
        if (header.length < HEADER) continue;
        left = Buffer.from(header).readUInt32BE(1) - 4;
      }
      if (left > 0) continue;
      if (header[0] === COPY_DONE) {
        pieces.push(chunk.subarray(from, at));
        from = at;
      }
      header.length = 0;
    }
    isAfterDone = from > 0 && from === chunk.length;
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    return pieces;
  };
}
