// Migration 0150 replaces the `generated` mask with columns, for each view and for the earlier values that an undo restores.
import { EMPTY } from '../../support/database';
import { applyMigration, migrateFully, migrateUntil } from '../../support/older-schema';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase(EMPTY);

const MIGRATION = '0150-given-values';
const COLUMNS = [
  'given_pv',
  'given_is_last',
  'given_prev_page_id',
  'given_next_page_id',
  'given_is_newuser',
  'is_visit_traffic',
  'is_browse_derived',
  'named_by',
];

/** The columns for mask 0, which means that the file contained every value. */
const GIVEN = {
  given_pv: 7,
  given_is_last: true,
  given_prev_page_id: 3,
  given_next_page_id: 4,
  given_is_newuser: true,
  is_visit_traffic: true,
  is_browse_derived: null,
  named_by: 1,
};
const NOTHING_GIVEN = {
  given_pv: null,
  given_is_last: null,
  given_prev_page_id: null,
  given_next_page_id: null,
  given_is_newuser: null,
  is_visit_traffic: null,
  is_browse_derived: true,
  named_by: 6,
};
const GENERATED_ID = 4_000_000_000_000_001;

/** A mask, the ids of its view that differ from the defaults, and the column values that replace the mask. */
const VIEWS: readonly (readonly [mask: number, ids: object, marks: object])[] = [
  [0, {}, GIVEN],
  [1, { pv_id: GENERATED_ID }, GIVEN],
  [2, { session_id: GENERATED_ID }, GIVEN],
  [4, { reader_id: GENERATED_ID }, { ...GIVEN, named_by: 3 }],
  [4, { reader_id: 5_000_000_000_000_001 }, { ...GIVEN, named_by: 5 }],
  [4 + 256, { reader_id: GENERATED_ID + 1 }, { ...GIVEN, named_by: 6 }],
  [8, {}, { ...GIVEN, given_pv: null }],
  [16, {}, { ...GIVEN, given_is_last: null }],
  [32, {}, { ...GIVEN, given_prev_page_id: null }],
  [64, {}, { ...GIVEN, given_next_page_id: null }],
  [128, {}, { ...GIVEN, given_is_newuser: null }],
  [512, {}, { ...GIVEN, is_visit_traffic: null }],
  [1024, {}, { ...GIVEN, is_browse_derived: true }],
  [
    2047,
    { pv_id: GENERATED_ID + 2, reader_id: GENERATED_ID + 2, session_id: GENERATED_ID + 2 },
    NOTHING_GIVEN,
  ],
];

const viewOf = (mask: number, ids: object, index: number) => ({
  at: '2026-01-01T00:00:00Z',
  site_id: 1,
  page_id: 1,
  pv_id: index + 1,
  session_id: 1,
  reader_id: 1,
  pv: 7,
  is_last: true,
  prev_page_id: 3,
  next_page_id: 4,
  is_newuser: true,
  browse_sec: 9,
  source_id: 5,
  deep_read: false,
  is_submit: false,
  irritation_click_count: 0,
  dead_click_image_count: 0,
  scroll_back_count: 0,
  content_skip_count: 0,
  exploration_count: 0,
  generated: mask,
  ...ids,
});

/** The earlier values of a view: all fields, or only those that are always recorded. */
const oldOf = (view: ReturnType<typeof viewOf>, isWhole: boolean) => {
  const { generated, reader_id, session_id, pv, is_last, prev_page_id, next_page_id, is_newuser } = view;
  const always = { generated, reader_id, session_id, page_id: 1 };
  return isWhole ? { ...always, pv, is_last, prev_page_id, next_page_id, is_newuser } : always;
};

test('every bit of the mask is converted to columns, for the view and for its recorded earlier values', async () => {
  const { write } = database;
  await migrateUntil(database, MIGRATION);
  await write.raw(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES ('a', 'example.com', 'a', 'UTC')`,
  );
  const views = VIEWS.map(([mask, ids], index) => viewOf(mask, ids, index));
  await write('analytics.page_view').insert(views);
  await write.raw(
    `INSERT INTO analytics.import_run (site_id, material, source, started_at, rows_read, rows_added, rows_unchanged, rows_rejected)
     SELECT 1, 'allpv', 'file', now(), 0, 0, 0, 0 FROM generate_series(1, 2)`,
  );
  await write('analytics.import_replaced').insert([
    ...views.map((view) => ({
      import_id: 1,
      table_name: 'page_view',
      row_id: view.pv_id,
      old: JSON.stringify(oldOf(view, true)),
    })),
    ...views.map((view) => ({
      import_id: 2,
      table_name: 'page_view',
      row_id: view.pv_id,
      old: JSON.stringify(oldOf(view, false)),
    })),
    { import_id: 2, table_name: 'click', row_id: 98, old: JSON.stringify({ event_sec: 3 }) },
    { import_id: 2, table_name: 'page_view', row_id: 99, old: null },
  ]);

  const changesOf = () => write('analytics.change').where({ table_name: 'page_view' }).count();
  const changes = await changesOf();
  await applyMigration(database, MIGRATION);

  expect(await changesOf()).toEqual(changes);
  const migrated = await write('analytics.page_view')
    .select(...COLUMNS, 'pv_id', 'pv', 'browse_sec')
    .orderBy('pv_id');
  const byId = new Map(migrated.map(({ pv_id, ...marks }) => [Number(pv_id), marks]));
  const records = await write('analytics.import_replaced')
    .whereNotNull('old')
    .select('import_id', 'row_id', 'old');
  const oldOfImport = (importId: number, id: number) =>
    records.find(({ import_id, row_id }) => import_id === importId && Number(row_id) === id)?.old;
  for (const [index, [, , marks]] of VIEWS.entries()) {
    const view = views[index];
    if (view === undefined) throw new Error('Each mask has a view.');
    expect(byId.get(view.pv_id)).toEqual({ ...marks, pv: 7, browse_sec: 9 });
    const { generated: _mask, ...whole } = oldOf(view, true);
    expect(oldOfImport(1, view.pv_id)).toEqual({ ...whole, ...marks });
    const { generated: _same, ...few } = oldOf(view, false);
    const { is_visit_traffic, is_browse_derived, named_by } = { ...GIVEN, ...marks };
    expect(oldOfImport(2, view.pv_id)).toEqual({ ...few, is_visit_traffic, is_browse_derived, named_by });
  }
  expect(records.filter(({ old }) => 'event_sec' in old).map(({ old }) => old)).toEqual([{ event_sec: 3 }]);
  await migrateFully(database);
  expect(await database.read.query({ text: 'SELECT FROM analytics.conversion_view' })).toEqual([]);
});
