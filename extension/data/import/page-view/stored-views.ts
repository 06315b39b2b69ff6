// The special rules for page views when rows of a file match stored ones: strings that share an id are merged, and
// sessions, conversions, pages, readers, clicks and events are updated to match.
import { rowStaging } from '../../change/staging';
import type { ViewChange } from '../../change/view-change';
import { GIVEN_FIELDS, givenField, TRAFFIC_FIELDS, viewField } from '../../change/view-columns';
import { NAMED_BY, SESSION_READER_BASE } from '../../rows/generated-ids';
import type { TableLayout } from '../../rows/table-layout';
import type { ConversionUpdater } from '../../storage/goals/conversions';
import type { DimensionIds } from '../dimensions';
import type { LoaderContext } from '../loader-context';
import { type StoredTable, storedRow } from '../stored-rows';
import type { ViewFollowers } from './follow-views';
import { nameGivenReaders } from './name-given-readers';

interface ViewParts {
  readonly layout: TableLayout;
  readonly change: ViewChange;
  readonly conversions: ConversionUpdater;
  readonly followers: ViewFollowers;
  readonly mergeable: ReadonlyMap<string, DimensionIds>;
  readonly readerState: DimensionIds;
}

const MATCHED_ROW = rowStaging('met', 'page_view');

/** Fields that record what a file contained. */
const MARKS = ['named_by', 'is_visit_traffic', 'is_browse_derived', ...GIVEN_FIELDS.map(givenField)];
const NO_VALUES: ReadonlySet<string> = new Set(['site_id', 'pv_id', 'source_no', ...MARKS]);

/** A view's reader depends on its session, unless the view itself identifies a reader. */
const FOLLOWS_SESSION = `m.session_id IS NOT NULL AND (t.reader_id >= ${SESSION_READER_BASE} OR t.named_by = ${NAMED_BY.nothing})`;
const READER_ID = `CASE WHEN m.reader_id IS NOT NULL THEN m.reader_id
  WHEN ${FOLLOWS_SESSION} THEN ${SESSION_READER_BASE} + m.session_id ELSE t.reader_id END`;

/** The merged values of the file and the stored row, if the file contains these fields. */
const givenNow = (given: readonly string[]): Readonly<Record<string, string>> => ({
  named_by: `CASE WHEN m.reader_id IS NOT NULL THEN m.named_by WHEN ${FOLLOWS_SESSION} THEN ${NAMED_BY.visit} ELSE t.named_by END`,
  is_visit_traffic: 'coalesce(m.is_visit_traffic, t.is_visit_traffic)',
  is_browse_derived: 'CASE WHEN m.browse_sec IS NULL THEN t.is_browse_derived END',
  ...Object.fromEntries(
    GIVEN_FIELDS.filter((field) => given.includes(field)).map((field) => [
      givenField(field),
      `coalesce(m.${field}, t.${givenField(field)})`,
    ]),
  ),
});

/** Changes to these fields move a view between sessions, or within one. */
const STRUCTURE: ReadonlySet<string> = new Set([
  'at',
  'page_id',
  'reader_id',
  'session_id',
  ...TRAFFIC_FIELDS,
  ...TRAFFIC_FIELDS.map(viewField),
]);
const HELD_BY_PAGE: ReadonlySet<string> = new Set([
  'at',
  'page_id',
  'page_state_id',
  'reader_state_id',
  'reader_id',
  'session_id',
]);

/** How rows of a file change stored page views. */
export function storedViews(context: LoaderContext, parts: ViewParts): StoredTable {
  const { siteId } = context;
  const { layout, change, conversions, followers, mergeable, readerState } = parts;
  const VIEWS = `FROM ${MATCHED_ROW} m CROSS JOIN LATERAL ${storedRow('page_view', 'pv_id')} v`;

  const collect = async (given: readonly string[]): Promise<void> => {
    await conversions.addFound(`SELECT DISTINCT v.session_id ${VIEWS}`, [siteId]);
    if (given.some((field) => STRUCTURE.has(field))) await change.touch(VIEWS);
    if (given.some((field) => HELD_BY_PAGE.has(field))) await followers.collect(VIEWS);
  };

  return {
    layout,
    rowId: 'pv_id',
    identity: 'access_time, url and visitor (or pv_id)',
    ignored: NO_VALUES,
    mergeable,
    differs: {
      ...Object.fromEntries(
        GIVEN_FIELDS.map((field) => [field, `m.${field} IS DISTINCT FROM t.${givenField(field)}`]),
      ),
      ...Object.fromEntries(
        TRAFFIC_FIELDS.map((field) => [
          field,
          `m.${field} IS DISTINCT FROM t.${field} OR t.is_visit_traffic IS NULL`,
        ]),
      ),
      browse_sec: 'm.browse_sec IS DISTINCT FROM t.browse_sec OR t.is_browse_derived',
    },
    sets: (given) => ({ ...givenNow(given), reader_id: READER_ID }),
    async prepare(given) {
      const named = await nameGivenReaders(context, readerState, followers.collect);
      return named ? [...given, 'reader_state_id'] : given;
    },
    before: collect,
    async after(given) {
      await collect(given);
      if (!given.some((field) => STRUCTURE.has(field))) return;
      // Before the change, these views could have been at any time.
      followers.changedSince(Number.NEGATIVE_INFINITY);
      await followers.collectMoved(`SELECT pv_id FROM ${MATCHED_ROW}`);
    },
  };
}
