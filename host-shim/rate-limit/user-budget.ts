// Rate limits: two fixed windows per user, two more for a key with a share, and one for the pages of a person.
// A refused call is charged to no window.
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock, HostUser } from '../extension-api';

/** 0 = no limit. The calls of all keys of a user count together; the pages of a person have a limit of their own. */
export interface RateLimits {
  /** Calls per hour. */
  readonly perHour: number;
  /** Calls per minute. */
  readonly perMinute: number;
  /** Calls per minute from the pages: one page may send several queries at once. */
  readonly pagesPerMinute: number;
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

/** Charges one call; undefined where nothing is limited. */
export interface UserBudget {
  (user: Pick<HostUser, 'id' | 'key'>): Promise<Charge | undefined>;
  /** The tighter window as it stands, without a charge. */
  look(user: Pick<HostUser, 'id' | 'key'>): Promise<Charge | undefined>;
}

interface Window {
  readonly owner: string;
  readonly limit: number;
  readonly seconds: number;
  readonly limiter: RateLimiterMemory;
}

/** The window with fewer calls left; of equals, the one that resets later. */
function tighter(left: Charge, right: Charge): Charge {
  if (left.remaining !== right.remaining) return left.remaining < right.remaining ? left : right;
  return left.secondsToReset >= right.secondsToReset ? left : right;
}

/** A share of a limit, at least one call; 0 stays no limit. */
const shareOf = (limit: number, percent: number) =>
  limit === 0 ? 0 : Math.max(1, Math.floor((limit * percent) / 100));

/** Only counts; each window compares with a limit of its own. */
const counter = (seconds: number) => new RateLimiterMemory({ points: 1, duration: seconds });

export function createUserBudget(limits: RateLimits, clock: Clock): UserBudget {
  const minute = counter(60);
  const hour = counter(3600);

  function windowsOf({ id, key }: Pick<HostUser, 'id' | 'key'>): readonly Window[] {
    const both = (owner: string, perMinute: number, perHour: number): readonly Window[] => [
      { owner, limit: perMinute, seconds: 60, limiter: minute },
      { owner, limit: perHour, seconds: 3600, limiter: hour },
    ];
    if (key === null) return both(`pages ${id}`, limits.pagesPerMinute, 0);
    const ofUser = both(`user ${id}`, limits.perMinute, limits.perHour);
    if (key.rateShare === null) return ofUser;
    const share = (limit: number) => shareOf(limit, key.rateShare ?? 100);
    return [...ofUser, ...both(`key ${key.uuid}`, share(limits.perMinute), share(limits.perHour))];
  }

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

  const limited = (user: Pick<HostUser, 'id' | 'key'>) => windowsOf(user).filter(({ limit }) => limit > 0);

  const states = (windows: readonly Window[]) =>
    Promise.all(
      windows.map(async (window) => {
        const state = await window.limiter.get(window.owner);
        return describe(window, state !== null && state.msBeforeNext > 0 ? state : null, true);
      }),
    );

  const tightest = (charges: readonly Charge[]) =>
    charges.reduce<Charge | undefined>(
      (worst, charge) => (worst ? tighter(worst, charge) : charge),
      undefined,
    );

  async function look(user: Pick<HostUser, 'id' | 'key'>): Promise<Charge | undefined> {
    return tightest(await states(limited(user)));
  }

  async function charge(user: Pick<HostUser, 'id' | 'key'>): Promise<Charge | undefined> {
    const windows = limited(user);
    const before = await states(windows);
    const refusedBy = tightest(before.filter(({ remaining }) => remaining === 0));
    if (refusedBy !== undefined) return { ...refusedBy, allowed: false };
    const after = await Promise.all(
      // `penalty` counts like `consume` without rejecting; a call that slipped in between is refused below.
      windows.map(async (window) => {
        const state = await window.limiter.penalty(window.owner);
        return describe(window, state, state.consumedPoints <= window.limit);
      }),
    );
    const refused = after.filter(({ allowed }) => !allowed);
    return tightest(refused.length > 0 ? refused : after);
  }

  return Object.assign(charge, { look });
}
