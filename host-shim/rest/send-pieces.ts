import { once } from 'node:events';
import type { Response } from 'express';

/** Waits for slow clients, until the signal is aborted. If a piece fails, breaks the connection and rejects with the error. */
export async function sendPieces(
  response: Response,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (response.destroyed) return;
      if (!response.write(piece)) await once(response, 'drain', { signal });
    }
    response.end();
  } catch (error) {
    if (signal.aborted) return;
    // If the connection were closed cleanly, a proxy would mistake that for the end of the response.
    if (response.headersSent) response.socket?.resetAndDestroy();
    throw error;
  }
}
