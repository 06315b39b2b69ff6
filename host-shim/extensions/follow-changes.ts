import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../extension-api';
import type { Extensions } from './extensions';

const POLL_MS = 500;

/** Polls for changes that other processes made, until the signal is aborted. */
export function followChanges(
  extensions: Pick<Extensions, 'follow'>,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): void {
  let isFailing = false;

  async function poll(): Promise<void> {
    try {
      await extensions.follow();
      isFailing = false;
    } catch (error) {
      if (!isFailing && !signal.aborted)
        log.warn({ err: error }, 'Could not read which extensions are on; trying again.');
      isFailing = true;
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await pause(POLL_MS, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await poll();
    }
  }
  void run();
}
