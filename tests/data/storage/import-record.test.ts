// Migration 0153 moves the data for undoing imports into one table.
import { EMPTY } from '../../support/database';
import { migrateFully, migrateUntil } from '../../support/older-schema';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase(EMPTY);
const MIGRATION = '0153-import-record';

test('the rows and replaced values of imports become records of their site', async () => {
  const { write } = database;
  await migrateUntil(database, MIGRATION);
  for (const name of ['a', 'b'])
    await write.raw(
      `INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES (?, 'example.com', 'x', 'UTC')`,
      [name],
    );
  await write.raw(
    `INSERT INTO analytics.import_run (site_id, material, source, started_at, rows_read, rows_added, rows_unchanged, rows_rejected)
     SELECT site_id, 'allpv', 'file', now(), 0, 0, 0, 0 FROM analytics.site ORDER BY site_id`,
  );
  await write.raw(
    `INSERT INTO analytics.import_rows (import_id, table_name, is_new, ids)
     VALUES (1, 'page_view', true, '{[1,3),[7,8)}'), (2, 'click', false, '{[5,6)}')`,
  );
  await write.raw(
    `INSERT INTO analytics.import_replaced (import_id, table_name, row_id, old) VALUES (1, 'page_view', 9, '{"pv": 1}'), (2, 'click', 5, NULL)`,
  );
  await migrateFully(database);

  const { rows } = await write.raw(
    `SELECT site_id, import_id, table_name, kind, ids::text, row_id::int, old FROM analytics.import_record ORDER BY import_id, kind`,
  );
  const nothing = { ids: null, row_id: null, old: null };
  expect(rows).toEqual([
    { ...nothing, site_id: 1, import_id: 1, table_name: 'page_view', kind: 'added', ids: '{[1,3),[7,8)}' },
    {
      ...nothing,
      site_id: 1,
      import_id: 1,
      table_name: 'page_view',
      kind: 'changed',
      row_id: 9,
      old: { pv: 1 },
    },
    { ...nothing, site_id: 2, import_id: 2, table_name: 'click', kind: 'met', ids: '{[5,6)}' },
    { ...nothing, site_id: 2, import_id: 2, table_name: 'click', kind: 'void', row_id: 5 },
  ]);
  await expect(
    write.raw(
      `INSERT INTO analytics.import_record (site_id, import_id, table_name, kind, row_id) VALUES (1, 1, 'click', 'changed', 3)`,
    ),
  ).rejects.toThrow('check constraint');
});
