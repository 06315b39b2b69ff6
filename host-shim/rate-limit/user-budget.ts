// The budget of calls of each user: two fixed windows, an hour and a minute, kept in this process's memory.
// user id -> what to tell in the X-RateLimit headers, and whether to refuse. A refused call is charged to no window.
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../extension-api';

export interface RateLimits {
  /** Calls per hour; 0 = no limit. */
  readonly perHour: number;
  /** Calls per minute; 0 = no limit. */
  readonly perMinute: number;
}

export interface Charge {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly secondsToReset: number;
  /** UNIX seconds. */
  readonly resetAt: number;
}

/** Charges one call; undefined when nothing is limited. */
export type UserBudget = (userId: number) => Promise<Charge | undefined>;

interface Window {
  readonly limit: number;
  readonly seconds: number;
  readonly limiter: RateLimiterMemory;
}

/** The tighter window is the one with fewer calls left; of equals, the one that opens later. */
function tighter(left: Charge, right: Charge): Charge {
  if (left.remaining !== right.remaining) return left.remaining < right.remaining ? left : right;
  return left.secondsToReset >= right.secondsToReset ? left : right;
}

export function createUserBudget(limits: RateLimits, clock: Clock): UserBudget {
  const windows: readonly Window[] = [
    { limit: limits.perMinute, seconds: 60 },
    { limit: limits.perHour, seconds: 3600 },
  ]
    .filter(({ limit }) => limit > 0)
    .map((window) => ({
      ...window,
      limiter: new RateLimiterMemory({ points: window.limit, duration: window.seconds }),
    }));

  function describe(window: Window, state: RateLimiterRes | null, allowed: boolean): Charge {
    const milliseconds = state === null ? window.seconds * 1000 : Math.max(state.msBeforeNext, 0);
    const secondsToReset = Math.max(1, Math.ceil(milliseconds / 1000));
    return {
      allowed,
      limit: window.limit,
      remaining: Math.max(0, window.limit - (state?.consumedPoints ?? 0)),
      windowSeconds: window.seconds,
      secondsToReset,
      resetAt: Math.ceil((clock().getTime() + milliseconds) / 1000),
    };
  }

  return async (userId) => {
    const key = String(userId);
    const before = await Promise.all(
      windows.map(async (window) => {
        const state = await window.limiter.get(key);
        return describe(window, state !== null && state.msBeforeNext > 0 ? state : null, true);
      }),
    );
    const spent = before.filter((charge) => charge.remaining === 0);
    const refusedBy = spent.reduce<Charge | undefined>(
      (worst, charge) => (worst ? tighter(worst, charge) : charge),
      undefined,
    );
    if (refusedBy !== undefined) return { ...refusedBy, allowed: false };
    const after = await Promise.all(
      // `penalty` counts like `consume` without rejecting: a call that slipped in between is refused below all the same.
      windows.map(async (window) => {
        const state = await window.limiter.penalty(key);
        return describe(window, state, state.consumedPoints <= window.limit);
      }),
    );
    return after.reduce<Charge | undefined>((tightest, charge) => {
      if (tightest === undefined) return charge;
      if (tightest.allowed !== charge.allowed) return tightest.allowed ? charge : tightest;
      return tighter(tightest, charge);
    }, undefined);
  };
}
