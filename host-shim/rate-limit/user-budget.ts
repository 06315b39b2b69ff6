// Rate limits: two fixed windows per user, two more for a key with a share, and one for the pages of a person.
// A refused call is charged to no window.
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock, HostUser } from '../extension-api';

/** 0 = no limit. The calls of all keys of a user count together; the pages of a person have a limit of their own. */
export interface RateLimits {
  readonly perHour: number;
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

type Caller = Pick<HostUser, 'id' | 'key'>;

/** Charges one call; undefined where nothing is limited. */
export interface UserBudget {
  (user: Caller): Promise<Charge | undefined>;
  /** The tighter window as it stands, without a charge. */
  look(user: Caller): Promise<Charge | undefined>;
}

interface Window {
  readonly owner: string;
  readonly limit: number;
  readonly seconds: number;
  readonly counter: RateLimiterMemory;
}

/** The window with the fewest calls left; of equals, the one that resets last. */
const tightest = (charges: readonly Charge[]): Charge | undefined =>
  [...charges].sort(
    (one, other) => one.remaining - other.remaining || other.secondsToReset - one.secondsToReset,
  )[0];

/** A share of a limit, at least one call; 0 stays no limit. */
const shareOf = (limit: number, percent: number) =>
  limit === 0 ? 0 : Math.max(1, Math.floor((limit * percent) / 100));

/** Only counts: its `points` are not used, since each window compares with a limit of its own. */
const countFor = (seconds: number) => ({
  seconds,
  counter: new RateLimiterMemory({ points: 1, duration: seconds }),
});

export function createUserBudget(limits: RateLimits, clock: Clock): UserBudget {
  const { perMinute, perHour, pagesPerMinute } = limits;
  const minute = countFor(60);
  const hour = countFor(3600);

  function windowsOf({ id, key }: Caller): readonly Window[] {
    const both = (owner: string, ofMinute: number, ofHour: number): readonly Window[] =>
      [
        { owner, limit: ofMinute, ...minute },
        { owner, limit: ofHour, ...hour },
      ].filter(({ limit }) => limit > 0);
    if (key === null) return both(`pages ${id}`, pagesPerMinute, 0);
    const share = key.rateShare;
    return [
      ...both(`user ${id}`, perMinute, perHour),
      ...(share === null ? [] : both(`key ${key.uuid}`, shareOf(perMinute, share), shareOf(perHour, share))),
    ];
  }

  function describe({ limit, seconds }: Window, state: RateLimiterRes | null, allowed: boolean): Charge {
    // A window ends by a timer, so a clock that was set back makes none longer.
    const window = seconds * 1000;
    const milliseconds = state === null ? window : Math.min(Math.max(state.msBeforeNext, 0), window);
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - (state?.consumedPoints ?? 0)),
      windowSeconds: seconds,
      secondsToReset: Math.max(1, Math.ceil(milliseconds / 1000)),
      resetAt: Math.ceil((clock().getTime() + milliseconds) / 1000),
    };
  }

  const look = (windows: readonly Window[]) =>
    Promise.all(
      windows.map(async (window) => {
        const state = await window.counter.get(window.owner);
        return describe(window, state !== null && state.msBeforeNext > 0 ? state : null, true);
      }),
    );

  async function charge(user: Caller): Promise<Charge | undefined> {
    const windows = windowsOf(user);
    const refusedBy = tightest((await look(windows)).filter(({ remaining }) => remaining === 0));
    if (refusedBy !== undefined) return { ...refusedBy, allowed: false };
    const after = await Promise.all(
      // `penalty` counts like `consume` without rejecting; a call that slipped in between is refused below.
      windows.map(async (window) => {
        const state = await window.counter.penalty(window.owner);
        return describe(window, state, state.consumedPoints <= window.limit);
      }),
    );
    const refused = after.filter(({ allowed }) => !allowed);
    return tightest(refused.length > 0 ? refused : after);
  }

  return Object.assign(charge, { look: async (user: Caller) => tightest(await look(windowsOf(user))) });
}
