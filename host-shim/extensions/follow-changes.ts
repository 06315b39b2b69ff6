import { poll } from '../../db/poll';
import type { Log } from '../extension-api';
import type { Extensions } from './extensions';

const POLL_MS = 500;

/** Polls for changes that other processes made, until the signal is aborted. */
export function followChanges(
  extensions: Pick<Extensions, 'follow'>,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): void {
  let isFailing = false;
  const stop = poll(async () => {
    try {
      await extensions.follow();
      isFailing = false;
    } catch (error) {
      if (!isFailing && !signal.aborted)
        log.warn({ err: error }, 'Could not read which extensions are on; trying again.');
      isFailing = true;
    }
  }, POLL_MS);
  signal.addEventListener('abort', stop, { once: true });
}
