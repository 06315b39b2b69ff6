// Owns the way of page views into the database: identify, drop what is there, sessionize sessions, copy.
// Batches of checked rows in -> rows of analytics.page_view, its dimensions, and sessions that are exact.
import { ROLLUP_TABLES } from '../../rollups/rollup-state';
import { touchedRows } from '../../rollups/touched-rows';
import { conversionKeeper } from '../../storage/goals/conversions';
import { copyRows, isDuplicate } from '../copy-rows';
import { fixedIds, openDimensions, settleIds } from '../dimensions';
import { fingerprinter } from '../fingerprint';
import { FIRST_MADE_ID, loadMadeCounters } from '../generated-ids';
import type { OpenLoader } from '../loader';
import { newestValues, PAGE_VALUES, READER_VALUES } from '../newest-values';
import { emptyBatch, makeRoom, moveRow, type RowBatch, rowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { loadTableLayout } from '../table-layout';
import { knownKeys } from './known-keys';
import { forgetSessions, giveIds, newRows, prepareRows } from './prepare-rows';
import { sessionRepair } from './repair-sessions';
import { type Sessionized, sessionize } from './sessionize';
import { ALONE, COMPUTED_FIELDS, MADE, SESSION_GAP_SECONDS, viewFields } from './view-fields';

/** Opens the loader of page views for one import. */
export const openPageViewLoader: OpenLoader = async (parts) => {
  const { client, siteId, limits, material } = parts;
  const layout = await loadTableLayout(client, 'page_view');
  const fields = viewFields(layout);
  const counters = await loadMadeCounters(client, siteId);
  // Visitors that a file names only by the site's own id share a range with those that it does not name.
  const reader = { firstId: FIRST_MADE_ID, takeId: counters.reader, timeColumn: 'seen_at' };
  const dimensions = openDimensions(parts, new Map([['reader', reader]]));
  const newest = new Map([
    ['page', newestValues(PAGE_VALUES, siteId, limits)],
    ['reader', newestValues(READER_VALUES, siteId, limits)],
  ]);
  const target = {
    ...parts,
    layout,
    dimensions,
    newest,
    fixedIds: await fixedIds(client),
    idField: 'pv_id',
    defaults: new Map(),
    computed: COMPUTED_FIELDS,
  };
  const checker = rowChecker(target);
  const { width } = checker.shape;
  const { empty } = counters;
  const sessionizeParts = {
    fields,
    counters,
    readers: knownKeys('reader_id', siteId, empty, limits.knownKeys),
    sessions: knownKeys('session_id', siteId, empty, limits.knownKeys),
  };
  const conversions = await conversionKeeper(client, siteId, ['view', 'click', 'event']);
  if (empty) conversions.touchAll();
  const touched = await touchedRows(client, siteId, empty);
  const repair = sessionRepair(siteId, conversions, touched);
  const fingerprint = fingerprinter(target, limits.rowHashes);
  const held = rowBatch(checker.shape);
  // Most files are new as a whole: nothing is asked until the first row turns out to be there already.
  let careful = false;
  let added = 0;
  let unchanged = 0;
  let valuesChanged = 0;

  const prepareKnown = async (batch: RowBatch, rows: Uint32Array): Promise<void> => {
    const readers = new Set<number>();
    const sessions = new Set<number>();
    for (const row of rows) {
      const made = batch.values[row * width + fields.made] ?? 0;
      if ((made & ALONE) === 0) readers.add(batch.values[row * width + fields.reader_id] ?? 0);
      if ((made & MADE.session_id) === 0) sessions.add(batch.values[row * width + fields.session_id] ?? 0);
    }
    await sessionizeParts.readers.prepare(client, readers);
    await sessionizeParts.sessions.prepare(client, sessions);
  };

  const writeNew = async (batch: RowBatch, last: boolean): Promise<Sessionized> => {
    const rows = await newRows(client, batch, fields, siteId, careful);
    giveIds(batch, rows, fields, counters);
    await prepareKnown(batch, rows);
    const sessionized = sessionize(
      batch,
      rows,
      sessionizeParts,
      last ? Number.POSITIVE_INFINITY : openSince(batch),
      limits.heldRows,
    );
    if (careful) await copyRows(client, layout, batch, sessionized.write);
    else {
      await client.query('SAVEPOINT batch');
      await copyRows(client, layout, batch, sessionized.write);
      await client.query('RELEASE SAVEPOINT batch');
    }
    unchanged += batch.end - batch.start - rows.length;
    return sessionized;
  };

  const openSince = (batch: RowBatch): number => {
    const first = batch.values[batch.first * width + fields.at] ?? 0;
    const last = batch.values[(batch.end - 1) * width + fields.at] ?? 0;
    // A file that runs backwards leaves no session open at its young end.
    return last < first ? Number.POSITIVE_INFINITY : last - SESSION_GAP_SECONDS;
  };

  const sessionsOf = (batch: RowBatch, rows: Uint32Array): ReadonlySet<number> => {
    const sessions = new Set<number>();
    for (const row of rows) sessions.add(batch.values[row * width + fields.session_id] ?? 0);
    return sessions;
  };

  const noteWritten = (batch: RowBatch, rows: Uint32Array): void => {
    for (const row of rows) {
      const base = row * width;
      const made = batch.values[base + fields.made] ?? 0;
      const at = batch.values[base + fields.at] ?? 0;
      touched.note(material.name, at, (field) => batch.values[base + layout.fieldOf(field)] ?? 0);
      if ((made & ALONE) === 0) sessionizeParts.readers.note(batch.values[base + fields.reader_id] ?? 0, at);
      if ((made & MADE.session_id) === 0)
        sessionizeParts.sessions.note(batch.values[base + fields.session_id] ?? 0, at);
      for (const { field, slot, column, newest: values } of checker.notes) {
        const value = batch.noted[row * batch.notes + slot] ?? null;
        if (value !== null) values.note(batch.values[base + field] ?? 0, column, value, at);
      }
    }
  };

  return {
    checker,
    shape: checker.shape,
    async write(batch, last) {
      await settleIds(client, dimensions, checker, batch);
      prepareRows(batch, fields, siteId, fingerprint);
      makeRoom(batch, held.end - held.start, 0);
      for (let row = held.end - 1; row >= held.start; row -= 1) {
        batch.start -= 1;
        moveRow(held, row, batch, batch.start);
      }
      let sessionized: Sessionized;
      try {
        sessionized = await writeNew(batch, last);
      } catch (error) {
        if (careful || !isDuplicate(error)) throw error;
        await client.query('ROLLBACK TO SAVEPOINT batch');
        careful = true;
        forgetSessions(batch, fields);
        sessionized = await writeNew(batch, last);
      }
      noteWritten(batch, sessionized.write);
      await touched.flush(client);
      for (const values of newest.values()) valuesChanged += await values.flush(client, last);
      await conversions.touch(sessionsOf(batch, sessionized.write));
      await repair.collect(client, sessionized.staleReaders, sessionized.staleSessions);
      added += sessionized.write.length;
      emptyBatch(held);
      makeRoom(held, 0, sessionized.hold.length);
      for (const row of sessionized.hold) {
        moveRow(batch, row, held, held.end);
        held.end += 1;
      }
      return [];
    },
    refusesLate: false,
    async finish() {
      const repaired = await repair.run(client);
      await conversions.run();
      return { added, updated: 0, unchanged, changed: added > 0 || repaired > 0 || valuesChanged > 0 };
    },
    touched,
    tables: ['page_view', 'page', 'source', 'reader', 'conversion', ...ROLLUP_TABLES],
  };
};
