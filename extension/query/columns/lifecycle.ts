// The states of the columnar copy, and the effects of each event. Pure: `columns.ts` reports events, and performs effects in order.
// Instants and durations are in milliseconds, on a monotonic clock.
import type { ColumnsUnavailable } from './column-file-error';
import type { ColumnsStatus } from './columns-status';

interface Past {
  readonly failures: number;
  /** How long the last full copy took. */
  readonly fill: { readonly ms: number; readonly doneAt: number };
  readonly lastFault: ColumnsStatus['lastFault'];
}

type Progress = Pick<ColumnsStatus, 'rows' | 'isCounted' | 'underWay'>;

export type Fault = Pick<ColumnsUnavailable, 'message' | 'obstacle'>;

/** `Copy` is the handle of an open copy. */
export type Lifecycle<Copy> = Past &
  (
    | { readonly kind: 'opening' | 'stopped' }
    /** `fillBegan` is undefined once the copy has been refreshed. */
    | ({ readonly kind: 'ready'; readonly copy: Copy; readonly fillBegan: number | undefined } & Progress)
    | {
        readonly kind: 'resting';
        /** The next round closes it, because the current one may still be using it. */
        readonly copy: Copy | undefined;
        readonly until: number;
        readonly fault: Fault;
        readonly isLost: boolean;
      }
  );

/** `time` is the wall-clock time, for display. */
type FaultAt = { readonly at: number; readonly time: string; readonly fault: Fault };

export type LifecycleEvent<Copy> =
  /** `isRequested`: a caller requested the round, so it does not wait for a rest to end. */
  | {
      readonly kind: 'round';
      readonly at: number;
      readonly isRequested: boolean;
      readonly isRebuildRequested: boolean;
    }
  | { readonly kind: 'opened'; readonly copy: Copy; readonly began: number }
  | { readonly kind: 'refreshed'; readonly at: number }
  | { readonly kind: 'progress'; readonly progress: Partial<Progress> }
  | { readonly kind: 'succeeded' | 'stop' }
  /** `fileError`: whether DuckDB rejected the copy's file, and whether that may be temporary. */
  | ({
      readonly kind: 'failed';
      readonly ms: number;
      readonly fileError: 'none' | 'temporary' | 'fatal';
    } & FaultAt)
  /** The open copy is damaged, or has wrong rows in tables that all sites share. */
  | ({ readonly kind: 'lost' } & FaultAt);

type EventOf<Kind> = Extract<LifecycleEvent<never>, { readonly kind: Kind }>;

export type Effect<Copy> =
  | { readonly do: 'close'; readonly copy: Copy }
  | { readonly do: 'open' | 'refresh' | 'remove copy' | 'remove folder' | 'warn' | 'mark wrong' };

interface Step<Copy> {
  readonly state: Lifecycle<Copy>;
  readonly effects: readonly Effect<Copy>[];
}

const FIRST_REST_MS = 2_000;
/** The longest rest after failures that wasted little work, for example because another process has the file open. */
const MAX_CHEAP_REST_MS = 60_000;
/** Failed attempts take up at most a tenth of the time, unless a rest reaches MAX_REST_MS. */
const REST_BY_WORK = 9;
const MAX_REST_MS = 3_600_000;

const NO_PROGRESS = { rows: 0, isCounted: false, underWay: undefined };

export const OPENING: Lifecycle<never> = {
  kind: 'opening',
  failures: 0,
  fill: { ms: 0, doneAt: 0 },
  lastFault: undefined,
};

export function step<Copy>(state: Lifecycle<Copy>, event: LifecycleEvent<Copy>): Step<Copy> {
  const past = { failures: state.failures, fill: state.fill, lastFault: state.lastFault };
  switch (event.kind) {
    case 'round':
      return round(state, event);
    case 'opened': {
      const { copy, began: fillBegan } = event;
      if (state.kind === 'stopped') return { state, effects: [{ do: 'close', copy }] };
      return { state: { ...past, kind: 'ready', copy, fillBegan, ...NO_PROGRESS }, effects: [] };
    }
    case 'refreshed': {
      if (state.kind !== 'ready' || state.fillBegan === undefined) return { state, effects: [] };
      const fill = { ms: event.at - state.fillBegan, doneAt: event.at };
      return { state: { ...state, fill, fillBegan: undefined }, effects: [] };
    }
    case 'progress':
      return { state: state.kind === 'ready' ? { ...state, ...event.progress } : state, effects: [] };
    case 'succeeded':
      return { state: { ...state, failures: 0 }, effects: [] };
    case 'failed':
      return failed(state, event);
    case 'lost':
      return lost(state, event);
    case 'stop':
      return { state: { ...past, kind: 'stopped' }, effects: closing(state) };
  }
}

function round<Copy>(
  state: Lifecycle<Copy>,
  { at, isRequested, isRebuildRequested }: EventOf<'round'>,
): Step<Copy> {
  if (state.kind === 'stopped') return { state, effects: [] };
  const { failures, fill, lastFault } = state;
  const open = [{ do: 'open' }, { do: 'refresh' }] as const;
  if (isRebuildRequested) {
    const opening = { failures, fill, lastFault, kind: 'opening' } as const;
    // Another process may have the file open, so the reason for resting may still apply.
    const next = state.kind === 'resting' ? { ...state, copy: undefined, isLost: false } : opening;
    return { state: next, effects: [...closing(state), { do: 'remove folder' }, ...open] };
  }
  if (state.kind !== 'resting')
    return { state, effects: state.kind === 'ready' ? [{ do: 'refresh' }] : open };
  const closed = { ...state, copy: undefined };
  if (!isRequested && at < state.until) return { state: closed, effects: closing(state) };
  const remove = state.isLost ? [{ do: 'remove copy' } as const] : [];
  return { state: closed, effects: [...closing(state), ...remove, ...open] };
}

function failed<Copy>(state: Lifecycle<Copy>, event: EventOf<'failed'>): Step<Copy> {
  if (state.kind === 'stopped') return { state, effects: [] };
  const failures = state.failures + 1;
  // If DuckDB fails twice, the file is assumed to be damaged.
  const loses = event.fileError === 'fatal' || (event.fileError === 'temporary' && failures > 1);
  const cheap = Math.min(FIRST_REST_MS * 2 ** state.failures, MAX_CHEAP_REST_MS);
  const rested = rest(state, event, loses, Math.max(cheap, event.ms * REST_BY_WORK));
  const warning = failures === 1 ? [{ do: 'warn' } as const] : [];
  return {
    state: { ...rested.state, failures, copy: undefined },
    effects: [...closing(state), ...warning, ...rested.effects],
  };
}

function lost<Copy>(state: Lifecycle<Copy>, event: EventOf<'lost'>): Step<Copy> {
  if (state.kind === 'ready' || state.kind === 'resting') return rest(state, event, true, 0);
  return { state, effects: [{ do: 'mark wrong' }] };
}

function rest<Copy>(state: Lifecycle<Copy>, { at, time, fault }: FaultAt, loses: boolean, minMs: number) {
  const { failures, fill } = state;
  const { isLost: wasLost, until: rested } =
    state.kind === 'resting' ? state : { isLost: false, until: Number.NEGATIVE_INFINITY };
  const isNewlyLost = loses && !wasLost;
  // A copy that was in use for a long time is rebuilt immediately.
  const ms = isNewlyLost ? Math.max(minMs, fill.ms * REST_BY_WORK - (at - fill.doneAt)) : minMs;
  const until = Math.max(rested, at + Math.min(ms, MAX_REST_MS));
  const copy = 'copy' in state ? state.copy : undefined;
  const lastFault = { at: time, reason: fault.message };
  const resting = { kind: 'resting', copy, until, fault, isLost: wasLost || loses } as const;
  const effects: readonly Effect<Copy>[] = isNewlyLost ? [{ do: 'mark wrong' }] : [];
  return { state: { failures, fill, lastFault, ...resting }, effects };
}

const closing = <Copy>(state: Lifecycle<Copy>): readonly Effect<Copy>[] =>
  'copy' in state && state.copy !== undefined ? [{ do: 'close', copy: state.copy }] : [];

export function reportOf(
  state: Lifecycle<unknown>,
): Pick<ColumnsStatus, 'state' | 'reason' | 'obstacle' | 'lastFault' | keyof Progress> {
  const { lastFault } = state;
  if (state.kind === 'ready') {
    const { rows, isCounted, underWay } = state;
    return { state: 'ready', rows, isCounted, underWay, lastFault };
  }
  if (state.kind !== 'resting') return { ...NO_PROGRESS, state: state.kind, lastFault };
  const { message: reason, obstacle } = state.fault;
  return { ...NO_PROGRESS, state: 'unavailable', reason, obstacle, lastFault };
}
