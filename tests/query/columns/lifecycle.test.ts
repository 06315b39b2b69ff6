// The next state and the effects of every event in every state of the copy.
import {
  type Effect,
  type Lifecycle,
  type LifecycleEvent,
  OPENING,
  reportOf,
  step,
} from '../../../extension/query/columns/lifecycle';

type State = Lifecycle<string>;
type Event = LifecycleEvent<string>;
type Kind = State['kind'] | 'lost';

const MINUTE = 60_000;
const FAULT = { message: 'It broke.', obstacle: undefined };
const past = { failures: 0, fill: { ms: 0, doneAt: 0 }, lastFault: undefined };
const progress = { rows: 5, isCounted: true, underWay: undefined };
const STATES: Record<Kind, State> = {
  opening: OPENING,
  ready: { ...past, ...progress, kind: 'ready', copy: 'A', fillBegan: undefined },
  resting: { ...past, kind: 'resting', copy: undefined, until: 10_000, fault: FAULT, isLost: false },
  lost: { ...past, kind: 'resting', copy: 'A', until: 10_000, fault: FAULT, isLost: true },
  stopped: { ...past, kind: 'stopped' },
};

const at = 5_000;
const now = { at, time: '2026-05-01T10:00:00.000Z', fault: FAULT };
const round = { kind: 'round', at, isRequested: false, isRebuildRequested: false } as const;
const failed = { ...now, kind: 'failed', ms: 0, fileError: 'none' } as const;
const EVENTS = {
  round,
  'round later': { ...round, at: 10_000 },
  'round by a caller': { ...round, isRequested: true },
  'round with a rebuild': { ...round, isRebuildRequested: true },
  opened: { kind: 'opened', copy: 'B', began: at },
  refreshed: { kind: 'refreshed', at },
  progress: { kind: 'progress', progress: { rows: 7 } },
  succeeded: { kind: 'succeeded' },
  failed,
  'refused by DuckDB': { ...failed, fileError: 'temporary' },
  'failed fatally': { ...failed, fileError: 'fatal' },
  lost: { ...now, kind: 'lost' },
  stop: { kind: 'stop' },
} as const satisfies Record<string, Event>;

const kindOf = (state: State): Kind => (state.kind === 'resting' && state.isLost ? 'lost' : state.kind);
const inWords = (effects: readonly Effect<string>[]) =>
  effects.map((effect) => (effect.do === 'close' ? `close ${effect.copy}` : effect.do)).join(', ');

/** The next state and the effects for each event and state. */
const TABLE: Record<keyof typeof EVENTS, Record<Kind, string>> = {
  round: {
    opening: 'opening: open, refresh',
    ready: 'ready: refresh',
    resting: 'resting: ',
    lost: 'lost: close A',
    stopped: 'stopped: ',
  },
  'round later': {
    opening: 'opening: open, refresh',
    ready: 'ready: refresh',
    resting: 'resting: open, refresh',
    lost: 'lost: close A, remove copy, open, refresh',
    stopped: 'stopped: ',
  },
  'round by a caller': {
    opening: 'opening: open, refresh',
    ready: 'ready: refresh',
    resting: 'resting: open, refresh',
    lost: 'lost: close A, remove copy, open, refresh',
    stopped: 'stopped: ',
  },
  'round with a rebuild': {
    opening: 'opening: remove folder, open, refresh',
    ready: 'opening: close A, remove folder, open, refresh',
    resting: 'resting: remove folder, open, refresh',
    lost: 'resting: close A, remove folder, open, refresh',
    stopped: 'stopped: ',
  },
  opened: {
    opening: 'ready: ',
    ready: 'ready: ',
    resting: 'ready: ',
    lost: 'ready: ',
    stopped: 'stopped: close B',
  },
  refreshed: same(),
  progress: same(),
  succeeded: same(),
  failed: {
    opening: 'resting: warn',
    ready: 'resting: close A, warn',
    resting: 'resting: warn',
    lost: 'lost: close A, warn',
    stopped: 'stopped: ',
  },
  'refused by DuckDB': {
    opening: 'resting: warn',
    ready: 'resting: close A, warn',
    resting: 'resting: warn',
    lost: 'lost: close A, warn',
    stopped: 'stopped: ',
  },
  'failed fatally': {
    opening: 'lost: warn, mark wrong',
    ready: 'lost: close A, warn, mark wrong',
    resting: 'lost: warn, mark wrong',
    lost: 'lost: close A, warn',
    stopped: 'stopped: ',
  },
  lost: {
    opening: 'opening: mark wrong',
    ready: 'lost: mark wrong',
    resting: 'lost: mark wrong',
    lost: 'lost: ',
    stopped: 'stopped: mark wrong',
  },
  stop: {
    opening: 'stopped: ',
    ready: 'stopped: close A',
    resting: 'stopped: ',
    lost: 'stopped: close A',
    stopped: 'stopped: ',
  },
};

function same(): Record<Kind, string> {
  const kinds: readonly Kind[] = ['opening', 'ready', 'resting', 'lost', 'stopped'];
  const rows = Object.fromEntries(kinds.map((kind) => [kind, `${kind}: `]));
  return rows as Record<Kind, string>;
}

test.each(Object.keys(EVENTS) as (keyof typeof EVENTS)[])('the event: %s', (event) => {
  const steps = Object.entries(STATES).map(([from, state]) => {
    const { state: next, effects } = step<string>(state, EVENTS[event]);
    return [from, `${kindOf(next)}: ${inWords(effects)}`];
  });
  expect(Object.fromEntries(steps)).toEqual(TABLE[event]);
});

const stateAfter = (state: State, ...events: readonly Event[]): State =>
  events.reduce((last, event) => step<string>(last, event).state, state);

test('a copy is closed exactly once', () => {
  const closed = stateAfter(STATES.lost, round);
  for (const event of Object.values(EVENTS))
    expect(inWords(step<string>(closed, event).effects)).not.toContain('close');
});

test('the reason why a copy cannot be opened is kept when rebuilds are requested repeatedly', () => {
  const rebuild = EVENTS['round with a rebuild'];
  for (const state of [STATES.resting, STATES.lost])
    expect(reportOf(stateAfter(state, rebuild))).toMatchObject({ reason: 'It broke.' });
});

test('the copy is lost at the second DuckDB error in a row; a success resets the count', () => {
  const refused = EVENTS['refused by DuckDB'];
  expect(kindOf(stateAfter(STATES.ready, refused, refused))).toBe('lost');
  const { succeeded, opened } = EVENTS;
  expect(kindOf(stateAfter(STATES.ready, refused, opened, succeeded, refused))).toBe('resting');
});

test('only a copy that is ready reports rows, and every state is reported', () => {
  expect(stateAfter(STATES.ready, EVENTS.progress)).toMatchObject({ rows: 7, isCounted: true });
  const reports = Object.values(STATES).map((state) => ({ ...reportOf(state) }));
  expect(reports).toMatchObject([
    { state: 'opening', rows: 0 },
    { state: 'ready', rows: 5, isCounted: true },
    { state: 'unavailable', reason: 'It broke.', rows: 0, isCounted: false },
    { state: 'unavailable', reason: 'It broke.', rows: 0 },
    { state: 'stopped', rows: 0 },
  ]);
  expect(reportOf(stateAfter(STATES.ready, EVENTS.lost, EVENTS.opened))).toMatchObject({
    state: 'ready',
    lastFault: { at: now.time, reason: FAULT.message },
  });
});

/** How long the copy rests after the given time, in milliseconds. */
const restOf = (state: State, from: number): number => {
  if (state.kind !== 'resting') throw new Error(`The state is ${state.kind}.`);
  return Math.max(0, state.until - from);
};

describe('a copy that fails repeatedly is retried less often each time', () => {
  test('failures that waste no work are retried soon, and at least once a minute', () => {
    let state: State = OPENING;
    let time = at;
    const rests = Array.from({ length: 8 }, () => {
      state = stateAfter(state, { ...failed, at: time });
      const rest = restOf(state, time);
      time += rest;
      return rest / 1_000;
    });
    expect(rests).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
    const again = stateAfter(state, EVENTS.opened, EVENTS.succeeded, { ...failed, at: time });
    expect(restOf(again, time)).toBe(2_000);
  });

  test('attempts that fail late take up at most a tenth of the time, and are repeated at least once an hour', () => {
    expect(restOf(stateAfter(OPENING, { ...failed, ms: 2 * MINUTE }), at)).toBe(18 * MINUTE);
    expect(restOf(stateAfter(OPENING, { ...failed, ms: 30 * MINUTE }), at)).toBe(60 * MINUTE);
  });

  test('a copy that is lost soon after it was filled is rebuilt later, and one that was in use for a long time is rebuilt immediately', () => {
    const filled = stateAfter(
      OPENING,
      { kind: 'opened', copy: 'A', began: at },
      { kind: 'refreshed', at: at + 2 * MINUTE },
      // Later rounds are not full copies.
      { kind: 'refreshed', at: at + 4 * MINUTE },
    );
    const lostAt = (time: number) => restOf(stateAfter(filled, { ...EVENTS.lost, at: time }), time);
    expect(lostAt(at + 5 * MINUTE)).toBe(15 * MINUTE);
    expect(lostAt(at + 22 * MINUTE)).toBe(0);
  });
});
