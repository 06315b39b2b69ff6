// Fixed windows: two per user, two for reads by AI clients, two more for a key with a share, two for a user's requests from the
// pages, and two for each address that uses a link. A rejected call is not counted.
import { LRUCache } from 'lru-cache';
import type { CallerAhead, Clock, HostUser, RateLimit } from '../extension-api';
import {
  type Condition,
  type CountedWindow,
  type CountTools,
  createWindowCounts,
  type WindowState,
} from './window-counts';

/** 0 = no limit. All of a user's keys share these limits; the pages have their own. */
export interface RateLimits {
  readonly perHour: number;
  readonly perMinute: number;
  /** The limit for routes with the rate limit `reading`. */
  readonly readingPerHour: number;
  readonly readingPerMinute: number;
  /** Per user for requests from the pages, and per address for requests through a link. */
  readonly pagesPerHour: number;
  readonly pagesPerMinute: number;
}

export interface Charge {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly secondsToReset: number;
  readonly resetAt: number;
}

type Caller = Pick<HostUser, 'id' | 'key'>;

export interface Entry {
  /** Undefined if nothing is limited. */
  readonly charge: Charge | undefined;
  /** Undefined if the call was rejected without running a statement. */
  readonly ahead?: unknown;
}

/** Charges one call, and reads `ahead` in the same statement. */
export interface UserBudget {
  (user: Caller, limit: RateLimit, ahead?: CallerAhead): Promise<Entry>;
  /**
   * Like a plain call, but only if `condition` holds, which the same statement checks. If it does not hold, or if the caller is
   * known to be over a limit, charges nothing and returns undefined.
   */
  only(condition: Condition, user: Caller, limit: RateLimit, ahead?: CallerAhead): Promise<Entry | undefined>;
  /** The state of the tightest window. Charges nothing. */
  look(user: Caller, limit: RateLimit): Promise<Charge | undefined>;
}

/** The window with the fewest calls left; if several tie, the one that resets last. */
const tightest = (charges: readonly Charge[]): Charge | undefined =>
  [...charges].sort(
    (one, other) => one.remaining - other.remaining || other.secondsToReset - one.secondsToReset,
  )[0];

/** At least one call. 0 still means no limit. */
const shareOf = (limit: number, percent: number) =>
  limit === 0 ? 0 : Math.max(1, Math.floor((limit * percent) / 100));

const windowsOf =
  ({ pagesPerHour, pagesPerMinute, ...limits }: RateLimits) =>
  ({ id, key }: Caller, limit: RateLimit): readonly CountedWindow[] => {
    const both = (name: string, minuteLimit: number, hourLimit: number): readonly CountedWindow[] =>
      [
        { name, max: minuteLimit, seconds: 60 },
        { name, max: hourLimit, seconds: 3600 },
      ].filter(({ max }) => max > 0);
    if (key === null) return both(`pages ${id}`, pagesPerMinute, pagesPerHour);
    if (key.opens !== undefined)
      return both(`link ${key.uuid} ${key.visitor ?? ''}`, pagesPerMinute, pagesPerHour);
    const share = key.rateShare;
    const [prefix, perMinute, perHour] =
      limit === 'reading'
        ? ['reading ', limits.readingPerMinute, limits.readingPerHour]
        : ['', limits.perMinute, limits.perHour];
    return [
      ...both(`${prefix}user ${id}`, perMinute, perHour),
      ...(share === null
        ? []
        : both(`${prefix}key ${key.uuid}`, shareOf(perMinute, share), shareOf(perHour, share))),
    ];
  };

function describe(
  { max, seconds }: CountedWindow,
  state: WindowState,
  allowed: boolean,
  clock: Clock,
): Charge {
  return {
    allowed,
    limit: max,
    remaining: Math.max(0, max - state.count),
    windowSeconds: seconds,
    secondsToReset: Math.max(1, Math.ceil(state.milliseconds / 1000)),
    resetAt: Math.ceil((clock().getTime() + state.milliseconds) / 1000),
  };
}

const MAX_FULL_WINDOWS = 10_000;

/** An allowed call takes one statement. After a rejection, calls are rejected without a statement until the window ends. */
export function createUserBudget(limits: RateLimits, tools: CountTools): UserBudget {
  const { clock } = tools;
  const counts = createWindowCounts(tools);
  const windowsOfUser = windowsOf(limits);
  // With `max`, the cache would reserve memory for all windows in advance.
  const full = new LRUCache<string, number>({ maxSize: MAX_FULL_WINDOWS, sizeCalculation: () => 1 });
  const keyOf = ({ name, seconds }: CountedWindow) => `${seconds} ${name}`;

  function refusedBefore(windows: readonly CountedWindow[]): Charge | undefined {
    const now = clock().getTime();
    const refused = windows.flatMap((window) => {
      const milliseconds = (full.get(keyOf(window)) ?? 0) - now;
      const holds = milliseconds > 0 && milliseconds <= window.seconds * 1000;
      return holds ? [describe(window, { count: window.max, milliseconds }, false, clock)] : [];
    });
    return tightest(refused);
  }

  async function enter(user: Caller, limit: RateLimit, ahead?: CallerAhead): Promise<Entry> {
    const windows = windowsOfUser(user, limit);
    const known = refusedBefore(windows);
    if (known !== undefined || (windows.length === 0 && ahead === undefined)) return { charge: known };
    const added = await counts.add(windows, { ahead });
    return { charge: chargeOf(windows, added), ahead: added.ahead };
  }

  async function only(
    condition: Condition,
    user: Caller,
    limit: RateLimit,
    ahead?: CallerAhead,
  ): Promise<Entry | undefined> {
    const windows = windowsOfUser(user, limit);
    if (refusedBefore(windows) !== undefined) return undefined;
    const added = await counts.add(windows, { only: condition, ahead });
    return added.holds ? { charge: chargeOf(windows, added), ahead: added.ahead } : undefined;
  }

  function chargeOf(
    windows: readonly CountedWindow[],
    { added, states }: { readonly added: boolean; readonly states: readonly WindowState[] },
  ): Charge | undefined {
    const after = windows.map((window, index) => {
      const { count, milliseconds } = states[index] ?? { count: 0, milliseconds: 0 };
      if (count >= window.max) full.set(keyOf(window), clock().getTime() + milliseconds);
      // Of several concurrent calls, refuses those that exceed the limit.
      const allowed = added ? count <= window.max : count < window.max;
      return describe(window, { count, milliseconds }, allowed, clock);
    });
    const refused = after.filter(({ allowed }) => !allowed);
    return tightest(refused.length > 0 ? refused : after);
  }

  async function look(user: Caller, limit: RateLimit): Promise<Charge | undefined> {
    const windows = windowsOfUser(user, limit);
    if (windows.length === 0) return undefined;
    const states = await counts.read(windows);
    return tightest(
      states.flatMap((state, index) => {
        const window = windows[index];
        return window === undefined ? [] : [describe(window, state, true, clock)];
      }),
    );
  }

  return Object.assign(enter, { only, look });
}
