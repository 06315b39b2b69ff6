// Distributing a database that is already distributed. Runs only on a cluster: `make test-citus`.
import { distributeTables } from '../../../extension/data/storage/distribute/distribute-tables';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { loadManifest } from '../../../manifests/reader/manifest';
import { isDividedHere } from '../../support/divided-database';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase();
const manifest = loadManifest();

const onCluster = isDividedHere ? test : test.skip;

onCluster(
  'a table that an earlier version distributed moves back to the coordinator with its rows',
  async () => {
    const { write } = database;
    const site = { tracking_id: 'x', domain: 'x.example', name: 'X', timezone: 'UTC' };
    await applySites(write, { sites: [site] });
    await write('analytics.stored_day').insert({ site_id: 1, day: '2026-05-01', bytes: 5, row_count: 6 });
    await write.raw('ALTER TABLE analytics.stored_day DROP CONSTRAINT stored_day_site_id_fkey');
    await write.raw(
      "SELECT create_distributed_table('analytics.stored_day', 'site_id', colocate_with => 'analytics.page_view')",
    );
    await write.raw(
      'ALTER TABLE analytics.stored_day ADD CONSTRAINT stored_day_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE',
    );
    const moved = async () => {
      // The rest of the result is ignored, because this test's connection pools would be reported as other programs.
      const { tables } = await distributeTables({ write }, manifest);
      return tables.filter(({ wanted, present }) => wanted !== present);
    };
    expect(await moved()).toEqual([{ name: 'stored_day', wanted: 'coordinator', present: 'by site' }]);
    expect(await moved()).toEqual([]);
    expect(await write('analytics.stored_day').pluck('row_count')).toEqual([6]);
  },
);
