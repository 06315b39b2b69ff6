// Tests each step of a site change on a handful of rows.
import type { Client } from 'pg';
import { openStagedViews } from '../../../extension/data/change/staged-views';
import { openRowStaging, openStaging, rowStaging } from '../../../extension/data/change/staging';
import { runStep } from '../../../extension/data/change/steps';
import { loadTableLayout } from '../../../extension/data/rows/table-layout';
import { conversionUpdater } from '../../../extension/data/storage/goals/conversions';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { useTestDatabase } from '../../support/use-database';
import { newSite } from '../import/import-setup';

const database = useTestDatabase();
const IN_ONE_PART = [1, 0];
const HAS_STORED = true;

interface Row {
  readonly pv_id: number;
  /** In minutes after midnight. */
  readonly minute: number;
  readonly page_id?: number;
  readonly reader_id?: number;
  readonly session_id?: number;
  readonly [fact: string]: number | boolean | undefined;
}

/** Runs on a new site, in a transaction that is rolled back. */
async function onSite(work: (client: Client, siteId: number) => Promise<void>): Promise<void> {
  const site = await newSite(database.write);
  await inTransaction(
    database.write,
    async (client) => {
      const { rows } = await client.query('SELECT site_id FROM analytics.site WHERE tracking_id = $1', [
        site,
      ]);
      await openStaging(client);
      await work(client, rows[0].site_id);
    },
    { end: 'ROLLBACK' },
  );
}

async function stage(client: Client, siteId: number, rows: readonly Row[]): Promise<void> {
  await client.query('TRUNCATE staged, touched, affected, derived');
  for (const { minute, ...row } of rows) {
    const facts = {
      site_id: siteId,
      page_id: 1,
      reader_id: 7,
      named_by: 1,
      source_no: 0,
      at: new Date(Date.UTC(2026, 0, 1, 0, minute)),
      ...row,
    };
    const names = Object.keys(facts);
    await client.query(
      `INSERT INTO staged (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
      Object.values(facts),
    );
  }
}

/** Stores rows by running the steps. */
async function store(client: Client, siteId: number, rows: readonly Row[]): Promise<void> {
  await stage(client, siteId, rows);
  await change(client, siteId);
}

async function change(client: Client, siteId: number): Promise<void> {
  await runStep(client, 'derive', [siteId, ...IN_ONE_PART, HAS_STORED]);
  await runStep(client, 'apply-new', [siteId]);
  await runStep(client, 'apply-moved', [siteId]);
}

const numbers = async (client: Client, sql: string): Promise<unknown> => {
  const { rows } = await client.query({ text: sql, rowMode: 'array' });
  return rows.map((row: unknown[]) =>
    row.map((value) => (typeof value === 'string' ? Number(value) : value)),
  );
};

const AFFECTED = 'SELECT session_id FROM affected WHERE session_id IS NOT NULL';
const VIEWS = `SELECT pv_id, session_id, pv, is_last, prev_page_id, next_page_id, is_newuser FROM analytics.page_view
                WHERE site_id = (SELECT max(site_id) FROM analytics.site) ORDER BY at, pv_id`;
/** A view's time, moved by minutes. Citus rejects `at + interval` in an UPDATE, because it depends on the session's time zone. */
const later = (minutes: number): string =>
  `(at AT TIME ZONE 'UTC' + interval '${minutes} minutes') AT TIME ZONE 'UTC'`;
const visitFrom = (pvId: number): number => 5_000_000_000_000_000 + pvId;

test('derive: affects visits within half an hour of a new view, and the first visit of a visitor whose new view is earlier', () =>
  onSite(async (client, siteId) => {
    await store(
      client,
      siteId,
      [100, 160, 300].map((minute) => ({ pv_id: minute, minute })),
    );
    await stage(client, siteId, [{ pv_id: 1, minute: 130 }]);
    await runStep(client, 'derive', [siteId, ...IN_ONE_PART, HAS_STORED]);
    expect(await numbers(client, `${AFFECTED} ORDER BY 1`)).toEqual([[visitFrom(100)], [visitFrom(160)]]);
    await stage(client, siteId, [{ pv_id: 1, minute: 10 }]);
    await runStep(client, 'derive', [siteId, ...IN_ONE_PART, HAS_STORED]);
    expect(await numbers(client, AFFECTED)).toEqual([[visitFrom(100)]]);
  }));

test.each([
  { minute: 330, visits: [[visitFrom(300)]] },
  { minute: 331, visits: [] },
])('derive: a view joins the newest stored one up to half an hour later ($minute)', ({ minute, visits }) =>
  onSite(async (client, siteId) => {
    await store(client, siteId, [{ pv_id: 300, minute: 300 }]);
    await stage(client, siteId, [{ pv_id: 1, minute }]);
    await runStep(client, 'derive', [siteId, ...IN_ONE_PART, HAS_STORED]);
    expect(await numbers(client, AFFECTED)).toEqual(visits);
  }),
);

test('derive: affects the stored visit with the greatest given id, but no greater one', () =>
  onSite(async (client, siteId) => {
    await store(client, siteId, [
      { pv_id: 1, minute: 1, session_id: 50 },
      { pv_id: 2, minute: 200 },
    ]);
    await stage(client, siteId, [
      { pv_id: 3, minute: 600, session_id: 50, reader_id: 8 },
      { pv_id: 4, minute: 600, session_id: 51, reader_id: 9 },
    ]);
    await runStep(client, 'derive', [siteId, ...IN_ONE_PART, HAS_STORED]);
    expect(await numbers(client, AFFECTED)).toEqual([[50]]);
  }));

test('apply: new views are written in chronological order, and in the order of their ids within a second', () =>
  onSite(async (client, siteId) => {
    await store(
      client,
      siteId,
      [5, 2, 3, 9].map((pv_id, place) => ({
        pv_id,
        minute: [30, 20, 20, 10][place] ?? 0,
        reader_id: place + 1,
      })),
    );
    const { rows } = await client.query(
      'SELECT pv_id::integer AS id FROM analytics.page_view WHERE site_id = $1 ORDER BY ctid',
      [siteId],
    );
    expect(rows.map(({ id }) => id)).toEqual([9, 2, 3, 5]);
  }));

test('touched: when a stored view moves, it leaves its visit, joins another one, and may no longer be the first view of its visitor', () =>
  onSite(async (client, siteId) => {
    await store(
      client,
      siteId,
      [10, 20, 60, 200].map((minute) => ({ pv_id: minute, minute })),
    );
    await stage(client, siteId, []);
    const touch = () =>
      client.query(
        'INSERT INTO touched SELECT pv_id, reader_id, at, session_id FROM analytics.page_view WHERE site_id = $1 AND pv_id IN (10, 20)',
        [siteId],
      );
    await touch();
    await client.query(
      `UPDATE analytics.page_view SET at = ${later(60)} WHERE site_id = $1 AND pv_id IN (10, 20)`,
      [siteId],
    );
    await touch();
    await change(client, siteId);
    expect(await numbers(client, VIEWS)).toEqual([
      [60, visitFrom(60), 1, false, 0, 1, true],
      [10, visitFrom(60), 2, false, 1, 1, true],
      [20, visitFrom(60), 3, true, 1, 0, true],
      [200, visitFrom(200), 1, true, 0, 0, false],
    ]);
  }));

test('derive: a visit begins after a gap of more than half an hour, and gets the id of its first view', () =>
  onSite(async (client, siteId) => {
    await store(client, siteId, [
      { pv_id: 3, minute: 0 },
      { pv_id: 2, minute: 30, page_id: 2 },
      { pv_id: 1, minute: 61, page_id: 3 },
    ]);
    expect(await numbers(client, VIEWS)).toEqual([
      [3, visitFrom(3), 1, false, 0, 2, true],
      [2, visitFrom(3), 2, true, 1, 0, true],
      [1, visitFrom(1), 1, true, 0, 0, false],
    ]);
  }));

test('derive: visitors with the greatest id, and those whose views were removed, are known; visitors with greater ids are new', () =>
  onSite(async (client, siteId) => {
    await store(client, siteId, [{ pv_id: 1, minute: 0 }]);
    await client.query(`INSERT INTO analytics.visitor_first VALUES ($1, 9, '2025-01-01')`, [siteId]);
    await store(client, siteId, [
      { pv_id: 2, minute: 60 },
      { pv_id: 3, minute: 61, reader_id: 9 },
      { pv_id: 4, minute: 62, reader_id: 10 },
    ]);
    expect(await numbers(client, VIEWS)).toEqual([
      [1, visitFrom(1), 1, true, 0, 0, true],
      [2, visitFrom(2), 1, true, 0, 0, false],
      [3, visitFrom(3), 1, true, 0, 0, false],
      [4, visitFrom(4), 1, true, 0, 0, true],
    ]);
  }));

test('derive: the views of a given visit are numbered across all its visitors, and do not join generated visits', () =>
  onSite(async (client, siteId) => {
    await store(client, siteId, [
      { pv_id: 1, minute: 0 },
      { pv_id: 2, minute: 20, session_id: 5 },
      { pv_id: 3, minute: 25, session_id: 5, reader_id: 8 },
      { pv_id: 4, minute: 40 },
    ]);
    expect(await numbers(client, VIEWS)).toEqual([
      [1, visitFrom(1), 1, true, 0, 0, true],
      [2, 5, 1, false, 0, 1, false],
      [3, 5, 2, true, 1, 0, true],
      [4, visitFrom(4), 1, true, 0, 0, false],
    ]);
  }));

test('derive: a visit gets the traffic source of its first view, and a view keeps the values from its file', () =>
  onSite(async (client, siteId) => {
    await store(client, siteId, [
      { pv_id: 1, minute: 0, view_source_id: 11, view_campaign_id: 31, view_content_id: 41 },
      { pv_id: 2, minute: 1, view_source_id: 12, view_medium_id: 22, given_pv: 9, is_browse_derived: true },
      { pv_id: 3, minute: 2, source_id: 13, is_visit_traffic: true },
    ]);
    expect(
      await numbers(
        client,
        'SELECT pv_id, source_id, medium_id, campaign_id, content_id, pv, browse_sec FROM analytics.page_view WHERE page_id = 1 ORDER BY pv_id',
      ),
    ).toEqual([
      [1, 11, null, 31, 41, 1, null],
      [2, 11, null, 31, 41, 9, 60],
      [3, 13, null, null, null, 3, null],
    ]);
  }));

test('apply: a view between two visits joins them, and removing it separates them', () =>
  onSite(async (client, siteId) => {
    await store(client, siteId, [
      { pv_id: 1, minute: 0 },
      { pv_id: 3, minute: 50 },
    ]);
    await store(client, siteId, [{ pv_id: 2, minute: 25 }]);
    expect(await numbers(client, VIEWS)).toEqual([
      [1, visitFrom(1), 1, false, 0, 1, true],
      [2, visitFrom(1), 2, false, 1, 1, true],
      [3, visitFrom(1), 3, true, 1, 0, true],
    ]);
    await stage(client, siteId, []);
    await client.query(
      `WITH gone AS (DELETE FROM analytics.page_view WHERE site_id = $1 AND pv_id = 2 RETURNING *)
       INSERT INTO touched SELECT pv_id, reader_id, at, session_id FROM gone`,
      [siteId],
    );
    await change(client, siteId);
    expect(await numbers(client, VIEWS)).toEqual([
      [1, visitFrom(1), 1, true, 0, 0, true],
      [3, visitFrom(3), 1, true, 0, 0, false],
    ]);
  }));

test('touched views get the same values whether they are derived in parts or all at once', () =>
  onSite(async (client, siteId) => {
    await store(
      client,
      siteId,
      Array.from({ length: 60 }, (_, index) => ({
        pv_id: index + 1,
        minute: (index * 37) % 150,
        page_id: index,
        reader_id: index % 7,
        ...(index % 5 === 0 && { session_id: 1 + (index % 3) }),
      })),
    );
    await stage(client, siteId, []);
    const conversions = await conversionUpdater(client, siteId, 'view');
    const afterMove = async (atOnce?: number): Promise<unknown> => {
      await client.query('SAVEPOINT moved');
      const views = await openStagedViews(client, siteId, conversions, atOnce);
      const touch = () => views.touch('FROM analytics.page_view v WHERE site_id = $1 AND pv_id % 4 = 0');
      await touch();
      await client.query(
        `UPDATE analytics.page_view SET at = ${later(-50)} WHERE site_id = $1 AND pv_id % 4 = 0`,
        [siteId],
      );
      await touch();
      await views.apply();
      const stored = await numbers(client, VIEWS);
      await client.query('ROLLBACK TO SAVEPOINT moved');
      return stored;
    };
    const before = await numbers(client, VIEWS);
    const atOnce = await afterMove();
    expect(await afterMove(3)).toEqual(atOnce);
    expect(before).not.toEqual(atOnce);
  }));

test('applied views are not derived again with those that are touched after them', () =>
  onSite(async (client, siteId) => {
    await store(
      client,
      siteId,
      [10, 20, 60, 70].map((minute) => ({ pv_id: minute, minute })),
    );
    await stage(client, siteId, []);
    const views = await openStagedViews(client, siteId, await conversionUpdater(client, siteId, 'view'));
    const moveTo = async (pvId: number, at: string): Promise<number> => {
      const touch = () => views.touch(`FROM analytics.page_view v WHERE site_id = $1 AND pv_id = ${pvId}`);
      await touch();
      await client.query(`UPDATE analytics.page_view SET at = $2 WHERE site_id = $1 AND pv_id = ${pvId}`, [
        siteId,
        at,
      ]);
      await touch();
      return views.apply();
    };
    expect(await moveTo(10, '2026-01-02')).toBe(2);
    expect(await moveTo(60, '2026-01-03')).toBe(2);
    expect(await views.apply()).toBe(0);
    expect(await numbers(client, VIEWS)).toEqual([
      [20, visitFrom(20), 1, true, 0, 0, true],
      [70, visitFrom(70), 1, true, 0, 0, false],
      [10, visitFrom(10), 1, true, 0, 0, false],
      [60, visitFrom(60), 1, true, 0, 0, false],
    ]);
  }));

test('new connections create empty staging tables, even if rows are stored', () =>
  onSite(async (client, siteId) => {
    await store(client, siteId, [{ pv_id: 10, minute: 0 }]);
    await client.query('DISCARD TEMP');
    await openStaging(client);
    const layout = await loadTableLayout(client, 'page_view', { without: ['order_no'] });
    await openRowStaging(client, 'met', layout);
    const tables = ['staged', rowStaging('met', 'page_view')];
    const rows = tables.map((table) => `(SELECT count(*) FROM ${table})`);
    expect(await numbers(client, `SELECT ${rows.join(', ')}`)).toEqual([[0, 0]]);
  }));

test('a change reads few stored views, even if the table statistics do not include the site', async () => {
  // Autovacuum would count the pages but not their rows, which are rolled back or not yet committed, and the planner would expect no
  // rows on any page.
  await database.write.raw('ALTER TABLE analytics.page_view SET (autovacuum_enabled = off)');
  await database.write.raw('VACUUM analytics.page_view');
  await onSite(async (client, siteId) => {
    await client.query(
      `INSERT INTO analytics.page_view (site_id, pv_id, session_id, reader_id, at, page_id, pv, is_last, is_newuser, prev_page_id,
         next_page_id, named_by, source_no, deep_read, is_submit, irritation_click_count, dead_click_image_count, scroll_back_count,
         content_skip_count, exploration_count)
       SELECT $1, n, 5000000000000000 + n, n % 500, '2026-01-01'::timestamptz + n * interval '10 minutes', 1, 1, true, n < 500, 0, 0, 1, 0,
              false, false, 0, 0, 0, 0, 0 FROM generate_series(1, 20000) n`,
      [siteId],
    );
    const views = await openStagedViews(client, siteId, await conversionUpdater(client, siteId, 'view'));
    const touch = () => views.touch('FROM analytics.page_view v WHERE site_id = $1 AND pv_id = 2000');
    await touch();
    // Moves the view close to the next view of its visitor.
    await client.query(
      `UPDATE analytics.page_view SET at = ${later(4990)} WHERE site_id = $1 AND pv_id = 2000`,
      [siteId],
    );
    await touch();
    const read = async (): Promise<number> => {
      const { rows } = await client.query(
        `SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_all_tables WHERE relid = 'analytics.page_view'::regclass`,
      );
      return rows[0].n;
    };
    const before = await read();
    await views.apply();
    expect((await read()) - before).toBeLessThan(200);
    expect(
      await numbers(
        client,
        'SELECT pv_id, pv, session_id FROM analytics.page_view WHERE pv_id IN (2000, 2500)',
      ),
    ).toEqual(
      expect.arrayContaining([
        [2000, 1, visitFrom(2000)],
        [2500, 2, visitFrom(2000)],
      ]),
    );
  });
});
