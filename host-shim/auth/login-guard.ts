// Counts failed logins per address and shuts the door for a while once there are too many, before any look-up or hashing.
// Successes do not clear the count: whoever has one account could otherwise try all others.
import { isIPv6 } from 'node:net';
import { RateLimiterMemory } from 'rate-limiter-flexible';

export interface LoginGuardOptions {
  /** Failed logins that one address may make in a window; 0 = any number. */
  readonly failures: number;
  readonly windowSeconds: number;
}

export interface LoginGuard {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Seconds until this address may try again; 0 = now. */
  secondsUntilAllowed(address: string): Promise<number>;
  countFailure(address: string): Promise<void>;
}

/** One IPv6 customer holds a whole /64, so its addresses count as one. */
export function guardKey(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail === undefined ? [] : tail.split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

export function createLoginGuard({ failures, windowSeconds }: LoginGuardOptions): LoginGuard {
  const limiter = new RateLimiterMemory({ points: failures, duration: windowSeconds });
  return {
    limit: failures,
    windowSeconds,
    async secondsUntilAllowed(address) {
      if (failures === 0) return 0;
      const state = await limiter.get(guardKey(address));
      if (state === null || state.consumedPoints < failures || state.msBeforeNext <= 0) return 0;
      return Math.ceil(state.msBeforeNext / 1000);
    },
    async countFailure(address) {
      if (failures > 0) await limiter.penalty(guardKey(address));
    },
  };
}
