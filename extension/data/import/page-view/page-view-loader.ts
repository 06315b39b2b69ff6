// Loads page views: finds the new ones, sessionizes them and copies them, with their dimensions and conversions; those that
// are stored already are updated. Whatever order views come in, and in however many files, the stored sessions are exact.
import { conversionUpdater } from '../../storage/goals/conversions';
import { copyRows, isDuplicate } from '../copy-rows';
import { openDimensions, openStates } from '../dimensions';
import { fileRows } from '../file-rows';
import { FIRST_GENERATED_ID, loadIdCounters } from '../generated-ids';
import { openGivenIds } from '../given-ids';
import type { LateRejection, OpenLoader } from '../loader';
import { newestValues, PAGE_VALUES, READER_VALUES } from '../newest-values';
import { copyRow, emptyBatch, makeRoom, type RowBatch, rowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { loadTableLayout } from '../table-layout';
import { mergeRow, settleTwins } from '../twins';
import { viewFollowers } from './follow-views';
import { knownKeys } from './known-keys';
import { sortRows } from './known-views';
import {
  clearGenerated,
  generateIds,
  givenValue,
  isGenerated,
  mergeMarks,
  prepareRows,
} from './prepare-rows';
import { sessionRepair } from './repair-sessions';
import { type Sessionized, sessionize } from './sessionize';
import { sourceNumber } from './source-number';
import { NO_VALUES, storedViews, VIEW_KEY_WORDS } from './stored-views';
import { NAMED_BY, SESSION_GAP_SECONDS, viewFields } from './view-fields';

/** Opens the loader of page views for one import. */
export const openPageViewLoader: OpenLoader = async (context) => {
  const { client, siteId, limits, material, duplicates } = context;
  const layout = await loadTableLayout(client, 'page_view');
  const fields = viewFields(layout);
  const counters = await loadIdCounters(client, siteId);
  // Readers that a file names only by the site's own id share a range of ids with those that it does not name.
  const readerIds = { firstId: FIRST_GENERATED_ID, takeId: counters.reader, timeColumn: 'seen_at' };
  const newest = new Map([
    ['page', newestValues(PAGE_VALUES, context)],
    ['reader', newestValues(READER_VALUES, context)],
  ]);
  const dimensions = openDimensions(context, new Map([['reader', readerIds]]));
  const states = openStates(context);
  const ids = openGivenIds(context, ['pv_id', 'session_id', 'reader_id', 'version_id']);
  const checker = rowChecker({
    ...context,
    layout,
    dimensions,
    newest,
    states: new Map(Object.entries(states)),
    ids,
  });
  const { width, extras } = checker.shape;
  const readers = knownKeys('reader_id', siteId, counters.empty, limits.knownKeys);
  const sessions = knownKeys('session_id', siteId, counters.empty, limits.knownKeys);
  const conversions = await conversionUpdater(client, siteId, ['view', 'click', 'event']);
  if (counters.empty) conversions.addAll();
  const repair = sessionRepair(client, siteId, conversions);
  const followers = viewFollowers(client, siteId, conversions);
  const files = await fileRows(context, 'page_view');
  const source = dimensions.get('source');
  const stored = await storedViews(context, {
    ...{ layout, files, repair, conversions, followers, readerState: states.reader.dimension },
    mergeable: new Map([
      ...(source === undefined ? [] : [['source_id', source] as const, ['view_source_id', source] as const]),
      [states.page.field, states.page.dimension] as const,
    ]),
  });
  const sourceNo = await sourceNumber(context);
  /** Rows of open sessions, which wait for the next batch. */
  const held = rowBatch(checker.shape);
  /** Most files are new as a whole: views with ids are looked up only after the first duplicate. */
  let asksIds = false;
  const totals = { added: 0, updated: 0, kept: 0, unchanged: 0 };

  const value = ({ values }: RowBatch, row: number, field: number): number =>
    values[row * width + field] ?? 0;

  // Whether the key of a row can occur in other rows: only then its last view matters.
  const isReaderNamed = (batch: RowBatch, row: number): boolean =>
    value(batch, row, fields.named_by) !== NAMED_BY.nothing;
  const isSessionGiven = (batch: RowBatch, row: number): boolean =>
    !isGenerated(value(batch, row, fields.session_id));

  const prepareKnown = async (batch: RowBatch, rows: Uint32Array): Promise<void> => {
    const readerKeys = new Set<number>();
    const sessionKeys = new Set<number>();
    for (const row of rows) {
      if (isReaderNamed(batch, row)) readerKeys.add(value(batch, row, fields.reader_id));
      if (isSessionGiven(batch, row)) sessionKeys.add(value(batch, row, fields.session_id));
    }
    await readers.prepare(client, readerKeys);
    await sessions.prepare(client, sessionKeys);
  };

  /** The time from which on a session may go on in the next batch. */
  const openSince = (batch: RowBatch): number => {
    const first = value(batch, batch.first, fields.at);
    const last = value(batch, batch.end - 1, fields.at);
    // A file that runs backwards leaves no session open at its young end.
    return last < first ? Number.POSITIVE_INFINITY : last - SESSION_GAP_SECONDS;
  };

  /** What a view is recognised by: its id, or its time, page and visitor. */
  const keyOf = (batch: RowBatch, row: number): number | string => {
    const id = value(batch, row, fields.pv_id);
    if (!isGenerated(id)) return id;
    const visitor = isReaderNamed(batch, row) ? value(batch, row, fields.reader_id) : '';
    return `${value(batch, row, fields.at)} ${value(batch, row, fields.page_id)} ${visitor}`;
  };

  const findTwins = (batch: RowBatch) => {
    const rules = {
      ...{ layout, material, identity: VIEW_KEY_WORDS, ignored: NO_VALUES },
      keyOf: (row: number) => keyOf(batch, row),
      givenOf: (row: number, field: number) => givenValue(batch, row, field, fields),
    };
    const merge = (first: number, row: number): void => {
      mergeRow(batch, rules, first, row);
      mergeMarks(batch, fields, first, row);
    };
    const rows = new Uint32Array(batch.end - batch.start).map((_, i) => batch.start + i);
    return settleTwins(batch, rows, { ...rules, merge: duplicates === 'refuse' ? undefined : merge });
  };

  const writeNew = async (batch: RowBatch, rows: Uint32Array, last: boolean): Promise<Sessionized> => {
    generateIds(batch, rows, fields, counters);
    await prepareKnown(batch, rows);
    const sessionized = sessionize(batch, rows, {
      fields,
      readers,
      sessions,
      openSince: last ? Number.POSITIVE_INFINITY : openSince(batch),
      heldRows: limits.heldRows,
    });
    await copyRows(client, layout, batch, sessionized.write);
    return sessionized;
  };

  /** Writes new rows; undefined if one of them is stored after all. */
  const tryNew = async (
    batch: RowBatch,
    rows: Uint32Array,
    last: boolean,
  ): Promise<Sessionized | undefined> => {
    if (asksIds) return writeNew(batch, rows, last);
    await client.query('SAVEPOINT batch');
    try {
      const sessionized = await writeNew(batch, rows, last);
      await client.query('RELEASE SAVEPOINT batch');
      return sessionized;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      await client.query('ROLLBACK TO SAVEPOINT batch');
      asksIds = true;
      return undefined;
    }
  };

  const noteWritten = async (batch: RowBatch, rows: Uint32Array): Promise<void> => {
    for (const row of rows) {
      const at = value(batch, row, fields.at);
      if (isReaderNamed(batch, row)) readers.note(value(batch, row, fields.reader_id), at);
      if (isSessionGiven(batch, row)) sessions.note(value(batch, row, fields.session_id), at);
      for (const { field, extra, column, newest: values } of checker.notes) {
        const noted = batch.extras[row * extras + extra] ?? null;
        if (noted !== null) values.note(value(batch, row, field), column, noted, at);
      }
    }
    await files.note(
      Array.from(rows, (row) => value(batch, row, fields.pv_id)),
      Array.from(rows, (row) => batch.lines[row] ?? 0),
      true,
    );
  };

  return {
    checker,
    rejectsLate: true,
    async write(batch, last) {
      await checker.settleIds(client, batch);
      prepareRows(batch, fields, context, sourceNo);
      makeRoom(batch, held.end - held.start, 0);
      for (let row = held.end - 1; row >= held.start; row -= 1) {
        batch.start -= 1;
        copyRow(held, row, batch, batch.start);
      }
      for (let row = batch.start; row < batch.end; row += 1)
        followers.changedSince(value(batch, row, fields.at));
      const twins = findTwins(batch);
      const rejections: LateRejection[] = [...twins.rejections];
      let fresh = twins.once;
      let sessionized: Sessionized | undefined;
      while (sessionized === undefined) {
        const sorted = await sortRows(context, batch, fresh, { fields, sourceNo, asksIds });
        clearGenerated(batch, sorted.stored, fields);
        const met = await stored.meet(batch, sorted.stored);
        rejections.push(...met.rejections);
        totals.updated += met.updated;
        totals.kept += met.kept;
        totals.unchanged += met.unchanged;
        fresh = sorted.fresh;
        sessionized = await tryNew(batch, fresh, last);
      }
      const { write, hold, staleReaders, staleSessions } = sessionized;
      await noteWritten(batch, write);
      for (const values of newest.values()) await values.flush(client, last);
      await conversions.add(new Set(Array.from(write, (row) => value(batch, row, fields.session_id))));
      await repair.collect(staleReaders, staleSessions);
      totals.added += write.length;
      totals.updated += twins.updated;
      totals.unchanged += twins.unchanged;
      emptyBatch(held);
      makeRoom(held, 0, hold.length);
      for (const row of hold) {
        copyRow(batch, row, held, held.end);
        held.end += 1;
      }
      return rejections.sort((a, b) => a.row - b.row);
    },
    async finish() {
      await repair.run();
      await followers.run();
      await followers.refuseStrays();
      await conversions.update();
      return totals;
    },
    tables: ['page_view', 'page', 'source', 'reader', 'conversion'],
  };
};
