// Migration 0151 recognizes views from earlier imports by their facts. The source of each view is derived from its fingerprint.
import { fingerprinter, fingerprintText } from '../../../extension/data/import/fingerprint';
import { makeRoom, rowBatch, setValue } from '../../../extension/data/rows/row-batch';
import type { TableLayout } from '../../../extension/data/rows/table-layout';
import { EMPTY } from '../../support/database';
import { applyMigration, migrateFully, migrateUntil } from '../../support/older-schema';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase(EMPTY);
const MIGRATION = '0151-views-by-facts';

const FIELDS = ['at', 'page_id', 'reader_id'];
const layout: TableLayout = {
  table: 'page_view',
  texts: 0,
  fieldOf: (name) => FIELDS.indexOf(name),
  has: (name) => FIELDS.includes(name),
  columns: FIELDS.map((name) => ({ name, type: 'int8', nullable: true, fallback: Number.NaN })),
};

/** The fingerprint of a view as it was stored before the migration. */
function fingerprintOf(at: number, page: number, reader: number, sourceName?: string): string {
  const batch = rowBatch(0);
  makeRoom(batch, 1);
  for (const [field, value] of [at, page, reader].entries()) setValue(batch, 0, field, value);
  fingerprinter(layout, FIELDS, () => sourceName, 1)(batch, 0);
  return fingerprintText(batch, 0);
}

const GENERATED = 4_000_000_000_000_001;
const AT = Date.UTC(2026, 0, 1) / 1000;
const NAMES = ['web-1', 'Büro', 'Haus 𝒳'];

interface Case {
  readonly id: number;
  readonly reader: number;
  readonly namedBy: number;
  readonly source: number;
  /** The columns after the migration. */
  readonly becomes: object;
}
const CASES: readonly Case[] = [
  { id: 1, reader: 7, namedBy: 1, source: 0, becomes: { named_by: 1, source_no: 0 } },
  { id: 2, reader: 3_000_000_000_000_001, namedBy: 1, source: 0, becomes: { named_by: 2, source_no: 0 } },
  { id: 3, reader: 3_000_000_000_000_002, namedBy: 1, source: 0, becomes: { named_by: 1, source_no: 0 } },
  ...NAMES.flatMap((_, index) => [
    {
      id: GENERATED + 10 * index,
      reader: 7 + index,
      namedBy: 1,
      source: index + 1,
      becomes: { named_by: 1, source_no: index + 1 },
    },
    {
      id: GENERATED + 10 * index + 1,
      reader: GENERATED + index,
      namedBy: 6,
      source: index + 1,
      becomes: { named_by: 6, source_no: index + 1 },
    },
  ]),
  { id: GENERATED + 100, reader: 7, namedBy: 1, source: 0, becomes: { named_by: 1, source_no: 0 } },
  {
    id: GENERATED + 101,
    reader: 5_000_000_000_000_001,
    namedBy: 5,
    source: 1,
    becomes: { named_by: 5, source_no: 1 },
  },
];

test('the source of each view without an id is derived from its fingerprint', async () => {
  const { write } = database;
  await migrateUntil(database, MIGRATION);
  await write.raw(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES ('a', 'example.com', 'a', 'UTC')`,
  );
  await write.raw(
    `INSERT INTO analytics.given_id (site_id, kind, text_key, id, given)
     VALUES (1, 'reader_id', gen_random_uuid(), 3000000000000001, 'ann'), (1, 'session_id', gen_random_uuid(), 3000000000000002, 'x')`,
  );
  for (const [index, name] of [...NAMES, 'failed', ...NAMES].entries())
    await write.raw(
      `INSERT INTO analytics.import_run (site_id, material, source, source_name, status, started_at, rows_read, rows_added, rows_unchanged, rows_rejected)
       VALUES (1, 'allpv', 'file', ?, ?, now(), 0, 0, 0, 0)`,
      [name, name === 'failed' ? 'failed' : index % 2 === 0 ? 'done' : 'undone'],
    );
  await write('analytics.page_view').insert(
    CASES.map(({ id, reader, namedBy, source }, index) => ({
      at: new Date((AT + index) * 1000),
      site_id: 1,
      page_id: index + 1,
      pv_id: id,
      session_id: id,
      reader_id: reader,
      pv: 1,
      is_last: true,
      prev_page_id: 0,
      next_page_id: 0,
      is_newuser: true,
      named_by: namedBy,
      deep_read: false,
      is_submit: false,
      irritation_click_count: 0,
      dead_click_image_count: 0,
      scroll_back_count: 0,
      content_skip_count: 0,
      exploration_count: 0,
      fingerprint:
        id < GENERATED
          ? null
          : fingerprintOf(AT + index, index + 1, namedBy === 6 ? Number.NaN : reader, NAMES[source - 1]),
    })),
  );

  const changesOf = () => write('analytics.change').where({ table_name: 'page_view' }).count();
  const changes = await changesOf();
  await applyMigration(database, MIGRATION);

  expect(await changesOf()).toEqual(changes);
  expect(
    await write('analytics.import_source').select('source_no', 'source_name').orderBy('source_no'),
  ).toEqual(NAMES.map((source_name, index) => ({ source_no: index + 1, source_name })));
  const migrated = await write('analytics.page_view').select('pv_id', 'named_by', 'source_no');
  for (const { id, becomes } of CASES)
    expect(migrated.find(({ pv_id }) => Number(pv_id) === id)).toMatchObject(becomes);
  await migrateFully(database);
  expect(await database.read.query({ text: 'SELECT FROM analytics.conversion_view' })).toEqual([]);
});
