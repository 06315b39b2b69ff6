// Loads page views: finds the new ones, sessionizes them and copies them, with their dimensions and conversions. Whatever
// order views come in, and in however many files, the stored sessions are exact in the end.
import { conversionUpdater } from '../../storage/goals/conversions';
import { copyRows, isDuplicate } from '../copy-rows';
import { openDimensions } from '../dimensions';
import { fingerprinter } from '../fingerprint';
import { FIRST_GENERATED_ID, loadIdCounters } from '../generated-ids';
import type { OpenLoader } from '../loader';
import { newestValues, PAGE_VALUES, READER_VALUES } from '../newest-values';
import { copyRow, emptyBatch, makeRoom, type RowBatch, rowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { loadTableLayout } from '../table-layout';
import { knownKeys } from './known-keys';
import { forgetSessions, generateIds, newRows, prepareRows } from './prepare-rows';
import { sessionRepair } from './repair-sessions';
import { type Sessionized, sessionize } from './sessionize';
import { ALONE, COMPUTED_FIELDS, GENERATED, SESSION_GAP_SECONDS, viewFields } from './view-fields';

/** Opens the loader of page views for one import. */
export const openPageViewLoader: OpenLoader = async (context) => {
  const { client, siteId, limits } = context;
  const layout = await loadTableLayout(client, 'page_view');
  const fields = viewFields(layout);
  const counters = await loadIdCounters(client, siteId);
  // Readers that a file names only by the site's own id share a range of ids with those that it does not name.
  const readerIds = { firstId: FIRST_GENERATED_ID, takeId: counters.reader, timeColumn: 'seen_at' };
  const newest = new Map([
    ['page', newestValues(PAGE_VALUES, context)],
    ['reader', newestValues(READER_VALUES, context)],
  ]);
  const target = {
    ...context,
    layout,
    dimensions: openDimensions(context, new Map([['reader', readerIds]])),
    newest,
    idField: 'pv_id',
    computed: COMPUTED_FIELDS,
  };
  const checker = rowChecker(target);
  const { width, extras } = checker.shape;
  const readers = knownKeys('reader_id', siteId, counters.empty, limits.knownKeys);
  const sessions = knownKeys('session_id', siteId, counters.empty, limits.knownKeys);
  const conversions = await conversionUpdater(client, siteId, ['view', 'click', 'event']);
  if (counters.empty) conversions.addAll();
  const repair = sessionRepair(client, siteId, conversions);
  const fingerprint = fingerprinter(target, limits.rowHashes);
  /** Rows of open sessions, which wait for the next batch. */
  const held = rowBatch(checker.shape);
  let mayBeStored = false;
  let added = 0;
  let unchanged = 0;

  const value = ({ values }: RowBatch, row: number, field: number): number =>
    values[row * width + field] ?? 0;

  /** Whether the key of a row can occur in other rows: only then its last view matters. */
  const isNamed = (batch: RowBatch, row: number, bit: number): boolean =>
    (value(batch, row, fields.generated) & bit) === 0;

  const prepareKnown = async (batch: RowBatch, rows: Uint32Array): Promise<void> => {
    const readerIds = new Set<number>();
    const sessionIds = new Set<number>();
    for (const row of rows) {
      if (isNamed(batch, row, ALONE)) readerIds.add(value(batch, row, fields.reader_id));
      if (isNamed(batch, row, GENERATED.session_id)) sessionIds.add(value(batch, row, fields.session_id));
    }
    await readers.prepare(client, readerIds);
    await sessions.prepare(client, sessionIds);
  };

  /** The time from which on a session may go on in the next batch. */
  const openSince = (batch: RowBatch): number => {
    const first = value(batch, batch.first, fields.at);
    const last = value(batch, batch.end - 1, fields.at);
    // A file that runs backwards leaves no session open at its young end.
    return last < first ? Number.POSITIVE_INFINITY : last - SESSION_GAP_SECONDS;
  };

  const writeNew = async (batch: RowBatch, last: boolean): Promise<Sessionized> => {
    const rows = await newRows(context, batch, fields, mayBeStored);
    generateIds(batch, rows, fields, counters);
    await prepareKnown(batch, rows);
    const sessionized = sessionize(batch, rows, {
      fields,
      counters,
      readers,
      sessions,
      openSince: last ? Number.POSITIVE_INFINITY : openSince(batch),
      heldRows: limits.heldRows,
    });
    if (!mayBeStored) await client.query('SAVEPOINT batch');
    await copyRows(client, layout, batch, sessionized.write);
    if (!mayBeStored) await client.query('RELEASE SAVEPOINT batch');
    unchanged += batch.end - batch.start - rows.length;
    return sessionized;
  };

  const noteWritten = (batch: RowBatch, rows: Uint32Array): void => {
    for (const row of rows) {
      const at = value(batch, row, fields.at);
      if (isNamed(batch, row, ALONE)) readers.note(value(batch, row, fields.reader_id), at);
      if (isNamed(batch, row, GENERATED.session_id)) sessions.note(value(batch, row, fields.session_id), at);
      for (const { field, extra, column, newest: values } of checker.notes) {
        const noted = batch.extras[row * extras + extra] ?? null;
        if (noted !== null) values.note(value(batch, row, field), column, noted, at);
      }
    }
  };

  return {
    checker,
    rejectsLate: false,
    async write(batch, last) {
      await checker.settleIds(client, batch);
      prepareRows(batch, fields, siteId, fingerprint, context);
      makeRoom(batch, held.end - held.start, 0);
      for (let row = held.end - 1; row >= held.start; row -= 1) {
        batch.start -= 1;
        copyRow(held, row, batch, batch.start);
      }
      let sessionized: Sessionized;
      try {
        sessionized = await writeNew(batch, last);
      } catch (error) {
        // Most files are new as a whole: the database is not asked before the first duplicate.
        if (mayBeStored || !isDuplicate(error)) throw error;
        await client.query('ROLLBACK TO SAVEPOINT batch');
        mayBeStored = true;
        forgetSessions(batch, fields);
        sessionized = await writeNew(batch, last);
      }
      const { write, hold, staleReaders, staleSessions } = sessionized;
      noteWritten(batch, write);
      for (const values of newest.values()) await values.flush(client, last);
      await conversions.add(new Set(Array.from(write, (row) => value(batch, row, fields.session_id))));
      await repair.collect(staleReaders, staleSessions);
      added += write.length;
      emptyBatch(held);
      makeRoom(held, 0, hold.length);
      for (const row of hold) {
        copyRow(batch, row, held, held.end);
        held.end += 1;
      }
      return [];
    },
    async finish() {
      await repair.run();
      await conversions.update();
      return { added, updated: 0, kept: 0, unchanged };
    },
    tables: ['page_view', 'page', 'source', 'reader', 'conversion'],
  };
};
