// The imports that a server runs: imports into the same site run in the order in which they arrived, imports into different
// sites in parallel. Each takes connections and CPU time away from queries, so only a few run at the same time, and only a
// limited number may wait.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { takeTurns } from '../storage/take-turns';
import type { ImportReport } from './import-options';

/** Too many imports are already waiting. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

const QUEUE_LIMITS = {
  running: 2,
  /** Imports that are running, waiting, or still being received. */
  admitted: 18,
};

export type ImportQueue = ReturnType<typeof createImportQueue>;

export function createImportQueue(limits = QUEUE_LIMITS) {
  const all = new Set<Promise<unknown>>();
  const inTurn = takeTurns(limits.running);

  return {
    /**
     * Receives an upload, and imports it when its turn comes. Throws a QueueFull if too many were admitted, the error of
     * `receive`, or the signal's reason if it is aborted before the import's turn.
     */
    async run<Upload>(
      site: string,
      signal: AbortSignal,
      receive: () => Promise<Upload>,
      work: (upload: Upload) => Promise<ImportReport>,
    ): Promise<ImportReport> {
      if (all.size >= limits.admitted) throw new QueueFull('Too many imports are waiting.');
      const running = receive().then((upload) =>
        inTurn(
          async () => {
            // A disconnected client is noticed when the event loop polls the sockets, between these two turns.
            for (let turn = 0; turn < 2; turn += 1) await nextTurn();
            signal.throwIfAborted();
            return work(upload);
          },
          signal,
          site,
        ),
      );
      all.add(running);
      const forget = () => void all.delete(running);
      running.then(forget, forget);
      return running;
    },
    use: inTurn.use,
    /** Waits until nothing is being received, running or waiting. */
    async settle(): Promise<void> {
      while (all.size > 0) await Promise.allSettled(all);
    },
  };
}
