// Owns what a fresh row of a page view still lacks when the check is done: bits of `made`, the reader, the fingerprint.
// Rows with settled dimension ids in -> rows ready to be compared with what is stored.

import type { ClientBase } from 'pg';
import type { Fingerprinter } from '../fingerprint';
import { FIRST_MADE_ID, type MadeCounters, SESSION_READER_BASE } from '../generated-ids';
import type { RowBatch } from '../row-batch';
import { printOf, storedIds, storedPrints } from '../stored-keys';
import { ALONE, MADE, type ViewFields } from './view-fields';

const MADE_BITS = [
  ['pv_id', MADE.pv_id],
  ['session_id', MADE.session_id],
  ['pv', MADE.pv],
  ['is_last', MADE.is_last],
  ['prev_page_id', MADE.prev_page_id],
  ['next_page_id', MADE.next_page_id],
  ['is_newuser', MADE.is_newuser],
] as const;

/** Prepares the rows that are new in the batch; rows held from before are ready already. */
export function prepareRows(
  batch: RowBatch,
  fields: ViewFields,
  siteId: number,
  fingerprint: Fingerprinter,
): void {
  const { values, width } = batch;
  for (let row = batch.first; row < batch.end; row += 1) {
    const base = row * width;
    if (Number.isNaN(values[base + fields.pv_id] ?? 0)) {
      fingerprint(batch, row);
      values[base + fields.fingerprint] = 1;
    }
    let made = 0;
    for (const [name, bit] of MADE_BITS) if (Number.isNaN(values[base + fields[name]] ?? 0)) made |= bit;
    const reader = values[base + fields.reader_id] ?? 0;
    if (Number.isNaN(reader)) {
      made |= MADE.reader_id;
      const session = values[base + fields.session_id] ?? 0;
      if (Number.isNaN(session)) made |= ALONE;
      else values[base + fields.reader_id] = SESSION_READER_BASE + session;
    } else if (reader >= FIRST_MADE_ID) made |= MADE.reader_id;
    values[base + fields.made] = made;
    values[base + fields.site_id] = siteId;
  }
}

/** Counts up the ids of the rows that turned out to be new, in the order of the file. */
export function giveIds(
  batch: RowBatch,
  rows: Uint32Array,
  fields: ViewFields,
  counters: MadeCounters,
): void {
  const { values, width } = batch;
  for (const row of rows) {
    const base = row * width;
    if (Number.isNaN(values[base + fields.pv_id] ?? 0)) values[base + fields.pv_id] = counters.view();
    if (Number.isNaN(values[base + fields.reader_id] ?? 0))
      values[base + fields.reader_id] = counters.reader();
  }
}

/**
 * Takes the made sessions of a batch back, for rows that turn out to be stored already may have joined two of them.
 * Rows held from before too: their sessions are held as a whole, so nothing that is stored has their ids.
 */
export function forgetSessions(batch: RowBatch, fields: ViewFields): void {
  const { values, width } = batch;
  for (let row = batch.start; row < batch.end; row += 1) {
    const made = values[row * width + fields.made] ?? 0;
    if ((made & MADE.session_id) !== 0) values[row * width + fields.session_id] = Number.NaN;
  }
}

/** Keeps the rows that are new. `ask`: whether the database may hold some of them. */
export async function newRows(
  client: ClientBase,
  batch: RowBatch,
  fields: ViewFields,
  siteId: number,
  ask: boolean,
): Promise<Uint32Array> {
  const { values, width } = batch;
  const rows = new Uint32Array(batch.end - batch.start).map((_, place) => batch.start + place);
  const isGiven = (row: number): boolean => ((values[row * width + fields.made] ?? 0) & MADE.pv_id) === 0;
  const pvId = (row: number): number => values[row * width + fields.pv_id] ?? 0;
  const seen = new Set<number>();
  const once = rows.filter((row) => {
    if (!isGiven(row)) return true;
    const before = seen.size;
    seen.add(pvId(row));
    return seen.size > before;
  });
  if (!ask) return once;

  const ids: number[] = [];
  const prints: string[] = [];
  for (const row of once) {
    if (isGiven(row)) ids.push(pvId(row));
    else prints.push(printOf(batch, row));
  }
  const knownIds = await storedIds(client, siteId, 'page_view', 'pv_id', ids);
  const knownPrints = await storedPrints(client, siteId, 'page_view', prints);
  return once.filter((row) =>
    isGiven(row) ? !knownIds.has(pvId(row)) : !knownPrints.has(printOf(batch, row)),
  );
}
