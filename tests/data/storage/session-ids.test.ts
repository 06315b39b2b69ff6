// Migration 0152 replaces the id of each generated session with that of its first view, in every table that stores the session id.
import { EMPTY } from '../../support/database';
import { migrateFully, migrateUntil } from '../../support/older-schema';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase(EMPTY);
const MIGRATION = '0152-session-ids';
const GENERATED = 4_000_000_000_000_001;
const sessionFrom = (pvId: number): number => 5_000_000_000_000_000 + pvId;

/** The views in chronological order, with their session ids before and after the migration. Some generated ids are swapped. */
const VIEWS: readonly (readonly [pvId: number, before: number, after: number])[] = [
  [9, GENERATED + 5, sessionFrom(9)],
  [3, GENERATED + 5, sessionFrom(9)],
  [GENERATED + 1, GENERATED + 2, GENERATED + 1],
  [GENERATED + 2, GENERATED + 1, GENERATED + 2],
  [GENERATED, GENERATED + 1, GENERATED + 2],
  [4, 77, 77],
];

test('generated sessions get new ids in views, clicks, events and conversions', async () => {
  const { write } = database;
  await migrateUntil(database, MIGRATION);
  for (const name of ['a', 'b'])
    await write.raw(
      `INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES (?, 'example.com', 'x', 'UTC')`,
      [name],
    );
  await write.raw(
    `INSERT INTO analytics.goal (site_id, goal_no, name, type, condition) SELECT site_id, 1, 'g', 'gtype_page', '{"url": "/", "match": "contains"}' FROM analytics.site`,
  );
  await write.raw(
    `INSERT INTO analytics.removal (removed_at, login, kind, tracking_id, removed) VALUES (now(), 'server', 'retention', 'b', '{}')`,
  );
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000);
  for (const site_id of [1, 2]) {
    await write('analytics.page_view').insert(
      VIEWS.map(([pv_id, session_id], index) => ({
        at: at(index),
        site_id,
        page_id: 1,
        pv_id,
        session_id,
        reader_id: index < 2 ? 1 : index + 1,
        pv: 1,
        is_last: true,
        prev_page_id: 0,
        next_page_id: 0,
        is_newuser: index > 1 && index < 5,
        named_by: 1,
        source_no: 0,
        given_is_newuser: index === 5 ? false : null,
        deep_read: false,
        is_submit: false,
        irritation_click_count: 0,
        dead_click_image_count: 0,
        scroll_back_count: 0,
        content_skip_count: 0,
        exploration_count: 0,
      })),
    );
    const onView = (pv_id: number, session_id: number, id: number) => ({
      at: at(0),
      view_at: at(0),
      site_id,
      page_id: 1,
      pv_id,
      session_id,
      fingerprint: `00000000-0000-0000-0000-00000000000${id}`,
    });
    await write('analytics.click').insert(
      VIEWS.map(([pv_id, session_id], index) => ({
        ...onView(pv_id, session_id, index),
        click_id: index + 1,
        selector_id: 1,
        action_id: 1,
        event_sec: 0,
        is_external: false,
      })),
    );
    await write('analytics.event').insert(
      VIEWS.map(([pv_id, session_id], index) => ({
        ...onView(pv_id, session_id, index),
        event_id: index + 1,
        event_name_id: 1,
        params: '{}',
      })),
    );
    await write('analytics.conversion').insert(
      [0, 2, 3, 5].map((index) => ({
        at: at(index),
        site_id,
        goal_no: 1,
        session_id: VIEWS[index]?.[1],
        pv_id: VIEWS[index]?.[0],
      })),
    );
  }
  await migrateFully(database);

  const renamed = new Map(VIEWS.map(([pvId, , after]) => [pvId, after]));
  for (const [table, rows] of [
    ['page_view', 12],
    ['click', 12],
    ['event', 12],
    ['conversion', 8],
  ] as const) {
    const stored = await write(`analytics.${table}`).select('pv_id', 'session_id');
    expect(stored).toHaveLength(rows);
    for (const { pv_id, session_id } of stored)
      expect([table, pv_id, Number(session_id)]).toEqual([table, pv_id, renamed.get(Number(pv_id))]);
  }
  // If retention removed a visitor's first view, the first stored view is not marked as new, and visitor_first contains a time
  // before that view (migration 0250).
  const first = await write('analytics.visitor_first').select('site_id', 'reader_id', 'first_at');
  expect(first).toEqual([{ site_id: 2, reader_id: 1, first_at: at(-1 / 60) }]);
});
