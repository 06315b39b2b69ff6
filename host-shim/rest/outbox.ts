// Sends answers. Large ones go out in parts and are counted while they wait for their readers: beyond a bound, the reader that
// has taken nothing for longest is cut off, so that readers that stall cannot fill the memory.
import type { ServerResponse } from 'node:http';

interface OutboxLimits {
  /** Of large answers that are on their way, together. */
  readonly mostBytes: number;
  /** A reader that took something within this time is never cut off here. */
  readonly stalledMs: number;
}

interface OnItsWay {
  readonly response: ServerResponse;
  readonly bytes: number;
  movedAt: number;
}

export const OUTBOX_LIMITS: OutboxLimits = { mostBytes: 128 * 2 ** 20, stalledMs: 5_000 };

const PART_BYTES = 256 * 1024;

/** What sends the body of an answer and ends it. */
export function createOutbox({ mostBytes, stalledMs }: OutboxLimits) {
  const onTheirWay = new Set<OnItsWay>();

  function makeRoom(): void {
    let bytes = 0;
    for (const one of onTheirWay) bytes += one.bytes;
    const before = performance.now() - stalledMs;
    const stalled = [...onTheirWay].filter(({ movedAt }) => movedAt <= before);
    for (const one of stalled.sort((first, second) => first.movedAt - second.movedAt)) {
      if (bytes <= mostBytes) return;
      bytes -= one.bytes;
      one.response.destroy();
    }
  }

  function sendParts(one: OnItsWay, body: Buffer, from: number): void {
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
    const one: OnItsWay = { response, bytes: body.length, movedAt: performance.now() };
    onTheirWay.add(one);
    response.once('close', () => onTheirWay.delete(one));
    makeRoom();
    sendParts(one, body, 0);
  };
}
