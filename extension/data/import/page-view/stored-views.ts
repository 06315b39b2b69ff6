// What particular rules page views have when rows of a file meet stored ones: texts that share an id are merged, and
// sessions, conversions, pages, readers, clicks and events follow.
import type { ConversionUpdater } from '../../storage/goals/conversions';
import { ANY_SITE } from '../../storage/planner';
import type { DimensionIds } from '../dimensions';
import type { FileRows } from '../file-rows';
import { type IdCounters, SESSION_READER_BASE } from '../generated-ids';
import type { LoaderContext } from '../loader-context';
import { MET_ROW, type StoredRows, storedRows } from '../stored-rows';
import type { TableLayout } from '../table-layout';
import type { ViewFollowers } from './follow-views';
import { mergeTexts, nameGivenReaders } from './merge-texts';
import type { SessionRepair } from './repair-sessions';
import { ALONE, GENERATED, TRAFFIC_FIELDS, VISIT_TRAFFIC, viewField } from './view-fields';

interface ViewParts {
  readonly layout: TableLayout;
  readonly files: FileRows;
  readonly counters: IdCounters;
  readonly repair: SessionRepair;
  readonly conversions: ConversionUpdater;
  readonly followers: ViewFollowers;
  /** Field -> the dimension whose rows have several texts. */
  readonly mergeable: ReadonlyMap<string, DimensionIds>;
  readonly readerState: DimensionIds;
}

export const VIEW_KEY_WORDS = 'access_time, url and visitor (or pv_id)';
export const NO_VALUES: ReadonlySet<string> = new Set(['site_id', 'pv_id', 'generated', 'fingerprint']);

const { pv_id: _id, reader_id: READER, browse_sec: BROWSE, ...PLAIN_BITS } = GENERATED;

/** The file names the visitor in its own words, and the stored view has a reader_id that a file gave. */
const NAMES_GIVEN_READER = `m.generated & ${READER} <> 0 AND t.generated & ${READER} = 0`;
/** The reader of a view follows its session, unless the view names one. */
const FOLLOWS_SESSION = `m.session_id IS NOT NULL AND (t.reader_id >= ${SESSION_READER_BASE} OR t.generated & ${ALONE} <> 0)`;
const READER_ID = `CASE WHEN m.reader_id IS NOT NULL THEN m.reader_id
  WHEN ${FOLLOWS_SESSION} THEN ${SESSION_READER_BASE} + m.session_id ELSE t.reader_id END`;
const GENERATED_NOW = `(t.generated & m.generated & ${Object.values(PLAIN_BITS).reduce((all, bit) => all | bit, GENERATED.pv_id | VISIT_TRAFFIC)})
  | CASE WHEN m.reader_id IS NOT NULL THEN m.generated & ${READER} WHEN ${FOLLOWS_SESSION} THEN ${READER} ELSE t.generated & ${READER} END
  | CASE WHEN m.reader_id IS NULL AND m.session_id IS NULL THEN t.generated & ${ALONE} ELSE 0 END
  | CASE WHEN m.browse_sec IS NULL THEN t.generated & ${BROWSE} ELSE 0 END`;

const differs = (bit: number, field: string): string =>
  `m.${field} IS DISTINCT FROM t.${field} OR t.generated & ${bit} <> 0`;

/** Changes of these fields move a view between sessions, or within one. */
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

/** Opens the stored page views for one import. */
export function storedViews(context: LoaderContext, parts: ViewParts): Promise<StoredRows> {
  const { siteId } = context;
  const { layout, files, counters, repair, conversions, followers, mergeable, readerState } = parts;
  const VIEWS = `FROM ${MET_ROW} m JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.pv_id = m.pv_id`;

  const collect = async (given: readonly string[]): Promise<void> => {
    await conversions.addFound(`SELECT DISTINCT v.session_id ${VIEWS}`, [siteId]);
    if (given.some((field) => STRUCTURE.has(field)))
      await repair.collectFound(
        `SELECT v.reader_id, v.session_id, v.generated & ${GENERATED.session_id} = 0 AS is_given ${VIEWS}`,
      );
    if (given.some((field) => HELD_BY_PAGE.has(field)))
      await followers.collect(`SELECT v.page_id, v.reader_id ${VIEWS}`);
  };

  /** A view that changes its visitor or its time leaves its generated session, and the repair decides which it joins. */
  const sessionId = (given: readonly string[], rows: number): string => {
    if (!given.includes('at') && !given.includes('reader_id')) return 'coalesce(m.session_id, t.session_id)';
    const first = counters.session();
    for (let taken = 1; taken <= rows; taken += 1) counters.session();
    return `CASE WHEN m.session_id IS NOT NULL THEN m.session_id
      WHEN t.generated & ${GENERATED.session_id} <> 0 AND ((${READER_ID}) <> t.reader_id OR coalesce(m.at, t.at) <> t.at)
      THEN ${first} + m.place ELSE t.session_id END`;
  };

  return storedRows(context, {
    layout,
    files,
    rowId: 'pv_id',
    identity: VIEW_KEY_WORDS,
    ignored: NO_VALUES,
    differs: {
      ...Object.fromEntries(Object.entries(PLAIN_BITS).map(([field, bit]) => [field, differs(bit, field)])),
      reader_id: `m.reader_id IS DISTINCT FROM t.reader_id OR t.generated & ${READER} <> 0 AND m.generated & ${READER} = 0`,
      ...Object.fromEntries(TRAFFIC_FIELDS.map((field) => [field, differs(VISIT_TRAFFIC, field)])),
      browse_sec: differs(BROWSE, 'browse_sec'),
    },
    sets: (given, rows) => ({
      generated: GENERATED_NOW,
      reader_id: READER_ID,
      session_id: sessionId(given, rows),
    }),
    async prepare(given) {
      const named = await nameGivenReaders(context, readerState, NAMES_GIVEN_READER, followers.collect);
      for (const [field, dimension] of mergeable)
        if (given.includes(field)) await mergeTexts(context, field, dimension);
      return named ? [...given, 'reader_state_id'] : given;
    },
    before: collect,
    async after(given) {
      await collect(given);
      if (!given.some((field) => STRUCTURE.has(field))) return;
      // Their times before the change may have been any.
      followers.changedSince(Number.NEGATIVE_INFINITY);
      await followers.collectMoved(`SELECT pv_id FROM ${MET_ROW}`);
    },
  });
}
