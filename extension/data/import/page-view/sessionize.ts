// Sessionizes a batch: which views belong together, in what order, and which must wait for the next batch. Where rows
// outside the batch could matter, nothing is guessed: the reader or session is stale, and the repair decides.
import { sessionOfView } from '../generated-ids';
import type { RowBatch } from '../row-batch';
import type { KnownKeys } from './known-keys';
import { isGenerated } from './prepare-rows';
import { SESSION_GAP_SECONDS, type ViewFields } from './view-fields';

export interface Sessionized {
  /** Rows to write, by (time, pv_id). */
  readonly write: Uint32Array;
  /** Rows of sessions that may go on. */
  readonly hold: Uint32Array;
  readonly staleReaders: ReadonlySet<number>;
  readonly staleSessions: ReadonlySet<number>;
}

interface SessionizeOptions {
  readonly fields: ViewFields;
  readonly readers: KnownKeys;
  readonly sessions: KnownKeys;
  /** Sessions whose last view is at this time or later are held ... */
  readonly openSince: number;
  /** ... as long as they have at most so many rows together. */
  readonly heldRows: number;
}

/** The rows of one reader or session, sorted by (time, pv_id). */
type Group = Uint32Array;

/** Sessionizes these rows of the batch, and fills in their generated fields. */
export function sessionize(batch: RowBatch, rows: Uint32Array, options: SessionizeOptions): Sessionized {
  const { fields, readers, sessions, openSince, heldRows } = options;
  const { width } = batch.shape;
  const value = (row: number, field: number): number => batch.values[row * width + field] ?? 0;
  const byTime = (a: number, b: number): number =>
    value(a, fields.at) - value(b, fields.at) || value(a, fields.pv_id) - value(b, fields.pv_id);
  const ordered = rows.some((row, place) => place > 0 && byTime(rows[place - 1] ?? 0, row) > 0)
    ? rows.slice().sort(byTime)
    : rows;
  const groupsOf = (field: number): readonly Group[] => groupRows(ordered, (row) => value(row, field));
  const firstOf = (group: Group): number => group[0] ?? 0;
  const lastAt = (group: Group): number => value(group[group.length - 1] ?? 0, fields.at);

  const byReader = groupsOf(fields.reader_id);
  for (const group of byReader) chainSessions(batch, group, fields);
  const bySession = groupsOf(fields.session_id);
  for (const group of bySession) {
    placeViews(batch, group, fields);
    takeTraffic(batch, group, fields);
  }
  const open = bySession.filter((group) => lastAt(group) >= openSince);
  const isHeld = new Uint8Array(batch.end);
  for (const group of chooseHeld(open, heldRows, lastAt)) for (const row of group) isHeld[row] = 1;

  const staleReaders = new Set<number>();
  for (const group of byReader) {
    const reader = value(firstOf(group), fields.reader_id);
    const before = readers.lastAt(reader);
    // A view after the gap proves that the visitor is not new and that no earlier session goes on.
    if (before !== undefined && value(firstOf(group), fields.at) <= before + SESSION_GAP_SECONDS)
      staleReaders.add(reader);
    markNewUser(batch, group, fields, before === undefined);
  }
  const staleSessions = new Set<number>();
  for (const group of bySession) {
    const session = value(firstOf(group), fields.session_id);
    if (!isGenerated(session) && sessions.lastAt(session) !== undefined) staleSessions.add(session);
  }
  return {
    write: ordered.filter((row) => isHeld[row] === 0),
    hold: rows.filter((row) => isHeld[row] === 1),
    staleReaders,
    staleSessions,
  };
}

/** The rows of each key, in their order; the groups by their first rows. */
function groupRows(rows: Uint32Array, keyOf: (row: number) => number): readonly Group[] {
  const numbers = new Map<number, number>();
  const numberOf = rows.map((row) => {
    const key = keyOf(row);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  });
  // First how many rows each group has, then where the next of them goes.
  const ends = new Uint32Array(numbers.size + 1);
  for (const number of numberOf) ends[number + 1] = (ends[number + 1] ?? 0) + 1;
  for (let number = 1; number < ends.length; number += 1)
    ends[number] = (ends[number] ?? 0) + (ends[number - 1] ?? 0);
  const starts = ends.slice();
  const grouped = new Uint32Array(rows.length);
  for (const [place, number] of numberOf.entries()) {
    grouped[ends[number] ?? 0] = rows[place] ?? 0;
    ends[number] = (ends[number] ?? 0) + 1;
  }
  return Array.from({ length: numbers.size }, (_, number) =>
    grouped.subarray(starts[number], starts[number + 1]),
  );
}

/** Gives a session to the views of a reader that came without one. */
function chainSessions({ values, shape }: RowBatch, group: Group, fields: ViewFields): void {
  const { width } = shape;
  let session = Number.NaN;
  let lastAt = Number.NEGATIVE_INFINITY;
  for (const row of group) {
    const base = row * width;
    if (!isGenerated(values[base + fields.session_id] ?? 0)) continue;
    const at = values[base + fields.at] ?? 0;
    if (at - lastAt > SESSION_GAP_SECONDS) session = sessionOfView(values[base + fields.pv_id] ?? 0);
    values[base + fields.session_id] = session;
    lastAt = at;
  }
}

/** Whether the file gave this derived field of the row that begins here. */
const isGiven = (values: Float64Array, base: number, field: number, { given }: ViewFields): boolean =>
  !Number.isNaN(values[base + (given.get(field) ?? field)] ?? Number.NaN);

/** Numbers the views of a session and links each to its neighbours, unless the file did. */
function placeViews({ values, shape }: RowBatch, group: Group, fields: ViewFields): void {
  const { width } = shape;
  const derive = (base: number, field: number, derived: number): void => {
    if (!isGiven(values, base, field, fields)) values[base + field] = derived;
  };
  const pageAt = (place: number): number => {
    const row = group[place];
    return row === undefined ? 0 : (values[row * width + fields.page_id] ?? 0);
  };
  /** Seconds until the next view; nobody knows them of the last one. */
  const secondsAfter = (place: number): number => {
    const [row, next] = [group[place], group[place + 1]];
    if (row === undefined || next === undefined) return Number.NaN;
    return (values[next * width + fields.at] ?? 0) - (values[row * width + fields.at] ?? 0);
  };
  for (let place = 0; place < group.length; place += 1) {
    const base = (group[place] ?? 0) * width;
    derive(base, fields.pv, place + 1);
    derive(base, fields.is_last, place === group.length - 1 ? 1 : 0);
    derive(base, fields.prev_page_id, pageAt(place - 1));
    derive(base, fields.next_page_id, pageAt(place + 1));
    if (values[base + fields.is_browse_derived] === 1) values[base + fields.browse_sec] = secondsAfter(place);
  }
}

/** Gives the views whose traffic is that of their visit what the first of them came by. */
function takeTraffic({ values, shape }: RowBatch, group: Group, fields: ViewFields): void {
  const open = group.filter((row) => values[row * shape.width + fields.is_visit_traffic] !== 1);
  const first = (open[0] ?? 0) * shape.width;
  for (const row of open)
    for (const { visit, view } of fields.traffic)
      values[row * shape.width + visit] = values[first + view] ?? Number.NaN;
}

/** A visitor is new throughout the session of their first view. */
function markNewUser({ values, shape }: RowBatch, group: Group, fields: ViewFields, isUnseen: boolean): void {
  const { width } = shape;
  const firstSession = values[(group[0] ?? 0) * width + fields.session_id];
  for (const row of group) {
    const base = row * width;
    if (isGiven(values, base, fields.is_newuser, fields)) continue;
    values[base + fields.is_newuser] = isUnseen && values[base + fields.session_id] === firstSession ? 1 : 0;
  }
}

/** The sessions to hold: the youngest first, while there is room. */
function chooseHeld(
  open: readonly Group[],
  heldRows: number,
  lastAt: (group: Group) => number,
): readonly Group[] {
  let room = heldRows;
  return [...open]
    .sort((a, b) => lastAt(b) - lastAt(a))
    .filter((group) => {
      if (group.length > room) return false;
      room -= group.length;
      return true;
    });
}
