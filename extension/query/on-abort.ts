/**
 * Calls `run` with the reason once the signal is aborted, or immediately if it already is. Returns a function that stops listening.
 * AbortSignal.any and AbortSignal.timeout need weak references and finalizers, which take longer than planning a small query.
 */
export function onAbort(signal: AbortSignal, run: (reason: unknown) => void): () => void {
  const listen = () => run(signal.reason);
  if (signal.aborted) listen();
  else signal.addEventListener('abort', listen, { once: true });
  return () => signal.removeEventListener('abort', listen);
}
