// Sessions are exact for rows in any order and any number of imports: random files are imported, and their sessions are compared
// with those of a plain loop.
import fc from 'fast-check';
import { importRows } from '../../../extension/data/import/import-rows';
import { IMPORT_LIMITS } from '../../../extension/data/import/limits';
import { tries } from '../../support/long-run';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, storedViews, TINY } from './import-setup';
import { type ModelRow, modelSessions, readerOf, withArrivals } from './session-model';

const database = useTestDatabase();

const START = 1_770_000_000;

interface Draft {
  readonly reader: number | undefined;
  readonly original: number | undefined;
  readonly session: number | undefined;
  readonly minutes: number;
  readonly seconds: number;
  readonly pv: number | undefined;
  readonly is_last: number | undefined;
  readonly is_newuser: number | undefined;
  readonly first: number | undefined;
  readonly file: number;
  readonly shuffle: number;
  readonly again: Again | undefined;
}

/** The row appears again in a later file: unchanged or, if it has a pv_id, with another visitor, time and page. */
interface Again {
  readonly file: number;
  readonly changed: boolean;
  readonly minutes: number;
  readonly reader: number;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>, of = 2): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: of - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

type Who = Partial<Record<'reader' | 'original' | 'session', fc.Arbitrary<number | undefined>>>;

const draft = (who: Who): fc.Arbitrary<Draft> =>
  fc.record({
    reader: fc.constant(undefined),
    original: fc.constant(undefined),
    session: fc.constant(undefined),
    // Gaps can be exactly 30 minutes, or one second shorter or longer.
    minutes: fc.integer({ min: 0, max: 16 }).map((step) => step * 10),
    seconds: fc.constantFrom(0, 0, 1, 30),
    pv: maybe(fc.integer({ min: 1, max: 9 }), 5),
    is_last: maybe(fc.constantFrom(0, 1), 5),
    is_newuser: maybe(fc.constantFrom(0, 1), 5),
    first: maybe(
      fc.integer({ min: -1, max: 16 }).map((step) => step * 10),
      5,
    ),
    file: fc.integer({ min: 0, max: 3 }),
    shuffle: fc.nat(1000),
    again: maybe(
      fc.record({
        file: fc.integer({ min: 0, max: 3 }),
        changed: fc.boolean(),
        minutes: fc.integer({ min: 0, max: 16 }).map((step) => step * 10),
        reader: fc.integer({ min: 1, max: 3 }),
      }),
    ),
    ...who,
  });

const few = fc.integer({ min: 1, max: 3 });

function rowsOf(drafts: readonly Draft[], givenIds: boolean): { row: ModelRow; file: number }[] {
  const places = drafts
    .map((_, index) => index)
    .sort((a, b) => (drafts[a]?.shuffle ?? 0) - (drafts[b]?.shuffle ?? 0));
  return drafts.map((one, index) => ({
    file: one.file,
    row: {
      url: `https://example.com/${String(index).padStart(3, '0')}`,
      access_time: START + one.minutes * 60 + one.seconds,
      ...(givenIds ? { pv_id: (places[index] ?? 0) + 1 } : {}),
      ...(one.reader === undefined ? {} : { reader_id: one.reader }),
      ...(one.original === undefined ? {} : { original_id: `visitor ${one.original}` }),
      ...(one.session === undefined ? {} : { session_id: one.session }),
      ...(one.pv === undefined ? {} : { pv: one.pv }),
      ...(one.is_last === undefined ? {} : { is_last: one.is_last }),
      ...(one.is_newuser === undefined ? {} : { is_newuser: one.is_newuser }),
      ...(one.first === undefined ? {} : { 'fact.first_at': START + one.first * 60 }),
    },
  }));
}

/** Rows that appear a second time. */
function rowsAgain(
  drafts: readonly Draft[],
  first: readonly { readonly row: ModelRow; readonly file: number }[],
  givenIds: boolean,
): { row: ModelRow; file: number }[] {
  return drafts.flatMap(({ again }, index) => {
    const before = first[index];
    if (again === undefined || before === undefined || again.file <= before.file) return [];
    if (!givenIds) return [{ row: before.row, file: again.file }];
    const { changed, minutes, reader } = again;
    const other = changed
      ? { access_time: START + minutes * 60, reader_id: reader, url: `${before.row.url}/again` }
      : {};
    return [{ row: { ...before.row, ...other }, file: again.file }];
  });
}

/** Replaces session and visitor ids with numbers in order of first use, so that only the grouping of views is compared. */
function renamed<T extends { readonly session: unknown; readonly reader: unknown }>(views: readonly T[]) {
  const sessions = new Map<unknown, number>();
  const readers = new Map<unknown, number>();
  const name = (names: Map<unknown, number>, key: unknown): number => {
    if (!names.has(key)) names.set(key, names.size);
    return names.get(key) ?? -1;
  };
  return views.map((view) => ({
    ...view,
    session: name(sessions, view.session),
    reader: name(readers, view.reader),
  }));
}

type Rule = 'replace' | 'keep';

async function check(
  drafts: readonly Draft[],
  givenIds: boolean,
  sorted: boolean,
  rule: Rule,
): Promise<void> {
  const site = await newSite(database.write);
  const first = rowsOf(drafts, givenIds);
  const rows = [...first, ...rowsAgain(drafts, first, givenIds)];
  const known = new Map<string | number, ModelRow>();
  let arrived: readonly ModelRow[] = [];
  const firstTimes = new Map<string, number>();
  for (const file of [0, 1, 2, 3]) {
    const fileRows = rows.filter((one) => one.file === file).map((one) => one.row);
    if (fileRows.length === 0) continue;
    if (sorted) fileRows.sort((a, b) => a.access_time - b.access_time);
    let added = 0;
    if (!givenIds) arrived = withArrivals(arrived, fileRows);
    for (const row of fileRows) {
      const key = row.pv_id ?? row.url;
      const before = known.get(key);
      if (before === undefined) added += 1;
      const view = rule === 'keep' && before !== undefined ? before : { ...before, ...row };
      known.set(key, view);
      const first = row['fact.first_at'];
      if (first !== undefined && !readerOf(view).startsWith('alone '))
        firstTimes.set(readerOf(view), Math.min(first, firstTimes.get(readerOf(view)) ?? first));
    }
    const limits = file % 2 === 0 ? TINY : IMPORT_LIMITS;
    const report = await importRows(database.write, manifest, {
      material: 'allpv',
      site,
      rows: fileRows,
      limits,
      onConflict: rule,
    });
    expect(report).toMatchObject({ read: fileRows.length, added, rejected: 0 });
    expect(report.unchanged + report.updated + report.kept).toBe(fileRows.length - added);
  }
  const expected = [...modelSessions(givenIds ? [...known.values()] : arrived, firstTimes)].sort((a, b) =>
    a.url < b.url ? -1 : 1,
  );
  const stored = await storedViews(database.write, site);
  const found = stored.map((view) => ({
    url: view.url,
    session: view.session_id,
    reader: view.reader_id,
    pv: view.pv,
    is_last: view.is_last,
    prev_url: view.prev_url,
    next_url: view.next_url,
    is_newuser: view.is_newuser,
  }));
  expect(renamed(found)).toEqual(renamed(expected));
}

const RUNS = tries(4, 15);

test.each([
  ['visitors given, sessions generated', { reader: few }],
  ['visitors identified by original_id', { original: few }],
  ['sessions given, across visitors', { session: few, reader: few }],
  ['sessions given, visitors not', { session: few }],
  ['everything mixed, or missing', { reader: maybe(few), original: maybe(few), session: maybe(few) }],
])('%s', async (_name, who) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(draft(who), { minLength: 1, maxLength: 24 }),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom<Rule>('replace', 'keep'),
      async (drafts, givenIds, sorted, rule) => check(drafts, givenIds, sorted, rule),
    ),
    { numRuns: RUNS },
  );
});

test("if a visitor's first two visits begin in the same second, the one that was stored earlier stays the first", async () => {
  const site = await newSite(database.write);
  const load = (rows: object[]) => importRows(database.write, manifest, { material: 'allpv', site, rows });
  const at = (seconds: number, page: number, ids: object) => ({
    access_time: START + seconds,
    url: `https://a/${page}`,
    ...ids,
  });
  await load([at(4801, 2, { reader_id: 2, session_id: 1 }), at(4801, 3, { reader_id: 2, session_id: 3 })]);
  await load([at(1200, 0, { original_id: 'x', session_id: 1 })]);
  await load([at(0, 1, { original_id: 'x', session_id: 2 }), at(7200, 5, { reader_id: 2, session_id: 2 })]);
  const views = await storedViews(database.write, site);
  expect(views.map(({ url, is_newuser }) => [url, is_newuser]).toSorted()).toEqual([
    ['https://a/0', false],
    ['https://a/1', true],
    ['https://a/2', true],
    ['https://a/3', false],
    ['https://a/5', false],
  ]);
});

test('a gap of 30 minutes does not split a session, but one second more does', async () => {
  const site = await newSite(database.write);
  const at = (seconds: number, url: string) => ({ access_time: START + seconds, url, original_id: 'x' });
  const rows = [at(0, 'https://a/1'), at(1800, 'https://a/2'), at(3601, 'https://a/3')];
  await importRows(database.write, manifest, { material: 'allpv', site, rows });
  const views = await storedViews(database.write, site);
  expect(views.map((view) => [view.pv, view.is_last, view.is_newuser])).toEqual([
    [1, false, true],
    [2, true, true],
    [1, true, false],
  ]);
});

test('previous and next pages from a file are kept, even if a later file completes the session', async () => {
  const site = await newSite(database.write);
  const load = (rows: object[]) => importRows(database.write, manifest, { material: 'allpv', site, rows });
  await load([
    { url: 'https://a/2', access_time: START + 60, reader_id: 1, next_url: 'https://given/', is_newuser: 0 },
  ]);
  await load([{ url: 'https://a/1', access_time: START, reader_id: 1 }]);
  await load([{ url: 'https://a/3', access_time: START + 90, reader_id: 1 }]);
  const views = await storedViews(database.write, site);
  expect(views.map((view) => [view.url, view.pv, view.prev_url, view.next_url, view.is_newuser])).toEqual([
    ['https://a/1', 1, null, 'https://a/2', true],
    ['https://a/2', 2, 'https://a/1', 'https://given/', false],
    ['https://a/3', 3, 'https://a/2', null, true],
  ]);
});

test('importing a stored, unchanged view again does not merge the sessions around it', async () => {
  const site = await newSite(database.write);
  const view = (minutes: number, more: object) => ({ access_time: START + minutes * 60, ...more });
  const load = (rows: object[]) =>
    importRows(database.write, manifest, { material: 'allpv', site, rows, limits: TINY, onConflict: 'keep' });
  await load([view(0, { url: 'https://a/stored', reader_id: 99, pv_id: 1 })]);
  const report = await load([
    view(300, { url: 'https://a/1', reader_id: 7 }),
    view(320, { url: 'https://a/2', reader_id: 7, pv_id: 1 }),
    view(340, { url: 'https://a/3', reader_id: 7 }),
  ]);
  expect(report).toMatchObject({ added: 2, kept: 1 });
  const views = await storedViews(database.write, site);
  expect(new Set(views.map((one) => one.session_id)).size).toBe(3);
  expect(views.map((one) => [one.url, one.pv, one.is_last])).toEqual([
    ['https://a/1', 1, true],
    ['https://a/3', 1, true],
    ['https://a/stored', 1, true],
  ]);
});

test('views of a visit may be a century apart', async () => {
  const site = await newSite(database.write);
  const view = (year: number) => ({
    url: `https://a/${year}`,
    access_time: `${year}-01-01T00:00:00Z`,
    session_id: 5,
    'fact.is_browse_derived': 1,
  });
  await importRows(database.write, manifest, { material: 'allpv', site, rows: [view(1996), view(2098)] });
  const views = await storedViews(database.write, site);
  expect(views.map(({ pv, browse_sec }) => [pv, browse_sec])).toEqual([
    [1, 2_147_483_647],
    [2, null],
  ]);
});

test('clicks and events follow their view to another visit, even if nothing else about the view changes', async () => {
  const site = await newSite(database.write);
  const load = (material: string, more: object) =>
    importRows(database.write, manifest, { material, site, rows: [{ pv_id: 1, ...more }] });
  const view = { url: 'https://a/', access_time: START, reader_id: 1 };
  await load('allpv', { ...view, session_id: 5 });
  await load('click_event', { event_sec: 1, selector: '#a' });
  await load('datalayer_event', { access_time: START + 1, event_name: 'play' });
  await load('allpv', { ...view, session_id: 6 });
  const { rows } = await database.write.raw(
    `SELECT c.session_id::int AS of_click, e.session_id::int AS of_event
       FROM analytics.click c JOIN analytics.event e USING (site_id) JOIN analytics.site USING (site_id) WHERE tracking_id = ?`,
    [site],
  );
  expect(rows).toEqual([{ of_click: 6, of_event: 6 }]);
});
