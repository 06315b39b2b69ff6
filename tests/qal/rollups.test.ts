// Answers from kept counts are the answers from rows: over ranges with ragged ends, in other zones, over several sites of
// which one has no counts, with visits across midnights and across the ends, on nights when clocks change, with late rows.
import { importRows } from '../../extension/import/import-rows';
import { readDocument } from '../../extension/qal/parse/read-document';
import { readRows } from '../../extension/qal/run/read-rows';
import { DataChanged } from '../../extension/qal/run/while-current';
import { compilePlan } from '../../extension/qal/sql/compile-plan';
import { postgresql } from '../../extension/qal/sql/dialects/postgresql';
import type { Plan, PlanNode } from '../../extension/qal/types/plan';
import type { QueryContext } from '../../extension/qal/types/query-context';
import type { RollupNode } from '../../extension/qal/types/rollup-node';
import { prepareQuery, runQuery } from '../../extension/run-query';
import { applySites } from '../../extension/storage/sites/apply-sites';
import { stateOfSite } from '../../extension/storage/sites/site-states';
import { createTestDatabase } from '../support/database';
import { useTestDatabase } from '../support/use-database';
import { createContext, manifest } from './query-setup';

const SITES = [
  ['berlin', 'Europe/Berlin'],
  ['havana', 'America/Havana'],
  ['rows', 'UTC'],
] as const;
const DAY = 86_400;
/** Clocks go forward in Berlin at 2026-03-29 01:00Z, in Havana, at midnight, on 2026-03-08. */
const FIRST = Date.parse('2026-03-05T00:00:00Z') / 1000;
const DAYS = 32;
const VISITS_A_DAY = 5;

const database = useTestDatabase();
let context: QueryContext;
beforeAll(async () => {
  await applySites(database.write, {
    sites: SITES.map(([name, timezone]) => ({
      ...{ tracking_id: name, domain: `${name}.example`, name, timezone },
    })),
  });
  for (const [place, [site]] of SITES.entries()) {
    const rows = visits(place);
    // The days in the middle come last.
    const isLate = (row: (typeof rows)[number]): boolean => row.session_id % 7 === 3;
    await load(
      site,
      rows.filter((row) => !isLate(row)),
    );
    await load(site, rows.filter(isLate));
  }
  await database.write('analytics.rollup_state').where({ site_id: 3 }).delete();
  context = await createContext(database);
});

/** Visits of four views each, some of them over midnight, of visitors who come back; their numbers decide all else. */
function visits(place: number) {
  return Array.from({ length: DAYS * VISITS_A_DAY }, (_, index) => {
    const session_id = 1 + index;
    const began = FIRST + (index / VISITS_A_DAY) * DAY + ((index * 7919 + place * 977) % 40_000);
    const pv = [1, 2, 3, 4].slice(0, 1 + ((index + place) % 4));
    return pv.map((number) => ({
      ...{ pv_id: session_id * 10 + number, session_id, pv: number, reader_id: 1 + ((index * 13) % 23) },
      access_time: new Date((began + number * 2400) * 1000).toISOString(),
      url: `/${(index * number + place) % 6}`,
      title: `T${(index * number) % 2}`,
      device_type: ['PC', 'SP', 'tablet'][(index + (number === 4 ? 1 : 0)) % 3],
      country_code: [undefined, 'JP', 'DE'][index % 3],
      utm_source: [undefined, 'x', 'y', 'x'][index % 4],
      referrer: `https://r.example/${index % 4}`,
      browse_sec: number === 2 ? undefined : (index * number) % 50,
      is_last: number === pv.length ? 1 : 0,
      is_newuser: index % 5 === 0 ? 1 : 0,
      irritation_click_count: (index + number) % 3 === 0 ? 2 : 0,
    }));
  }).flat();
}

async function load(site: string, rows: readonly ReturnType<typeof visits>[number][]): Promise<void> {
  await importRows(database.write, manifest, { material: 'allpv', site, rows: [...rows] });
  const clicks = rows.flatMap(({ pv_id }) =>
    [0, 1, 5000]
      .slice(0, pv_id % 4)
      .map((event_sec) => ({ pv_id, event_sec, selector: `#s${event_sec % 3}` })),
  );
  await importRows(database.write, manifest, { material: 'click_event', site, rows: clicks });
}

type Range = readonly [start: string, end: string, tz: string];
const ranges: readonly [Range, Range, ...Range[]] = [
  ['2026-01-01T00:00:00', '2027-01-01T00:00:00', 'Europe/Berlin'],
  ['2026-03-10T00:00:00', '2026-04-01T00:00:00', 'Europe/Berlin'],
  ['2026-03-07T13:14:15', '2026-03-30T02:30:01', 'Europe/Berlin'],
  ['2026-03-07T05:00:00', '2026-03-29T12:00:00', 'America/Havana'],
  ['2026-03-06T00:00:00', '2026-04-05T00:00:00', 'Asia/Kathmandu'],
];

const N = { n: 'COUNT(allpv.pv_id)' };
const SESSIONS = { s: 'COUNTUNIQUE(allpv.session_id)' };
const VALUES = { ...SESSIONS, r: 'COUNTUNIQUE(allpv.reader_id)' };
const MEASURES = {
  ...{ a: 'AVERAGE(allpv.browse_sec)', b: 'SUM(allpv.browse_sec)', c: 'COUNT(allpv.browse_sec)' },
  ...{ d: 'SUM(allpv.irritation_click_count)', e: 'AVERAGE(allpv.is_newuser)' },
};

const of = (keep: readonly string[], calc: object, more: object = {}) => ({
  ...{ from: ['allpv'], keep: keep.map((name) => `allpv.${name}`), calc, ...more },
});
const clicks = (more: object = {}) => ({
  ...{
    from: ['click_event'],
    keep: ['click_event.selector'],
    calc: { n: 'COUNT(click_event.pv_id)' },
    ...more,
  },
});

const views: readonly (readonly [string, object])[] = [
  ['totals', of([], { ...N, ...VALUES, ...MEASURES })],
  ['pages', of(['url'], { ...N, ...MEASURES })],
  ['visits per page', of(['page_id'], { ...SESSIONS, ...N })],
  ['texts that pages share', of(['title'], N)],
  ['sources', of(['utm_source'], { ...N, ...MEASURES })],
  ['visitors by country', of(['country_code'], { ...VALUES, ...N })],
  ['visits on one device', of([], VALUES, { filter: { device_type: 'SP' } })],
  ['pages on one device', of(['url'], N, { filter: { device_type: 'SP' } })],
  ['pages of some beginning', of(['url'], N, { filter: { url: { prefix: '/1' } } })],
  ['landing pages', of(['url'], { ...N, bounces: 'AVERAGE(allpv.is_last)' }, { filter: { pv: 1 } })],
  [
    'rage',
    of(['url', 'device_type'], { ...N, d: MEASURES.d }, { filter: { irritation_click_count: { gt: 0 } } }),
  ],
  ['new visitors', of(['is_newuser'], { ...VALUES, ...N })],
  ['sites', of(['tracking_id'], { ...N, ...VALUES })],
  ['clicks', clicks()],
  [
    'clicks on views of the range',
    clicks({
      join: {
        with: 'allpv',
        on: [{ left: 'click_event.pv_id', right: 'allpv.pv_id' }],
        'if not match': 'drop',
      },
    }),
  ],
];

const perPeriod: readonly (readonly [string, object])[] = [
  ['days', of(['access_date'], { ...N, ...VALUES })],
  ['landings per day and source', of(['access_date', 'utm_source'], N, { filter: { pv: 1 } })],
  ['months', of(['access_month', 'device_type'], { ...VALUES, ...MEASURES })],
];

const body = (trackingId: string, view: object, [start, end, tz]: Range, more: object = {}) =>
  JSON.stringify({
    tracking_id: trackingId,
    materials: [{ name: 'allpv' }, { name: 'click_event' }],
    time: { start, end, tz },
    make: { v: view },
    result: { use: 'v', limit: 1000, ...more },
  });

/** The answer in both ways, and whether counts were read for the first one. */
async function bothWays(text: string) {
  const withoutCounts = { ...context, withoutPasses: ['read-rollups'] };
  return {
    read: (await prepareQuery(readDocument(text), context)).sql.text.includes('"analytics"."rollup'),
    kept: await runQuery(readDocument(text), context),
    rows: await runQuery(readDocument(text), withoutCounts),
  };
}

describe.each(ranges)('from %s to %s, %s', (...range) => {
  test.each(views)('%s', async (_name, view) => {
    for (const trackingId of ['berlin', 'havana', 'all']) {
      const { read, kept, rows } = await bothWays(body(trackingId, view, range));
      expect(read).toBe(true);
      expect(kept).toEqual(rows);
      expect(rows.rows.length).toBeGreaterThan(0);
    }
  });

  test.each(perPeriod)('%s', async (_name, view) => {
    for (const trackingId of ['berlin', 'havana', 'all']) {
      const { kept, rows } = await bothWays(body(trackingId, view, range));
      expect(kept).toEqual(rows);
      expect(rows.rows.length).toBeGreaterThan(0);
    }
  });
});

test.each(perPeriod)('%s of the zone of a site are read from its counts', async (_name, view) => {
  for (const range of ranges.slice(0, 3)) {
    expect((await bothWays(body('berlin', view, range))).read).toBe(true);
  }
});

test.each([
  ['of groups', of(['url'], N)],
  ['of landing pages', of(['url'], N, { filter: { pv: 1 } })],
  ['of rows', { from: ['allpv'], keep: ['allpv.pv_id'] }],
])('the number %s', async (_name, view) => {
  for (const range of ranges) {
    const { read, kept, rows } = await bothWays(body('berlin', view, range, { count_only: true }));
    expect(read).toBe(true);
    expect(kept).toEqual(rows);
    expect(rows.count).toBeGreaterThan(0);
  }
});

test('a filter that leaves no row gives one row without a key, and none with one', async () => {
  const [, range] = ranges;
  const none = { filter: { country_code: 'ZZ' } };
  const total = await bothWays(body('berlin', of([], { ...N, ...MEASURES }, none), range));
  expect(total.read).toBe(true);
  expect(total.kept).toEqual(total.rows);
  expect(total.kept.rows).toEqual([[0, null, 0, 0, 0, null]]);
  const groups = await bothWays(body('berlin', of(['country_code'], N, none), range));
  expect(groups.kept.rows).toEqual([]);
});

describe('the versions that a plan relied on', () => {
  const BLOCKS = [{ siteId: 1, level: 3, block: 320, before: 20_480, value: null }];

  /** A total of what a leaf holds, joined to nothing, to rows that are not there, or put beside these. */
  function planOver(
    version: number,
    blocks: RollupNode['blocks'],
    shape: 'alone' | 'joined' | 'beside',
  ): Plan {
    const leaf: RollupNode = {
      ...{ kind: 'rollup', material: 'allpv', dimension: { code: 1, keys: [] }, counted: null },
      ...{ sites: [{ siteId: 1, version }], blocks, period: null },
      measures: [{ name: 'n', array: 'row_count' }],
    };
    const total: PlanNode = {
      kind: 'group',
      input: leaf,
      keys: [],
      aggregates: [{ name: 'total', function: 'SUM', column: 'n', type: 'int', within: [] }],
    };
    const none: PlanNode = {
      ...{ kind: 'group', keys: [], aggregates: [{ ...counted, name: 'total' }] },
      input: { kind: 'scan', material: 'allpv', siteIds: [9], bounds: { kind: 'always' } },
    };
    const on = [{ left: 'total', right: 'total' }];
    const roots: Record<typeof shape, PlanNode> = {
      alone: total,
      joined: { kind: 'join', left: total, right: none, on, mode: 'keep-left', columns: [] },
      beside: { kind: 'union', inputs: [none, total], columns: ['total'] },
    };
    const output = {
      view: 'v',
      clock: [],
      kind: 'count',
      columns: [],
      limit: 1,
      total: 'total',
      top: null,
    } as const;
    return { root: roots[shape], counted: null, output };
  }
  const counted = { function: 'COUNT', column: null, type: 'int', within: [] } as const;
  const read = (plan: Plan) =>
    readRows(compilePlan(plan, { dialect: postgresql, storage: manifest }), 'v', context);

  test.each(['alone', 'joined', 'beside'] as const)(
    'are checked before anything is read (%s)',
    async (shape) => {
      const version = (await stateOfSite('berlin', context))[0]?.version ?? 0;
      for (const blocks of [BLOCKS, []]) {
        await expect(read(planOver(version, blocks, shape))).resolves.toBeDefined();
        await expect(read(planOver(version - 1, blocks, shape))).rejects.toBeInstanceOf(DataChanged);
      }
    },
  );

  test('are checked where the tables are empty', async () => {
    const empty = await createTestDatabase();
    try {
      await applySites(empty.write, {
        sites: [{ tracking_id: 'a', domain: 'a', name: 'A', timezone: 'UTC' }],
      });
      const own = await createContext(empty);
      const version = (await stateOfSite('a', own))[0]?.version ?? 0;
      const run = (plan: Plan) =>
        readRows(compilePlan(plan, { dialect: postgresql, storage: manifest }), 'v', own);
      expect(await run(planOver(version, BLOCKS, 'alone'))).toEqual([[0]]);
      await expect(run(planOver(version + 1, BLOCKS, 'alone'))).rejects.toBeInstanceOf(DataChanged);
      await expect(run(planOver(version + 1, [], 'beside'))).rejects.toBeInstanceOf(DataChanged);
    } finally {
      await empty.drop();
    }
  });

  test('of a site that changes are read again', async () => {
    const text = body('berlin', of([], N), ranges[0]);
    const before = await runQuery(readDocument(text), context);
    await load('berlin', [{ ...first(visits(0)), pv_id: 999_999, session_id: 999_999 }]);
    const { read: isKept, kept, rows } = await bothWays(text);
    expect(isKept).toBe(true);
    expect(kept).toEqual(rows);
    expect(kept.rows).toEqual([[Number(before.rows[0]?.[0]) + 1]]);
  });
});

function first<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('Nothing there.');
  return item;
}
