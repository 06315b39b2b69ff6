// The copy adds values of page views to clicks and events. They stay correct after changes, and queries that read them return the
// same answers as from rows.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { readDocument } from '../../../extension/language/parse/read-document';
import { openColumnFile } from '../../../extension/query/columns/column-file';
import { openCounts } from '../../../extension/query/columns/open-counts';
import { createCounts } from '../../../extension/query/columns/unique-counts';
import { viewValues } from '../../../extension/query/columns/view-values';
import { createContext, manifest } from '../../language/query-setup';
import { countingOnlyBy, openTestColumns, readCopy, type TestColumns } from '../../support/columns';
import { IS_LONG_RUN } from '../../support/long-run';
import { createMemoryLog } from '../../support/memory-log';
import { expectSameAnswer } from '../../support/run-whole';
import { throwawayFolder } from '../../support/throwaway-postgres';
import { useTestDatabase } from '../../support/use-database';
import { repeatRows } from './repeat-rows';

const FIRST = Date.parse('2025-01-01T00:00:00Z');
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const QUARTER_HOUR = 900;
/** Small sites, so that values are computed in pieces of 92 days. */
const COUNTING = { isCounted: true, manifest: countingOnlyBy(), smallSiteRows: 10 };

const database = useTestDatabase();
let columns: TestColumns;

/** A visit per day, with three views: at 12:00, 17:00 and 22:00. */
const view = (index: number) => {
  const visit = Math.floor(index / 3);
  return {
    pv_id: index + 1,
    session_id: visit + 1,
    pv: (index % 3) + 1,
    is_last: index % 3 === 2 ? 1 : 0,
    is_newuser: 0,
    access_time: new Date(FIRST + visit * DAY_MS + 12 * HOUR_MS + (index % 3) * 5 * HOUR_MS).toISOString(),
    reader_id: (visit % 40) + 1,
    url: `/${index % 7}`,
    title: 'T',
    device_type: ['PC', 'SP'][visit % 2],
    utm_source: ['x', 'y', undefined][visit % 3],
    country_code: visit % 5 === 0 ? undefined : 'JP',
  };
};
/** The first and the last page view of a visit have a click, the last one after midnight. */
const click = (index: number) => ({
  pv_id: index + 1,
  event_sec: index % 3 === 0 ? 5 : 9_000,
  selector: `#s${index % 4}`,
  page_y_pct: (index % 11) / 10,
});
const event = (index: number) => ({
  pv_id: index + 1,
  event_name: 'seen',
  access_time: new Date(Date.parse(view(index).access_time) + 60_000).toISOString(),
});

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
async function load(site: string, from: number, to: number): Promise<void> {
  const clicked = range(from, to).filter((index) => index % 3 !== 1);
  for (const [material, rows] of [
    ['allpv', range(from, to).map(view)],
    ['click_event', clicked.map(click)],
    ['datalayer_event', clicked.filter((index) => index % 5 === 0).map(event)],
  ] as const)
    await importRows(database.write, manifest, { material, site, rows });
}

const siteIdOf = async (site: string): Promise<number> => {
  const [siteId = 0] = await database.write
    .from('analytics.site')
    .where({ tracking_id: site })
    .pluck<number[]>('site_id');
  return siteId;
};

type Row = Readonly<Record<string, number | null>>;
const FIELDS = [
  ...['source_id', 'medium_id', 'campaign_id', 'content_id', 'reader_id', 'os_id', 'browser_id'],
  ...['language_id', 'country_id', 'location_id', 'device_id'],
];

async function rowsOf(table: string, siteId: number, viewAt = 'view_at'): Promise<readonly Row[]> {
  const { rows }: { rows: Row[] } = await database.write.raw(
    `SELECT *, extract(epoch FROM at)::float8 AS at, extract(epoch FROM ${viewAt})::float8 AS view_at
       FROM analytics.${table} WHERE site_id = ?`,
    [siteId],
  );
  return rows;
}

/** Expects the values that follow from the rows in PostgreSQL. */
async function expectValues(siteId: number): Promise<void> {
  const views = await rowsOf('page_view', siteId, 'at');
  const byId = new Map(views.map((row) => [row.pv_id, row]));
  const times = Map.groupBy(views, (row) => row.session_id);
  for (const [table, id] of [
    ['click', 'click_id'],
    ['event', 'event_id'],
  ] as const) {
    const expected = (await rowsOf(table, siteId)).map((row) => {
      const ofVisit = (times.get(row.session_id ?? null) ?? []).map(({ at }) =>
        Math.abs(Number(at) - Number(row.at)),
      );
      const ofView = byId.get(row.pv_id ?? null);
      if (ofView === undefined || ['view_at', 'session_id'].some((field) => ofView[field] !== row[field]))
        return [numberOrNull(row[id]), ...FIELDS.map(() => null), null, null];
      const values = FIELDS.map((field) => ofView[field] ?? null);
      return [row[id], ...values, ofVisit.length, Math.ceil(Math.max(...ofVisit) / QUARTER_HOUR)].map(
        numberOrNull,
      );
    });
    const outcome = await readCopy(
      columns,
      `SELECT ${[id, ...FIELDS, 'visit_views', 'visit_reach'].join(', ')} FROM analytics.${table} WHERE site_id = ${siteId}`,
    );
    if (!('rows' in outcome)) throw new Error(JSON.stringify(outcome));
    const found = outcome.rows.map((row) => [...row].map(numberOrNull));
    const byFirst = (one: readonly unknown[], other: readonly unknown[]) => Number(one[0]) - Number(other[0]);
    expect(found.toSorted(byFirst)).toEqual(expected.toSorted(byFirst));
  }
}
const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));

const joined = (from: string, to: string, key: string, more: object) => ({
  from: [from],
  join: { with: to, on: [{ left: `${from}.${key}`, right: `${to}.${key}` }], 'if not match': 'drop' },
  ...more,
});
const VIEWS = [
  joined('allpv', 'click_event', 'pv_id', {
    keep: ['allpv.device_type', 'allpv.url'],
    calc: { n: 'COUNT(click_event.pv_id)', y: 'SUM(click_event.page_y_pct)' },
  }),
  joined('allpv', 'click_event', 'session_id', {
    keep: ['allpv.device_type'],
    calc: {
      n: 'COUNT(click_event.pv_id)',
      y: 'SUM(click_event.page_y_pct)',
      m: 'MAX(click_event.event_sec)',
    },
  }),
  joined('allpv', 'datalayer_event', 'session_id', {
    filter: { utm_source: 'x', device_type: 'PC' },
    keep: ['datalayer_event.event_name'],
    calc: { n: 'COUNT(datalayer_event.pv_id)' },
  }),
  // Reads nothing from the page views.
  joined('allpv', 'click_event', 'session_id', {
    keep: ['click_event.selector'],
    calc: { n: 'COUNT(click_event.pv_id)' },
  }),
];
const RANGES = [
  ['2024-01-01T00:00:00', '2027-01-01T00:00:00'],
  ['2025-02-01T17:00:00', '2025-03-01T17:00:00'],
  // Visits near the start continue, and visits near the end began, more than half a day from a click.
  ['2025-02-01T05:00:00', '2025-03-02T10:00:00'],
  // Visits are longer than half of these ranges.
  ['2025-02-01T12:00:06', '2025-02-01T22:00:00'],
  ['2025-02-01T23:00:00', '2025-02-02T12:00:00'],
] as const;
const [WHOLE, LONG_RANGES] = [0, 3];
/** Selects the whole range and one other range, a different one each turn. A long run selects all ranges. */
const isAsked = (range: number, turn: number): boolean =>
  IS_LONG_RUN || range === WHOLE || range === 1 + (turn % (RANGES.length - 1));

/** Whether a query, identified by the indexes of its view and range, reads clicks or events alone. */
type IsAlone = (view: number, range: number) => boolean;
const ALL: IsAlone = (view, range) => view === 0 || range < LONG_RANGES;
const WITHOUT_FIELDS: IsAlone = (view, range) => view === 0 || (view === 3 && range < LONG_RANGES);
const WHOLE_WITHOUT_FIELDS: IsAlone = (view, range) => view === 0 || (view === 3 && range === WHOLE);
const NONE: IsAlone = () => false;

/** Expects the same answers as from rows, and that only the queries selected by `isAlone` read clicks or events alone. */
async function expectAnswers(site: string, turn: number, isAlone: IsAlone): Promise<void> {
  const context = await createContext(database, { columns });
  for (const [view, v] of VIEWS.entries())
    for (const [range, [start, end]] of RANGES.entries()) {
      if (!isAsked(range, turn + view)) continue;
      const document = readDocument(
        JSON.stringify({
          tracking_id: site,
          materials: ['allpv', 'click_event', 'datalayer_event'].map((name) => ({ name })),
          result: { use: 'v' },
          time: { start, end, tz: 'UTC' },
          make: { v },
        }),
      );
      const text = await expectSameAnswer(document, context);
      const alone = text.includes('"visit_views"') || !text.includes('"page_view"');
      expect({ view, range, alone }).toEqual({ view, range, alone: isAlone(view, range) });
    }
}

/** `changes` is the SQL after `UPDATE analytics.page_view SET`. */
const update = (changes: string, pv: number) => (siteId: number) =>
  database.write.raw(`UPDATE analytics.page_view SET ${changes} WHERE pv_id = ${pv} AND site_id = ${siteId}`);
const updateClick = (changes: string, pv: number) => (siteId: number) =>
  database.write.raw(`UPDATE analytics.click SET ${changes} WHERE pv_id = ${pv} AND site_id = ${siteId}`);
const remove = (table: string, pv: number) => (siteId: number) =>
  database.write.raw(`DELETE FROM analytics.${table} WHERE pv_id = ${pv} AND site_id = ${siteId}`);

/** The clicks of the visit were on the day before. */
async function removeLater(siteId: number): Promise<void> {
  await update("at = at + interval '8 hours'", 308)(siteId);
  await columns.refresh();
  await remove('page_view', 308)(siteId);
}

/** The last visit has another view a hundred days later. In between, there is only a visit without clicks. */
const continueLastVisit = (siteId: number) =>
  database.write.raw(
    `INSERT INTO analytics.page_view SELECT (jsonb_populate_record(v, added)).* FROM analytics.page_view v,
       LATERAL (VALUES (jsonb_build_object('pv_id', 1001, 'at', at + interval '1 day', 'session_id', 1001, 'pv', 1)),
                       (jsonb_build_object('pv_id', 1002, 'at', at + interval '100 days', 'pv', 4))) x (added)
      WHERE pv_id = 360 AND site_id = ?`,
    [siteId],
  );

/** A visit of five days instead of five visits. */
const joinVisits = async (siteId: number) => {
  await database.write.raw(
    `UPDATE analytics.page_view v
        SET pv = v.pv_id - f.pv_id + 1, (session_id, reader_id, device_id, source_id, country_id)
          = (f.session_id, f.reader_id, f.device_id, f.source_id, f.country_id)
       FROM analytics.page_view f WHERE f.pv_id = 94 AND f.site_id = ? AND v.site_id = f.site_id AND v.pv_id BETWEEN 95 AND 108`,
    [siteId],
  );
  await database.write.raw(
    `UPDATE analytics.click c SET session_id = v.session_id FROM analytics.page_view v
      WHERE c.site_id = ? AND v.site_id = c.site_id AND v.pv_id = c.pv_id AND c.session_id <> v.session_id`,
    [siteId],
  );
  await database.write.raw(
    `UPDATE analytics.event c SET session_id = v.session_id FROM analytics.page_view v
      WHERE c.site_id = ? AND v.site_id = c.site_id AND v.pv_id = c.pv_id AND c.session_id <> v.session_id`,
    [siteId],
  );
};

/** Changes, each with the queries that read clicks or events alone after it. */
const CASES: readonly (readonly [string, (siteId: number, site: string) => Promise<unknown>, IsAlone])[] = [
  ['no change', async () => {}, ALL],
  ['later visits', (_id, site) => load(site, 360, 420), ALL],
  ['earlier visits', (_id, site) => load(site, 0, 60), ALL],
  ['a view from another country', update('country_id = NULL', 306), ALL],
  ['a view on another device', update('device_id = 3 - device_id', 102), WITHOUT_FIELDS],
  ['a removed view without clicks', remove('page_view', 308), ALL],
  ['a removed click', remove('click', 304), ALL],
  ['a changed click', updateClick("selector_id = 1, to_url = '/x'", 306), ALL],
  ['a view that belongs to an earlier visit', update('session_id = 101', 308), WITHOUT_FIELDS],
  ['a later view', update("at = at + interval '1 hour'", 308), ALL],
  ['a view of the next day', update("at = at + interval '8 hours'", 308), ALL],
  ['a view of the next day that was removed later', removeLater, ALL],
  ['visits of several days', joinVisits, ALL],
  ['a view long after the last click', continueLastVisit, WHOLE_WITHOUT_FIELDS],
  ['a removed view with clicks', remove('page_view', 306), NONE],
  ['another time of a view with clicks', update("at = at + interval '1 minute'", 306), NONE],
  ['another visit of a view with clicks', update('session_id = 101', 306), NONE],
];

beforeAll(async () => {
  const names = CASES.map((_case, index) => `site-${index}`);
  await applySites(database.write, {
    sites: names.map((name) => ({ tracking_id: name, domain: `${name}.example`, name, timezone: 'UTC' })),
  });
  await load('site-0', 60, 360);
  await repeatRows(database.write);
  // Computing the values of all sites at once takes less time.
  const { folder, stop } = await openTestColumns(database, { ...COUNTING, smallSiteRows: undefined });
  await stop({ keep: true });
  columns = await openTestColumns(database, { ...COUNTING, folder });
});
afterAll(() => columns.stop());

test.each(CASES.map((it, index) => [...it, index] as const))(
  'the values are correct after %s',
  async (_title, change, isAlone, index) => {
    const site = `site-${index}`;
    const siteId = await siteIdOf(site);
    await change(siteId, site);
    await columns.refresh();
    await expectValues(siteId);
    await expectAnswers(site, index, isAlone);
  },
);

test('stored values are read only if they have been computed for the whole range', async () => {
  const folder = await mkdtemp(join(throwawayFolder(), 'qal-values-'));
  const file = await openColumnFile({ folder, memoryMb: 64, tempMb: 64, threads: 1 });
  await file.write(async (run) => {
    const rows = `(1, 'views_of_click', 'click', 100, 3), (2, 'views_of_click', 'click', 'infinity', 5)`;
    const statements = ['CREATE SCHEMA analytics', ...createCounts([]), `INSERT INTO counted VALUES ${rows}`];
    for (const text of statements) await run({ text });
  });
  const nothing = { tables: [], facts: [], values: viewValues(manifest) };
  const counts = await openCounts(file, nothing, createMemoryLog().log);
  const countOf = (sites: readonly number[], end: number) =>
    counts.viewFields('click_event', sites, end).size;
  expect([countOf([1, 2], 100), countOf([1, 2], 101), countOf([2], 101), countOf([3], 100)]).toEqual([
    13, 0, 13, 0,
  ]);
  expect(counts.visitReach('click_event', [1, 2])).toBe(5 * QUARTER_HOUR);
  expect([...counts.viewFields('allpv', [2], 100)]).toEqual([]);
  await file.close();
  await rm(folder, { recursive: true });
});
