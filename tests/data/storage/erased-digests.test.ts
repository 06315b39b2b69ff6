// Migration 0225 moves the hashes of erased visitors into rows.
import { importRows } from '../../../extension/data/import/import-rows';
import { digester, erasureKey, namedAs } from '../../../extension/data/removal/erasure-digests';
import { noteErasures } from '../../../extension/data/removal/erasures';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { loadManifest } from '../../../manifests/reader/manifest';
import { migrateFully, migrateUntil } from '../../support/older-schema';
import { memoryLedger, removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase();
const MIGRATION = '0225-erased-digests';
const AT = Date.UTC(2026, 0, 1) / 1000;
const IDS = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

test('earlier erasures are still known after the migration, and stay the same in the ledger', async () => {
  const { write } = database;
  await write.raw('DROP SCHEMA analytics, host, migrations CASCADE');
  await migrateUntil(database, MIGRATION);
  await write.raw(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES ('a', 'example.com', 'a', 'UTC')`,
  );
  const digest = digester(await inTransaction(write, (client) => erasureKey(client, 1)));
  const names = [...'zyxabc'].map((name) => digest(namedAs('name', name)));
  const rows = [digest(namedAs('pv_id', '7'))];
  await write('analytics.erasure').insert([
    { site_id: 1, erasure_id: IDS[0], erased_at: new Date((AT + 10) * 1000), names, rows },
    // An erasure may look like this after someone has edited the ledger.
    {
      site_id: 1,
      erasure_id: IDS[1],
      erased_at: new Date((AT + 20) * 1000),
      names: [names[0], 'x'],
      rows: [],
    },
  ]);

  await migrateFully(database);

  const ledger = memoryLedger();
  await noteErasures(removalHost(database, () => new Date(), { ledger }));
  const line = (id: string | undefined, second: number, hashes: readonly (string | undefined)[]) =>
    JSON.stringify({ id, site: 'a', at: new Date((AT + second) * 1000).toISOString(), names: hashes });
  const lines = [line(IDS[0], 10, names), line(IDS[1], 20, [names[0]])];
  expect((await ledger.read()).lines).toEqual(lines);
  // Simulates a process that was killed while it wrote this line.
  const unfinished = memoryLedger();
  const cut = lines[0]?.slice(0, -1) ?? '';
  await unfinished.add([cut]);
  await noteErasures(removalHost(database, () => new Date(), { ledger: unfinished }));
  expect((await unfinished.read()).lines).toEqual([cut, ...lines]);
  const view = (second: number, more: object) => ({
    url: 'https://example.com/',
    access_time: AT + second,
    ...more,
  });
  expect(
    await importRows(write, loadManifest(), {
      material: 'allpv',
      site: 'a',
      rows: [
        view(1, { original_id: 'x' }),
        view(2, { pv_id: 7 }),
        view(15, { original_id: 'z' }),
        view(15, { original_id: 'x' }),
        view(3, { original_id: 'other' }),
      ],
    }),
  ).toMatchObject({ added: 2, skipped: { 'rows of erased visitors': 3 } });
});
