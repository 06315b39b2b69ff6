// Computes sessions in a plain loop over all rows. The importer must compute the same sessions, no matter how the rows were
// imported.
export interface ModelRow {
  readonly url: string;
  readonly access_time: number;
  readonly pv_id?: number;
  readonly session_id?: number;
  readonly reader_id?: number;
  readonly original_id?: string;
  readonly pv?: number;
  readonly is_last?: number;
  readonly is_newuser?: number;
  readonly next_url?: string;
  readonly 'fact.first_at'?: number;
}

export interface ModelView {
  readonly url: string;
  readonly session: string;
  readonly reader: string;
  readonly pv: number;
  readonly is_last: boolean;
  readonly prev_url: string | null;
  readonly next_url: string | null;
  readonly is_newuser: boolean;
}

/** A key that identifies the visitor of a row. */
export function readerOf(row: ModelRow): string {
  if (row.reader_id !== undefined) return `given ${row.reader_id}`;
  if (row.original_id !== undefined) return `own ${row.original_id}`;
  if (row.session_id !== undefined) return `of session ${row.session_id}`;
  return `alone ${row.url}`;
}

/**
 * Adds the rows of another file in order of arrival. Exception: a new row is inserted before the first known row that follows it
 * in the file and has the same visitor and second.
 */
export function withArrivals(rows: readonly ModelRow[], file: readonly ModelRow[]): readonly ModelRow[] {
  const arrived = [...rows];
  const isKnown = (row: ModelRow): boolean => rows.some(({ url }) => url === row.url);
  for (const [index, row] of file.entries()) {
    if (isKnown(row)) continue;
    const later = file
      .slice(index + 1)
      .filter(
        (one) => one.access_time === row.access_time && readerOf(one) === readerOf(row) && isKnown(one),
      );
    const next = arrived.findIndex(({ url }) => later.some((one) => one.url === url));
    arrived.splice(next < 0 ? arrived.length : next, 0, row);
  }
  return arrived;
}

/**
 * `rows` must be in order of arrival, which determines the order of views in the same second that have no pv_id. `firstTimes`:
 * when visitors were first seen, according to the files.
 */
export function modelSessions(
  rows: readonly ModelRow[],
  firstTimes: ReadonlyMap<string, number> = new Map(),
): readonly ModelView[] {
  const arrival = new Map(rows.map((row, index) => [row.url, row.pv_id ?? 4e15 + index]));
  const order = (a: ModelRow, b: ModelRow): number =>
    a.access_time - b.access_time || (arrival.get(a.url) ?? 0) - (arrival.get(b.url) ?? 0);
  const sorted = [...rows].sort(order);

  const sessionOf = new Map<string, string>();
  const chains = new Map<string, { at: number; number: number }>();
  for (const row of sorted) {
    if (row.session_id !== undefined) {
      sessionOf.set(row.url, `given ${row.session_id}`);
      continue;
    }
    const reader = readerOf(row);
    const before = chains.get(reader);
    const continues = before !== undefined && row.access_time - before.at <= 1800;
    const number = continues ? before.number : (before?.number ?? 0) + 1;
    chains.set(reader, { at: row.access_time, number });
    sessionOf.set(row.url, `${reader} / ${number}`);
  }

  const firstSession = new Map<string, string>();
  const members = new Map<string, ModelRow[]>();
  for (const row of sorted) {
    const session = sessionOf.get(row.url) ?? '';
    const reader = readerOf(row);
    const isReturning = (firstTimes.get(reader) ?? row.access_time) < row.access_time;
    if (!firstSession.has(reader)) firstSession.set(reader, isReturning ? '' : session);
    members.set(session, [...(members.get(session) ?? []), row]);
  }
  return rows.map((row) => {
    const session = sessionOf.get(row.url) ?? '';
    const all = members.get(session) ?? [];
    const index = all.indexOf(row);
    return {
      url: row.url,
      session,
      reader: readerOf(row),
      pv: row.pv ?? index + 1,
      is_last: row.is_last === undefined ? index === all.length - 1 : row.is_last === 1,
      prev_url: all[index - 1]?.url ?? null,
      next_url: row.next_url ?? all[index + 1]?.url ?? null,
      is_newuser:
        row.is_newuser === undefined ? firstSession.get(readerOf(row)) === session : row.is_newuser === 1,
    };
  });
}
