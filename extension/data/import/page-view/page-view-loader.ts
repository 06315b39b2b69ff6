// Loads page views: adds new ones with their dimensions and conversions, and updates stored ones. The stored sessions are exact,
// regardless of the order of views and the number of files.
import { FIRST_AT, openViewChange } from '../../change/view-change';
import { factsOf } from '../../change/view-facts';
import { FIRST_GENERATED_ID, isGenerated, loadIdCounters } from '../../rows/generated-ids';
import { placesOf, type RowBatch, setValue, valueAt } from '../../rows/row-batch';
import { loadTableLayout } from '../../rows/table-layout';
import { conversionUpdater } from '../../storage/goals/conversions';
import { openDimensions, openStates } from '../dimensions';
import { openGivenIds } from '../given-ids';
import { openSources } from '../import-sources';
import type { OpenLoader } from '../loader';
import { matchRows } from '../match-rows';
import { placeArrived } from '../on-view/place-waiting';
import { rowChecker } from '../row-checker';
import { viewFollowers } from './follow-views';
import { findKnownViews } from './known-views';
import { completeNew, markRows, mergeMarks, viewFields } from './prepare-rows';
import { storedViews } from './stored-views';

/** Opens the loader of page views for one import. */
export const openPageViewLoader: OpenLoader = async (context) => {
  const { client, siteId } = context;
  const layout = await loadTableLayout(client, 'page_view', {
    besides: [FIRST_AT],
    without: ['order_no'],
  });
  const fields = viewFields(layout);
  const counters = await loadIdCounters(client, siteId);
  // Readers that a file identifies only by the site's own id share a range of ids with unnamed readers.
  const readerIds = { firstId: FIRST_GENERATED_ID, takeId: counters.reader, timeColumn: 'seen_at' };
  const dimensions = openDimensions(context, new Map([['reader', readerIds]]));
  const states = openStates(context);
  const ids = openGivenIds(context, ['pv_id', 'session_id', 'reader_id', 'version_id']);
  const sources = await openSources(context);
  const checker = rowChecker({
    ...context,
    layout,
    dimensions,
    sources,
    states: new Map(Object.entries(states)),
    ids,
  });
  const conversions = await conversionUpdater(client, siteId, 'view');
  if (counters.empty) conversions.addAll();
  const followers = viewFollowers(client, siteId, conversions, context.limits);
  const change = await openViewChange(client, siteId, {
    layout,
    isEmpty: counters.empty,
    importId: context.importId,
    limits: context.limits,
    conversions,
    followStaged: followers.followStaged,
  });
  const mergeable = (field: string, name: string) => {
    const dimension = dimensions.get(name);
    return dimension === undefined ? [] : [[field, dimension] as const];
  };

  /** Returns the key that identifies a view. */
  const keyOf = (batch: RowBatch, row: number): number | string => {
    const id = valueAt(batch, row, fields.pv_id);
    if (!isGenerated(id)) return id;
    const { at, page, visitor, source } = factsOf(batch, row, fields);
    return `${at} ${page} ${visitor ?? ''} ${source}`;
  };

  /** The rows of the batch that were rejected, or ignored in favor of stored ones. */
  const ignored = new Set<number>();
  const matched = matchRows(context, {
    ...storedViews(context, {
      layout,
      change,
      conversions,
      followers,
      readerState: states.reader,
      mergeable: new Map([
        ...['source_id', 'view_source_id'].flatMap((field) => mergeable(field, 'source')),
        ...mergeable('location_id', 'location'),
        [states.page.id, states.page] as const,
      ]),
    }),
    keyOf,
    keepStored: (row) => ignored.add(row),
    merged: (batch, first, row) => mergeMarks(batch, fields, first, row),
    async find(batch, rows) {
      markRows(batch, rows, fields, context.browseSec);
      if (await change.meetsStaged(batch, rows)) await change.apply();
      return findKnownViews(context, batch, rows, fields);
    },
    number: (batch, rows) => completeNew(batch, rows, fields, counters),
    add: change.add,
  });

  return {
    checker,
    async write(batch) {
      await checker.settleIds(client, batch);
      ignored.clear();
      for (let row = 0; row < batch.end; row += 1) {
        setValue(batch, row, fields.site_id, siteId);
        if (Number.isNaN(valueAt(batch, row, fields.source_no)))
          setValue(batch, row, fields.source_no, sources.own);
        followers.changedSince(valueAt(batch, row, fields.at));
      }
      const rejections = await matched.write(batch, placesOf(batch));
      for (const { row } of rejections) ignored.add(row);
      await change.noteFirstTimes(batch, ignored);
      return rejections;
    },
    apply: change.applyFull,
    async nextFile() {
      change.nextFile();
      await followers.nextFile();
      await matched.nextFile();
    },
    async finish() {
      await change.apply();
      await followers.run();
      await followers.refuseStrays();
      await conversions.update();
      if (context.importId !== undefined) await placeArrived(context, context.importId);
      return matched.totals();
    },
    tables: ['page_view', 'page', 'source', 'reader', 'conversion'],
  };
};
