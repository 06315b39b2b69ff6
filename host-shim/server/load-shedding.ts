// Refuses expensive requests while requests wait too long for authentication: too many arrived at the same time, or the event loop
// lags. Then accepted work can finish, and everything else is answered in time.

/**
 * Counts a request as waiting for authentication until the returned function is called. Returns undefined if the request must be
 * refused. `caller` is only what the request claims.
 */
export type Admit = (caller: string) => (() => void) | undefined;

export const ADMIT_ALL: Admit = () => () => {};

const LATE_MS = 100;
/**
 * This many requests may always wait. If they wait too long, the callers share this number equally, so that a few callers with many requests
 * do not cause the requests of others to be refused.
 */
const FEW_REQUESTS = 32;

export function createLoadShedding(now = () => performance.now()): Admit {
  /** Oldest first. */
  const waiting = new Set<{ readonly since: number }>();
  const byCaller = new Map<string, number>();

  return (caller) => {
    const [oldest] = waiting;
    const own = (byCaller.get(caller) ?? 0) + 1;
    const callers = byCaller.size + (own === 1 ? 1 : 0);
    const since = now();
    const isLate = oldest !== undefined && since - oldest.since > LATE_MS;
    const isCrowded = waiting.size >= FEW_REQUESTS && own * callers > FEW_REQUESTS;
    if (isLate && isCrowded) return undefined;
    const request = { since };
    waiting.add(request);
    byCaller.set(caller, own);
    return () => {
      waiting.delete(request);
      const left = (byCaller.get(caller) ?? 0) - 1;
      if (left > 0) byCaller.set(caller, left);
      else byCaller.delete(caller);
    };
  };
}
