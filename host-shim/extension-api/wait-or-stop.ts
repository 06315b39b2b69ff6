import { setTimeout } from 'node:timers/promises';

/** Resolves after this time, or when the signal is aborted. Does not keep the process running. */
export const waitOrStop = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
