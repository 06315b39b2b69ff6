// The instants of the actions in a Matomo visit. Matomo's API writes the time of an action in the site's local
// time, as if that were UTC; only the first and the last time of the visit are instants. The difference
// between them and the first and last action is the site's offset.

/** The arguments are the local time of an action, the actions of its visit, and the first and last instant of the visit. */
type VisitClock = (local: unknown, actions: unknown, first: unknown, last: unknown) => unknown;

const QUARTER = 900;
const LARGEST_OFFSET = 15 * 3600;
/** How far clocks are set forward or back. */
const CHANGES = [0, 3600, -3600];

/**
 * Returns UNIX seconds if the visit determines them. Otherwise returns the local time as text without an
 * offset, which needs --timezone: the visit has no instants, they belong to no action in its list, or the
 * site's clocks changed during a long visit.
 */
export function visitClock(): VisitClock {
  let lastList: unknown;
  let instantOf: (local: number) => number | undefined = () => undefined;
  return (local, actions, first, last) => {
    if (actions !== lastList) {
      instantOf = clockOf(localTimes(actions), numberOf(first), numberOf(last));
      lastList = actions;
    }
    const seconds = numberOf(local);
    return Number.isNaN(seconds) ? local : (instantOf(seconds) ?? localText(seconds));
  };
}

function clockOf(
  times: readonly number[],
  first: number,
  last: number,
): (local: number) => number | undefined {
  const [earliest = Number.NaN] = times;
  const latest = times.at(-1) ?? Number.NaN;
  const offset = [earliest - first, latest - last].find(isOffset);
  if (offset === undefined) return () => undefined;
  // The list is in chronological order. Visits continue after their last action if the page reports that it is
  // still open.
  const isOrdered = times.every((time, place) => place === 0 || time >= (times[place - 1] ?? time));
  const isSteady = isOrdered && !(earliest - offset < first) && !(latest - offset > last);
  if (isSteady) return (local) => local - offset;
  return (local) => {
    const within = CHANGES.map((change) => local - offset + change).filter((at) => at >= first && at <= last);
    return within.length === 1 ? within[0] : undefined;
  };
}

const isOffset = (seconds: number): boolean => seconds % QUARTER === 0 && Math.abs(seconds) <= LARGEST_OFFSET;

function localTimes(actions: unknown): readonly number[] {
  const list: readonly unknown[] = Array.isArray(actions) ? actions : [];
  return list.map((action) =>
    typeof action === 'object' && action !== null && 'timestamp' in action
      ? numberOf(action.timestamp)
      : Number.NaN,
  );
}

const WHOLE = /^\d{9,11}$/;

const numberOf = (value: unknown): number => (WHOLE.test(String(value)) ? Number(value) : Number.NaN);

const localText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19);
