// Sends responses, large ones in parts. If too many bytes are waiting, the client that has been stalled longest is disconnected,
// so that stalled clients cannot exhaust memory.
import type { ServerResponse } from 'node:http';

interface OutboxLimits {
  /** The maximum total size of the large responses that are being sent. */
  readonly maxBytes: number;
  /** A client that has made progress within this time is never disconnected. */
  readonly stalledMs: number;
}

interface Sending {
  readonly response: ServerResponse;
  readonly bytes: number;
  movedAt: number;
}

export const OUTBOX_LIMITS: OutboxLimits = { maxBytes: 128 * 2 ** 20, stalledMs: 5_000 };

const PART_BYTES = 256 * 1024;

export function createOutbox({ maxBytes, stalledMs }: OutboxLimits) {
  const pending = new Set<Sending>();

  function makeRoom(): void {
    let bytes = 0;
    for (const one of pending) bytes += one.bytes;
    const before = performance.now() - stalledMs;
    const stalled = [...pending].filter(({ movedAt }) => movedAt <= before);
    for (const one of stalled.sort((first, second) => first.movedAt - second.movedAt)) {
      if (bytes <= maxBytes) return;
      bytes -= one.bytes;
      one.response.destroy();
    }
  }

  function sendParts(one: Sending, body: Buffer, from: number): void {
    const { response } = one;
    if (response.destroyed) return;
    one.movedAt = performance.now();
    const to = from + PART_BYTES;
    if (to >= body.length) response.end(body.subarray(from));
    else if (response.write(body.subarray(from, to))) sendParts(one, body, to);
    else response.once('drain', () => sendParts(one, body, to));
  }

  return (response: ServerResponse, body: Buffer): void => {
    if (body.length <= PART_BYTES) {
      response.end(body);
      return;
    }
    const one: Sending = { response, bytes: body.length, movedAt: performance.now() };
    pending.add(one);
    response.once('close', () => pending.delete(one));
    makeRoom();
    sendParts(one, body, 0);
  };
}
