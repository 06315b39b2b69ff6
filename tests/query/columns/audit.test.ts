// The audit compares the copy with PostgreSQL row by row. Differences are found and reported, and the copy is rebuilt.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { microsField } from '../../../extension/language/types/micros';
import { uniqueCountsTable } from '../../../extension/language/types/unique-counts';
import { startAudit } from '../../../extension/query/columns/audit';
import type { Difference } from '../../../extension/query/columns/check-copied';
import { type ColumnsStatus, STATUS_FILE } from '../../../extension/query/columns/columns-status';
import type { Finder } from '../../../extension/query/columns/found-differences';
import { openCopy } from '../../../extension/query/columns/open-copy';
import type { PieceSizes } from '../../../extension/query/columns/site-spans';
import { countsTables } from '../../../extension/query/columns/unique-counts';
import { useCaseDatabase } from '../../language/query-setup';
import {
  countingNothing,
  countingOnlyBy,
  expectEqualTables,
  openTestColumns,
  type TestColumns,
  type TestColumnsOptions,
} from '../../support/columns';
import { lookAtCopy } from '../../support/look-at-copy';
import { createMemoryLog } from '../../support/memory-log';
import { throwawayFolder } from '../../support/throwaway-postgres';
import { useTestDatabase } from '../../support/use-database';

const { database } = useCaseDatabase();
/** Without sites, a round of the audit has nothing to compare. */
const withoutSites = useTestDatabase();
const { log, logged } = createMemoryLog();
/** A complete copy. Each test starts with its own duplicate. */
let pristine: string;
let folder: string;
let siteCount: number;
let opened: TestColumns | undefined;
const makeFolder = async () => mkdtemp(join(throwawayFolder(), 'qal-audit-'));
beforeAll(async () => {
  // Auditing takes the same time for every site, so only two are kept: one with rows in every table, and an empty one.
  await database.write('analytics.site').where({ tracking_id: 'blog' }).delete();
  // A visit on two devices.
  await database.write.raw(`UPDATE analytics.page_view SET device_id = 3 - device_id
    WHERE site_id = 1 AND pv_id = (SELECT min(pv_id) FROM analytics.page_view WHERE site_id = 1 AND pv = 2)`);
  pristine = await makeFolder();
  const columns = await openTestColumns(database, { folder: pristine });
  siteCount = (await columns.status()).sites.length;
  await columns.stop({ keep: true });
});
afterAll(() => rm(pristine, { recursive: true, force: true }));
beforeEach(async () => {
  logged.splice(0);
  folder = await makeFolder();
  await cp(pristine, folder, { recursive: true });
});
afterEach(async () => {
  await opened?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function open(
  auditHours: number,
  options: TestColumnsOptions = {},
  source = database,
): Promise<TestColumns> {
  opened = await openTestColumns(source, { folder, log, auditHours, auditRest: 0, ...options });
  return opened;
}

/** Changes the copy's file, as a hardware fault might. */
async function damage(statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(join(folder, 'columns.duckdb'));
  const connection = await instance.connect();
  for (const statement of statements) {
    const { rowsChanged } = await connection.run(statement);
    expect(rowsChanged).toBeGreaterThan(0);
  }
  connection.closeSync();
  instance.closeSync();
}

/** Refreshes until the status matches. If it never does, the test times out. */
async function refreshUntil(
  columns: TestColumns,
  matches: (status: ColumnsStatus) => boolean,
): Promise<void> {
  while (!matches(await columns.status())) await columns.refresh();
}

const DAY_MS = 86_400_000;
const dayOf = (day: number) => new Date(day * DAY_MS);
const auditedOn =
  (day: number) =>
  ({ auditedAt }: ColumnsStatus) =>
    auditedAt === dayOf(day).toISOString();

const isComplete = ({ sites, state }: ColumnsStatus) => state === 'ready' && sites.length === siteCount;

const counting = countingOnlyBy();
const derived = countsTables(counting).map((counts) => `analytics.${uniqueCountsTable(counts)}`);

type Damage = [table: string, column: string, statements: readonly string[]];

async function expectFound(
  [table, column, statements]: Damage,
  options: TestColumnsOptions = {},
): Promise<TestColumns> {
  await damage(statements);
  const found: Finder[] = [];
  const columns = await open(24, { ...options, onDifference: (by) => void found.push(by) });
  await refreshUntil(columns, () => found.length > 0);
  const { differences } = await columns.status();
  expect(found[0]).toBe('audit');
  expect(differences[0]).toMatchObject({ foundBy: 'audit', isLeftToRows: false, columns: [column] });
  expect(differences[0]?.table).toMatch(new RegExp(`^${table}`));
  expect(logged[0]?.msg).toMatch(/^The columnar copy of \w+ differs .* It is discarded and rebuilt\.$/);
  return columns;
}

async function expectRebuilt(columns: TestColumns): Promise<void> {
  await columns.refresh();
  await refreshUntil(columns, isComplete);
  await expectEqualTables(database, columns);
}

// The first table has separate rows for each site; the second is shared by all sites.
test.each<Damage>([
  [
    'page_view',
    'browse_sec',
    [
      'UPDATE analytics.page_view SET browse_sec = 1 + coalesce(browse_sec, 0) WHERE pv_id = 1 AND site_id = 1',
    ],
  ],
  ['browser', 'browser', ['UPDATE analytics.browser SET browser = reverse(browser)']],
])('in %s, the audit finds a change to %s, and the rebuilt copy is correct', async (...change) => {
  await expectRebuilt(await expectFound(change));
});

// The audit recomputes one kind of derived data per day: each of the derived tables in turn, then the facts about visits, then the values that
// clicks get from page views, and then those that events get.
const countedOn = (turn: number): TestColumnsOptions => {
  const today = Math.floor(Date.now() / DAY_MS);
  const later = (turn - (today % (derived.length + 3))) * DAY_MS;
  return { isCounted: true, manifest: counting, clock: () => new Date(Date.now() + later) };
};

test.each<[what: string, turn: number, Damage]>([
  [
    'a changed count in a derived table',
    0,
    [
      'unique_allpv',
      'count',
      derived.map((name) => `UPDATE ${name} SET count = count + 1 WHERE site_id = 1`),
    ],
  ],
  [
    'session-varying fields that are recorded as session-constant',
    derived.length,
    ['visits_allpv', 'visits', ["UPDATE counted SET found = 0 WHERE counts = 'visits_allpv' AND found <> 0"]],
  ],
  [
    'clicks with a different device than their page views',
    derived.length + 1,
    [
      'views_of_click',
      'page view',
      ['UPDATE analytics.click SET device_id = 3 - device_id WHERE device_id < 3 AND site_id = 1'],
    ],
  ],
  [
    'events whose visits have a different number of page views',
    derived.length + 2,
    [
      'views_of_event',
      'page view',
      ['UPDATE analytics.event SET visit_views = visit_views + 1 WHERE site_id = 1'],
    ],
  ],
])('the audit finds %s, and the rebuilt copy is correct', async (_what, turn, change) => {
  const counted = countedOn(turn);
  await (await open(0, counted)).stop({ keep: true });
  await expectRebuilt(await expectFound(change, counted));
});

/** What a round of the audit finds, in the order in which it compares. */
async function auditedOnce(pieceSizes: PieceSizes | undefined): Promise<readonly Difference[]> {
  const { write } = database;
  const clock = () => dayOf(1);
  const limits = { memoryMb: 256, tempMb: 64, threads: 1 };
  const copy = await openCopy({ folder, ...limits, write, manifest: countingNothing(), log, clock });
  // The audit never pauses, because this clock does not advance.
  const audit = startAudit({ write, workers: NO_WORKERS, auditHours: 24, clock, now: () => 0, pieceSizes });
  const differences: Difference[] = [];
  while (audit.finishedAt() === undefined) {
    const found = await audit.next(copy, (siteId) => copy.sites.find((site) => site.siteId === siteId));
    if (found !== undefined) differences.push(found.difference);
  }
  await copy.file.close();
  return differences;
}

/** Copies a row of site 1 with a changed value. Columns in millionths are omitted, because they are generated columns. */
const anotherRow = (table: string, value: string) =>
  `INSERT INTO analytics.${table} SELECT COLUMNS(* REPLACE (${value})) FROM (
     SELECT COLUMNS(name -> NOT suffix(name, '${microsField('')}')) FROM analytics.${table} WHERE site_id = 1 LIMIT 1)`;

const WITHOUT_CLICKS = 'SELECT min(site_id) FROM copied_site ANTI JOIN analytics.click USING (site_id)';

/** A row later than all others, one earlier than all others, one without a time, and one of a site without rows in that table. */
const ONLY_COPIED = [
  ['page_view', 'number of rows', anotherRow('page_view', '"at" + 400 * 86400 AS "at"')],
  ['search_day', 'number of rows', anotherRow('search_day', 'DATE \'1999-01-01\' AS "day"')],
  ['event', 'number of rows', anotherRow('event', 'NULL AS "at"')],
  ['click', 'number of rows', anotherRow('click', `(${WITHOUT_CLICKS}) AS site_id`)],
] as const;
const IN_PIECES: PieceSizes = { rowsAtOnce: 5, smallSiteRows: 0 };

test.each<
  [string, readonly (readonly [table: string, column: string, statement: string])[], PieceSizes | undefined]
>([
  [
    'changed values, or fewer rows',
    [
      [
        'click',
        'page_x_pct',
        'UPDATE analytics.click SET page_x_pct = page_x_pct + 1e-12 WHERE page_x_pct IS NOT NULL AND site_id = 1',
      ],
      [
        'event',
        'params',
        `UPDATE analytics.event SET params = {'json': params.json, 'texts': map {'other': 'text'}} WHERE site_id = 1`,
      ],
      // Comparing sums would not detect these changes.
      [
        'page',
        'title',
        'UPDATE analytics.page SET title = reverse(title) WHERE length(title) > 1 AND site_id = 1',
      ],
      [
        'page_view',
        'values of a row',
        'UPDATE analytics.page_view SET session_id = 27 - session_id WHERE session_id IN (13, 14) AND site_id = 1',
      ],
      ['search_day', 'number of rows', 'DELETE FROM analytics.search_day WHERE clicks > 0 AND site_id = 1'],
      ['browser', 'number of rows', 'DELETE FROM analytics.browser'],
    ],
    undefined,
  ],
  // A join would return every row that refers to the duplicated id twice.
  [
    'no pages, or a browser twice',
    [
      ['page', 'number of rows', 'DELETE FROM analytics.page WHERE site_id = 1'],
      [
        'browser',
        'number of rows',
        'INSERT INTO analytics.browser FROM analytics.browser ORDER BY browser_id LIMIT 1',
      ],
    ],
    undefined,
  ],
  [
    'a page twice',
    [['page', 'number of rows', 'INSERT INTO analytics.page FROM analytics.page WHERE site_id = 1 LIMIT 1']],
    undefined,
  ],
  ['rows that only the copy contains', ONLY_COPIED, IN_PIECES],
])('in each table, the audit finds %s', async (_title, damages, pieceSizes) => {
  await damage(damages.map(([, , statement]) => statement));
  const found = (await auditedOnce(pieceSizes)).map(({ table, columns }) => [table, columns]);
  expect(found.toSorted()).toEqual(damages.map(([table, column]) => [table, [column]]).toSorted());
});

test('if the audit finds rows that only the copy contains, Health reports a failure, and the rebuilt copy is correct', async () => {
  await damage(ONLY_COPIED.map(([, , statement]) => statement));
  const found: Finder[] = [];
  const columns = await open(24, { pieceSizes: IN_PIECES, onDifference: (by) => void found.push(by) });
  // The first site is rebuilt before the second one is compared.
  await refreshUntil(columns, () => found.length > 1);
  await expectRebuilt(columns);
  expect(found).toEqual(['audit', 'audit']);
  expect((await columns.status()).differences).toMatchObject([
    { foundBy: 'audit', columns: ['number of rows'] },
    { foundBy: 'audit', columns: ['number of rows'] },
  ]);
  expect(await lookAtCopy(database, folder, columns)).toMatchObject({ state: 'failing' });
});

test('rows that change during the comparison are not reported, and neither are unreferenced rows of a dimension', async () => {
  const found: Finder[] = [];
  let day = 1;
  const columns = await open(24, { clock: () => dayOf(day), onDifference: (by) => void found.push(by) });
  await refreshUntil(columns, auditedOn(1));
  await database.write.raw(
    `INSERT INTO analytics.browser (browser_id, browser, text_key) VALUES (9999, 'New', gen_random_uuid());
     INSERT INTO analytics.page (site_id, page_id, url, text_key)
       SELECT site_id, 99999, '/new', gen_random_uuid() FROM analytics.site;
     DELETE FROM analytics.page WHERE page_id = 99999 AND site_id = 1`,
  );
  day = 2;
  await refreshUntil(columns, (status) => {
    if (auditedOn(2)(status)) return true;
    // The row changes before each step of the audit, not only between audits.
    void database.write.raw(
      'UPDATE analytics.page_view SET browse_sec = coalesce(browse_sec, 0) + 1 WHERE pv_id = 2',
    );
    return false;
  });
  expect(found).toEqual([]);
});

test('a copy with a wrong shared table is never opened again, no matter when the server stops', async () => {
  await damage(['UPDATE analytics.browser SET browser = reverse(browser)']);
  const found: Finder[] = [];
  const first = await open(24, { onDifference: (by) => void found.push(by) });
  await refreshUntil(first, () => found.length > 0);
  await first.stop({ keep: true });
  await expectEqualTables(database, await open(0));
});

describe('without sites, in a new copy,', () => {
  beforeEach(() => rm(folder, { recursive: true }));

  test('a clock that was ahead for a while does not delay the audit', async () => {
    let day = 1_400;
    const columns = await open(24, { clock: () => dayOf(day) }, withoutSites);
    await refreshUntil(columns, auditedOn(1_400));
    day = 1_000;
    await refreshUntil(columns, auditedOn(1_000));
  });

  test('a restart begins a new audit early only if the previous server did not stop cleanly', async () => {
    let columns = await open(48, { clock: () => dayOf(1) }, withoutSites);
    await refreshUntil(columns, auditedOn(1));
    await columns.stop({ keep: true });
    columns = await open(48, { clock: () => dayOf(2) }, withoutSites);
    for (let round = 0; round < 20; round++) await columns.refresh();
    expect(auditedOn(1)(await columns.status())).toBe(true);
    await columns.stop({ keep: true });
    const status = join(folder, STATUS_FILE);
    await writeFile(status, (await readFile(status, 'utf8')).replace('"stopped"', '"ready"'));
    columns = await open(48, { clock: () => dayOf(2) }, withoutSites);
    await refreshUntil(columns, auditedOn(2));
  });

  test('a setting of 0 hours disables the audit', async () => {
    const columns = await open(0, {}, withoutSites);
    const { auditedAt: before } = await columns.status();
    for (let round = 0; round < 20; round++) await columns.refresh();
    expect((await columns.status()).auditedAt).toEqual(before);
  });
});
