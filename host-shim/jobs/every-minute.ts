import { isUnavailable, type Log, waitOrStop } from '../extension-api';

const MINUTE_MS = 60_000;

/** Calls `work` immediately and then every minute, until the signal is aborted. Resolves when the last call has ended. */
export async function everyMinute(
  work: () => Promise<void>,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error: unknown) => {
      if (signal.aborted) return;
      log[isUnavailable(error) ? 'warn' : 'error'](
        { err: error },
        'Background work failed; it is retried every minute.',
      );
    });
    await waitOrStop(MINUTE_MS, signal);
  }
}
