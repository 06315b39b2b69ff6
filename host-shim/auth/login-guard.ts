// Counts failed logins per key, mostly an address, and locks the key out for a while once there are too many.
// A success does not clear the count, or the owner of one account could guess at all others.
import { isIPv6 } from 'node:net';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { bareAddress } from './caller-address';

export interface LoginGuardOptions {
  /** Allowed per key and window; 0 = any number. */
  readonly failures: number;
  readonly windowSeconds: number;
}

export interface LoginGuard {
  readonly limit: number;
  readonly windowSeconds: number;
  /**
   * Reserves one of the failures that are left and returns 0, or returns the seconds until the key may try again. Where
   * attempts in flight hold all that is left, it waits for them, so that many correct logins at once are let in.
   */
  begin(address: string): Promise<number>;
  /** Ends an attempt: a failure counts, a success gives the reservation back. */
  end(address: string, failed: boolean): Promise<void>;
}

/** Ten wrong passwords a minute may be a person or a forgotten script; more is guessing. */
export const LOGIN_GUARD: LoginGuardOptions = { failures: 50, windowSeconds: 300 };

const FIRST_BYTE = 0xff00;

/** One IPv6 customer has a /56 or more, so its addresses share a key. */
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

export function createLoginGuard({ failures, windowSeconds }: LoginGuardOptions): LoginGuard {
  const limiter = new RateLimiterMemory({ points: failures, duration: windowSeconds });
  const underWay = new Map<string, { readonly count: number; readonly waiting: (() => void)[] }>();
  return {
    limit: failures,
    windowSeconds,
    async begin(address) {
      if (failures === 0) return 0;
      const key = guardKey(address);
      for (;;) {
        const state = await limiter.get(key);
        const open = state !== null && state.msBeforeNext > 0;
        const failed = open ? state.consumedPoints : 0;
        // A window ends by a timer, so a clock that was set back makes none longer.
        if (open && failed >= failures) return Math.min(Math.ceil(state.msBeforeNext / 1000), windowSeconds);
        const attempts = underWay.get(key) ?? { count: 0, waiting: [] };
        if (failed + attempts.count < failures) {
          underWay.set(key, { ...attempts, count: attempts.count + 1 });
          return 0;
        }
        await new Promise<void>((resume) => attempts.waiting.push(resume));
      }
    },
    async end(address, failed) {
      if (failures === 0) return;
      const key = guardKey(address);
      if (failed) await limiter.penalty(key);
      const { count, waiting } = underWay.get(key) ?? { count: 1, waiting: [] };
      if (count > 1) underWay.set(key, { count: count - 1, waiting: [] });
      else underWay.delete(key);
      for (const resume of waiting) resume();
    },
  };
}
