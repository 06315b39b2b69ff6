// Imports nothing, so that signals are handled even while the rest of the program is loading, which takes seconds.
/** For one Ctrl-C, npm and the terminal each send a signal. A second signal within this time belongs to the same key press. */
const SAME_KEYPRESS_MS = 500;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface StopSignals {
  readonly signal: AbortSignal;
  received(): keyof typeof EXIT_CODES | undefined;
  release(): void;
}

/** The first Ctrl-C, SIGTERM or SIGHUP (a closed terminal) asks the program to stop; a later one ends it immediately. */
export function listenToSignals(): StopSignals {
  const controller = new AbortController();
  let first: { readonly name: keyof typeof EXIT_CODES; readonly at: number } | undefined;
  const listen = (name: keyof typeof EXIT_CODES) => {
    const handler = () => {
      const at = performance.now();
      if (first === undefined) {
        first = { name, at };
        controller.abort();
      } else if (at - first.at > SAME_KEYPRESS_MS) {
        process.exit(EXIT_CODES[name]);
      }
    };
    process.on(name, handler);
    return () => process.off(name, handler);
  };
  const handlers = [listen('SIGINT'), listen('SIGTERM'), listen('SIGHUP')];
  return {
    signal: controller.signal,
    received: () => first?.name,
    // Without listeners, a signal ends the process.
    release() {
      for (const remove of handlers) remove();
    },
  };
}
