// Loads page views: new ones go through the site change with their dimensions and conversions, and stored ones are updated. The stored
// sessions are exact, regardless of the order of views and the number of files.
import { FIRST_AT, MAY_BE_KNOWN, openViewChange } from '../../change/view-change';
import { factsOf } from '../../change/view-facts';
import { FIRST_GENERATED_ID, loadIdCounters } from '../../rows/generated-ids';
import { placesOf, type RowBatch } from '../../rows/row-batch';
import { loadTableLayout } from '../../rows/table-layout';
import { conversionUpdater } from '../../storage/goals/conversions';
import { openDimensions, openStates } from '../dimensions';
import { openGivenIds } from '../given-ids';
import { openSources } from '../import-sources';
import type { OpenLoader } from '../loader';
import { matchRows } from '../match-rows';
import { placeArrived } from '../on-view/place-waiting';
import { rowChecker } from '../row-checker';
import { noteFirstTimes } from './first-times';
import { viewFollowers } from './follow-views';
import { findKnownViews } from './known-views';
import {
  clearGenerated,
  generateIds,
  givenValue,
  isGenerated,
  mergeMarks,
  prepareRows,
} from './prepare-rows';
import { storedViews } from './stored-views';
import { viewFields } from './view-fields';

/** Opens the loader of page views for one import. */
export const openPageViewLoader: OpenLoader = async (context) => {
  const { client, siteId } = context;
  const layout = await loadTableLayout(client, 'page_view', {
    besides: [MAY_BE_KNOWN, FIRST_AT],
    without: ['order_no'],
  });
  const fields = viewFields(layout);
  const counters = await loadIdCounters(client, siteId);
  // Readers that a file identifies only by the site's own id share a range of ids with unnamed ones.
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
  const { width } = checker.shape;
  const conversions = await conversionUpdater(client, siteId, ['view', 'click', 'event']);
  if (counters.empty) conversions.addAll();
  const followers = viewFollowers(client, siteId, conversions);
  const change = await openViewChange(client, siteId, {
    layout,
    isEmpty: counters.empty,
    limits: context.limits,
    conversions,
    followStaged: followers.followStaged,
  });
  const mergeable = (field: string, name: string) => {
    const dimension = dimensions.get(name);
    return dimension === undefined ? [] : [[field, dimension] as const];
  };

  const value = ({ values }: RowBatch, row: number, field: number): number =>
    values[row * width + field] ?? 0;

  /** What a view is recognized by. */
  const keyOf = (batch: RowBatch, row: number): number | string => {
    const id = value(batch, row, fields.pv_id);
    if (!isGenerated(id)) return id;
    const { at, page, visitor, source } = factsOf(batch, row, fields);
    return `${at} ${page} ${visitor ?? ''} ${source}`;
  };

  const matched = await matchRows(context, {
    ...storedViews(context, {
      layout,
      change,
      conversions,
      followers,
      readerState: states.reader.dimension,
      mergeable: new Map([
        ...['source_id', 'view_source_id'].flatMap((field) => mergeable(field, 'source')),
        ...mergeable('location_id', 'location'),
        [states.page.field, states.page.dimension] as const,
      ]),
    }),
    keyOf,
    givenOf: (batch, row, field) => givenValue(batch, row, field, fields),
    merged: (batch, first, row) => mergeMarks(batch, fields, first, row),
    async find(batch, rows) {
      if (await change.meetsStaged(batch, rows)) await change.apply();
      const known = await findKnownViews(context, batch, rows, fields);
      clearGenerated(batch, known.keys(), fields);
      return known;
    },
    number: (batch, rows) => generateIds(batch, rows, fields, counters),
    add: change.add,
  });

  return {
    checker,
    async write(batch) {
      await checker.settleIds(client, batch);
      prepareRows(batch, fields, context, sources.own);
      await noteFirstTimes(context, layout, batch);
      for (let row = 0; row < batch.end; row += 1) followers.changedSince(value(batch, row, fields.at));
      const rejections = await matched.write(batch, placesOf(batch));
      return [...rejections].sort((a, b) => a.row - b.row);
    },
    async nextFile() {
      change.nextFile();
      await matched.nextFile();
    },
    async finish() {
      await change.apply();
      await followers.run();
      await followers.refuseStrays();
      await conversions.update();
      if (context.undo !== undefined) await placeArrived(context, context.undo.importId);
      return matched.totals();
    },
    tables: ['page_view', 'page', 'source', 'reader', 'conversion'],
  };
};
