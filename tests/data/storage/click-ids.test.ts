// Migration 0160 adds a string to traffic sources, which changes their lookup keys.
import { textKey } from '../../../extension/language/sql/text-key';
import { EMPTY } from '../../support/database';
import { migrateFully, migrateUntil } from '../../support/older-schema';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase(EMPTY);
const MIGRATION = '0160-click-ids';

const SOURCES = [
  ['example.com', null, '', 'tea'],
  [null, 'https://example.com/a/b?"c"\\d', 'Büro 𝒳 \u2028\u007f', null],
  [null, null, '\u0001\b\t\n\f\r\u001f', "'[,]'"],
  [null, null, null, null],
] as const;

test('sources stored before the migration have the same keys as new sources without a click id', async () => {
  const { write } = database;
  await migrateUntil(database, MIGRATION);
  await write.raw(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES ('a', 'example.com', 'a', 'UTC')`,
  );
  await write('analytics.source').insert(
    SOURCES.map(([source_domain, referrer, utm_source, utm_term], index) => ({
      site_id: 1,
      source_id: index + 1,
      source_domain,
      referrer,
      utm_source,
      utm_term,
      text_key: textKey([source_domain, referrer, utm_source, utm_term]),
    })),
  );
  const changesOf = () => write('analytics.change').where({ table_name: 'source' }).count();
  const changes = await changesOf();
  await migrateFully(database);

  expect(await changesOf()).toEqual(changes);
  const stored = await write('analytics.source').select('text_key', 'click_id_name').orderBy('source_id');
  expect(stored).toEqual(
    SOURCES.map((texts) => ({
      text_key: textKey([...texts, null]).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      click_id_name: null,
    })),
  );
});
