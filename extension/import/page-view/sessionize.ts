// Owns the sessions of a batch: who belongs together, in what order, and which rows must wait for the next batch.
// Rows of a batch in -> made fields filled in, rows to write, rows to hold, keys whose stored rows need a repair.
// It never guesses: where rows outside the batch could matter, the key is named stale and the repair decides.

import type { MadeCounters } from '../generated-ids';
import type { RowBatch } from '../row-batch';
import type { KnownKeys } from './known-keys';
import { MADE, SESSION_GAP_SECONDS, type ViewFields } from './view-fields';

export interface Sessionized {
  /** Rows to write, by (time, pv_id). */
  readonly write: Uint32Array;
  /** Rows of sessions that may go on. */
  readonly hold: Uint32Array;
  readonly staleReaders: ReadonlySet<number>;
  readonly staleSessions: ReadonlySet<number>;
}

export interface SessionizeParts {
  readonly fields: ViewFields;
  readonly counters: MadeCounters;
  readonly readers: KnownKeys;
  readonly sessions: KnownKeys;
}

/** A run of rows in a sorted list. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Sessionizes the rows. Sessions whose last view is at `openSince` or later are held, at most `heldRows` rows of them. */
export function sessionize(
  batch: RowBatch,
  rows: Uint32Array,
  parts: SessionizeParts,
  openSince: number,
  heldRows: number,
): Sessionized {
  const { fields } = parts;
  const { values, width } = batch;
  const value = (row: number, field: number): number => values[row * width + field] ?? 0;
  const byPlace = (a: number, b: number): number =>
    value(a, fields.at) - value(b, fields.at) || value(a, fields.pv_id) - value(b, fields.pv_id);
  const sortedBy = (field: number): Uint32Array =>
    rows.slice().sort((a, b) => value(a, field) - value(b, field) || byPlace(a, b));

  const byReader = sortedBy(fields.reader_id);
  const readerSpans = spansOf(byReader, fields.reader_id, value);
  for (const span of readerSpans) chainSessions(batch, byReader, span, parts);

  const bySession = sortedBy(fields.session_id);
  const sessionSpans = spansOf(bySession, fields.session_id, value);
  const open: Span[] = [];
  for (const span of sessionSpans) {
    placeViews(batch, bySession, span, fields);
    if (value(bySession[span.to - 1] ?? 0, fields.at) >= openSince) open.push(span);
  }
  const held = chooseHeld(open, heldRows, (span) => value(bySession[span.to - 1] ?? 0, fields.at));
  const heldRowSet = new Set<number>();
  for (const span of held) for (let i = span.from; i < span.to; i += 1) heldRowSet.add(bySession[i] ?? 0);

  const staleReaders = new Set<number>();
  for (const span of readerSpans) {
    const reader = value(byReader[span.from] ?? 0, fields.reader_id);
    const last = parts.readers.lastAt(reader);
    const first = value(byReader[span.from] ?? 0, fields.at);
    // A later first view proves that the visitor is no new one and that no session of before goes on.
    if (last !== undefined && first <= last + SESSION_GAP_SECONDS) staleReaders.add(reader);
    markNewcomer(batch, byReader, span, fields, last === undefined);
  }
  const staleSessions = new Set<number>();
  for (const span of sessionSpans) {
    const row = bySession[span.from] ?? 0;
    const session = value(row, fields.session_id);
    if (isMade(value(row, fields.made), MADE.session_id)) continue;
    if (parts.sessions.lastAt(session) !== undefined) staleSessions.add(session);
  }
  return {
    write: rows.filter((row) => !heldRowSet.has(row)).sort(byPlace),
    hold: rows.filter((row) => heldRowSet.has(row)),
    staleReaders,
    staleSessions,
  };
}

function isMade(made: number, bit: number): boolean {
  return (made & bit) !== 0;
}

function spansOf(
  sorted: Uint32Array,
  field: number,
  value: (row: number, field: number) => number,
): readonly Span[] {
  const spans: Span[] = [];
  let from = 0;
  let key = value(sorted[0] ?? 0, field);
  for (let to = 1; to <= sorted.length; to += 1) {
    const next = to < sorted.length ? value(sorted[to] ?? 0, field) : Number.NaN;
    if (next === key) continue;
    spans.push({ from, to });
    from = to;
    key = next;
  }
  return spans;
}

/** Gives the views of a visitor that came without a session theirs. A session that is known already keeps its id. */
function chainSessions(batch: RowBatch, sorted: Uint32Array, span: Span, parts: SessionizeParts): void {
  const { fields } = parts;
  const { values, width } = batch;
  let chain: number[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  const close = (): void => {
    if (chain.length === 0) return;
    let session = Number.POSITIVE_INFINITY;
    for (const row of chain) {
      const known = values[row * width + fields.session_id] ?? Number.NaN;
      if (known < session) session = known;
    }
    if (session === Number.POSITIVE_INFINITY) session = parts.counters.session();
    for (const row of chain) values[row * width + fields.session_id] = session;
    chain = [];
  };
  for (let i = span.from; i < span.to; i += 1) {
    const row = sorted[i] ?? 0;
    const base = row * width;
    if (!isMade(values[base + fields.made] ?? 0, MADE.session_id)) continue;
    const at = values[base + fields.at] ?? 0;
    if (at - lastAt > SESSION_GAP_SECONDS) close();
    chain.push(row);
    lastAt = at;
  }
  close();
}

/** Numbers the views of a session and links each to its neighbours, where the file did not. */
function placeViews(batch: RowBatch, sorted: Uint32Array, span: Span, fields: ViewFields): void {
  const { values, width } = batch;
  const last = span.to - 1;
  for (let i = span.from; i <= last; i += 1) {
    const base = (sorted[i] ?? 0) * width;
    const made = values[base + fields.made] ?? 0;
    if (isMade(made, MADE.pv)) values[base + fields.pv] = i - span.from + 1;
    if (isMade(made, MADE.is_last)) values[base + fields.is_last] = i === last ? 1 : 0;
    if (isMade(made, MADE.prev_page_id)) {
      values[base + fields.prev_page_id] =
        i === span.from ? 0 : (values[(sorted[i - 1] ?? 0) * width + fields.page_id] ?? 0);
    }
    if (isMade(made, MADE.next_page_id)) {
      values[base + fields.next_page_id] =
        i === last ? 0 : (values[(sorted[i + 1] ?? 0) * width + fields.page_id] ?? 0);
    }
  }
}

/** A visitor is new throughout the session that holds the first of all his views. */
function markNewcomer(
  batch: RowBatch,
  sorted: Uint32Array,
  span: Span,
  fields: ViewFields,
  unseen: boolean,
): void {
  const { values, width } = batch;
  const firstSession = values[(sorted[span.from] ?? 0) * width + fields.session_id];
  for (let i = span.from; i < span.to; i += 1) {
    const base = (sorted[i] ?? 0) * width;
    if (!isMade(values[base + fields.made] ?? 0, MADE.is_newuser)) continue;
    values[base + fields.is_newuser] = unseen && values[base + fields.session_id] === firstSession ? 1 : 0;
  }
}

/** The sessions to hold: the youngest first, while there is room. */
function chooseHeld(
  open: readonly Span[],
  heldRows: number,
  lastAt: (span: Span) => number,
): readonly Span[] {
  const total = open.reduce((sum, span) => sum + span.to - span.from, 0);
  if (total <= heldRows) return open;
  let room = heldRows;
  const chosen: Span[] = [];
  for (const span of [...open].sort((a, b) => lastAt(b) - lastAt(a))) {
    const size = span.to - span.from;
    if (size > room) continue;
    room -= size;
    chosen.push(span);
  }
  return chosen;
}
