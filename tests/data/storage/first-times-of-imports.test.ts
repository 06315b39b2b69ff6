// Migration 0250: if a visitor's first stored view is not new only because of the stored first time, that time becomes earlier.
import { EMPTY } from '../../support/database';
import { migrateFully, migrateUntil } from '../../support/older-schema';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase(EMPTY);
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

/** For each visitor: the stored time, the time of the only view, its values, and the stored time after the migration. */
const VISITORS: readonly (readonly [stored: number, view: number, values: object, after: number])[] = [
  [9, 9, { is_newuser: false }, 8],
  [5, 9, { is_newuser: false }, 5],
  [9, 5, { is_newuser: false }, 9],
  [9, 9, { is_newuser: true }, 9],
  [9, 9, { is_newuser: false, given_is_newuser: false }, 9],
];

test('a time that equals that of the first stored view becomes earlier if the visitor is not new', async () => {
  const { write } = database;
  await migrateUntil(database, '0250-first-times-of-imports');
  await write.raw(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES ('a', 'example.com', 'x', 'UTC')`,
  );
  await write('analytics.page_view').insert(
    VISITORS.map(([, view, values], index) => ({
      at: at(view),
      site_id: 1,
      page_id: 1,
      pv_id: index + 1,
      session_id: index + 1,
      reader_id: index + 1,
      pv: 1,
      is_last: true,
      prev_page_id: 0,
      next_page_id: 0,
      named_by: 1,
      source_no: 0,
      given_is_newuser: null,
      ...values,
    })),
  );
  await write('analytics.visitor_first').insert(
    VISITORS.map(([stored], index) => ({ site_id: 1, reader_id: index + 1, first_at: at(stored) })),
  );
  await migrateFully(database);
  const rows = await write('analytics.visitor_first').select('import_id', 'first_at').orderBy('reader_id');
  expect(rows).toEqual(VISITORS.map(([, , , after]) => ({ import_id: 0, first_at: at(after) })));
});
