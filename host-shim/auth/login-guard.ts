// Counts failed logins per key, usually an address, and locks a key out after too many. A success does not reset the count:
// otherwise the owner of one account could guess everyone else's passwords.
import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { type CountTools, createWindowCounts, type WindowState } from '../rate-limit/window-counts';
import { createTurns } from '../server/turns';
import { bareAddress } from './caller-address';

/** The names of the guards that count refused logins by address. */
export const ADDRESS_GUARDS = { password: 'application password', login: 'login' } as const;

export interface LoginGuardOptions {
  /** Allowed per key and window; 0 = no limit. */
  readonly failures: number;
  readonly windowSeconds: number;
}

export interface LoginGuard {
  readonly limit: number;
  readonly windowSeconds: number;
  /**
   * Reserves one of the remaining failures and returns 0, or returns the number of seconds to wait. If concurrent attempts
   * have reserved all of them, waits for one to end, in order of arrival, so that any number of correct logins can succeed
   * at the same time.
   */
  begin(address: string): Promise<number>;
  /** A failure is counted; a success releases the reservation. */
  end(address: string, failed: boolean): Promise<void>;
}

/** Ten wrong passwords per minute may come from a person or a forgotten script. More than that means guessing. */
export const LOGIN_GUARD: LoginGuardOptions = { failures: 50, windowSeconds: 300 };

const FIRST_BYTE = 0xff00;

/** An IPv6 customer has a /56 or more, so the addresses in a /56 share a key. */
export function guardKey(address: string): string {
  const [plain = ''] = bareAddress(address).split('%');
  if (!isIPv6(plain)) return plain || address;
  const [head = '', tail = ''] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const [one, two, three, four = '0'] = [...left, ...zeros, ...right];
  return `${one}:${two}:${three}:${(Number.parseInt(four, 16) & FIRST_BYTE).toString(16)}::/56`;
}

/** How long a key's state is cached. Meanwhile, other servers may count failures. */
const CACHED_MS = 1_000;
const MAX_CACHED_KEYS = 10_000;
const NOTHING: WindowState = { count: 0, milliseconds: 0 };

interface Known {
  readonly failed: number;
  readonly endsAt: number;
  readonly readAt: number;
}

interface Attempt<T, L> {
  work(): Promise<T>;
  isFailure(outcome: T): boolean;
  lockedOut(retryAfterSeconds: number): L | Promise<L>;
}

/**
 * Makes an attempt unless the key is locked out. An attempt that throws is not counted, because it reveals nothing to the caller.
 */
export async function guarded<T, L>(
  guard: LoginGuard,
  key: string,
  { work, isFailure, lockedOut }: Attempt<T, L>,
): Promise<T | L> {
  const retryAfterSeconds = await guard.begin(key);
  if (retryAfterSeconds > 0) return lockedOut(retryAfterSeconds);
  let failed = false;
  try {
    const outcome = await work();
    failed = isFailure(outcome);
    return outcome;
  } finally {
    await guard.end(key, failed);
  }
}

/** `name` separates the counts of different guards. */
export function createLoginGuard(
  name: string,
  { failures, windowSeconds }: LoginGuardOptions,
  tools: CountTools,
): LoginGuard {
  const { clock } = tools;
  const counts = createWindowCounts(tools);
  // With `max`, the cache would reserve memory for all keys in advance.
  const known = new LRUCache<string, Known>({ maxSize: MAX_CACHED_KEYS, sizeCalculation: () => 1 });
  const ongoing = new Map<string, { count: number; onEnd(): void }>();
  const reads = new Map<string, Promise<Known>>();
  const inTurn = createTurns();
  const windowOf = (key: string) => ({ name: `${name} ${key}`, seconds: windowSeconds, max: failures });

  /** Results may arrive out of order: within a window, a higher count is newer. */
  function remember(key: string, { count, milliseconds }: WindowState = NOTHING): Known {
    const now = clock().getTime();
    const before = known.get(key);
    const latest =
      before !== undefined && now < before.endsAt && count < before.failed
        ? { ...before, readAt: now }
        : { failed: count, endsAt: now + milliseconds, readAt: now };
    known.set(key, latest);
    return latest;
  }

  async function failuresOf(key: string): Promise<Known> {
    const before = known.get(key);
    const now = clock().getTime();
    const isFresh = (one: Known) => one.readAt <= now && now < Math.min(one.readAt + CACHED_MS, one.endsAt);
    if (before !== undefined && isFresh(before)) return before;
    const running = reads.get(key);
    if (running !== undefined) return running;
    const read = counts
      .read([windowOf(key)])
      .then(([state]) => remember(key, state))
      .finally(() => reads.delete(key));
    reads.set(key, read);
    return read;
  }

  async function reserve(key: string): Promise<number> {
    for (;;) {
      const { failed, endsAt } = await failuresOf(key);
      if (failed >= failures) return Math.max(1, Math.ceil((endsAt - clock().getTime()) / 1000));
      const attempts = ongoing.get(key) ?? { count: 0, onEnd() {} };
      if (failed + attempts.count < failures) {
        attempts.count += 1;
        ongoing.set(key, attempts);
        return 0;
      }
      await new Promise<void>((resume) => {
        attempts.onEnd = resume;
      });
    }
  }

  return {
    limit: failures,
    windowSeconds,
    async begin(address) {
      if (failures === 0) return 0;
      const key = guardKey(address);
      // Callers share one read before they queue: if the database does not respond, all of them fail together.
      await failuresOf(key);
      // Only the first caller in the queue checks whether an attempt is allowed, and reads the count again if it is outdated.
      return inTurn(key, () => reserve(key));
    },
    async end(address, failed) {
      if (failures === 0) return;
      const key = guardKey(address);
      try {
        if (failed) remember(key, (await counts.add([windowOf(key)])).states[0]);
      } finally {
        const attempts = ongoing.get(key);
        if (attempts !== undefined) {
          attempts.count -= 1;
          if (attempts.count === 0) ongoing.delete(key);
          attempts.onEnd();
        }
      }
    },
  };
}
