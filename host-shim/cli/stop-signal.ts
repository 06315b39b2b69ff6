// Ctrl-C, SIGTERM and a closed terminal as an AbortSignal: the first asks the program to stop, a later one ends it at once.
// npm and the terminal both pass one Ctrl-C on, so a second signal right after the first is the same one.
import type { Clock } from '../extension-api';

const SAME_KEYPRESS_MS = 500;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface StopSignal {
  readonly signal: AbortSignal;
  /** Gives the signals back to Node, so that the process can end by itself. */
  release(): void;
}

export function stopSignal(clock: Clock): StopSignal {
  const controller = new AbortController();
  let since: number | undefined;
  const stop = (name: keyof typeof SIGNALS) => () => {
    const now = clock().getTime();
    if (since === undefined) {
      since = now;
      controller.abort();
    } else if (now - since > SAME_KEYPRESS_MS) {
      process.exit(SIGNALS[name]);
    }
  };
  const handlers = { SIGINT: stop('SIGINT'), SIGTERM: stop('SIGTERM'), SIGHUP: stop('SIGHUP') };
  for (const [name, handler] of Object.entries(handlers)) process.on(name, handler);
  return {
    signal: controller.signal,
    release() {
      for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
    },
  };
}
