// The numbers of removed rows are taken out of the records of imports in parts that fit into memory.

import { openStaging } from '../../../extension/data/change/steps';
import { importRows } from '../../../extension/data/import/import-rows';
import { forgetNumbers } from '../../../extension/data/removal/forget-numbers';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, row } from '../import/import-setup';

const database = useTestDatabase();

test.each([1, 2, 3, 100])('with %d runs at once, the same numbers stay', async (atOnce) => {
  const site = await newSite(database.write);
  const views = [1, 2, 3, 10, 11, 20, 30, 31].map((pv_id) => row(pv_id, { pv_id }));
  const clicks = [1, 10].map((pv_id) => ({ pv_id, event_sec: 1, selector: '#a' }));
  await importRows(database.write, manifest, { material: 'allpv', site, rows: views });
  await importRows(database.write, manifest, { material: 'click_event', site, rows: clicks });
  const left = await inTransaction(
    database.write,
    async (client) => {
      await openStaging(client);
      await client.query(
        `INSERT INTO touched (removed_from, row_id) SELECT 'page_view', unnest(ARRAY[31, 2, 3, 10, 30])
         UNION ALL SELECT 'click', 1 UNION ALL SELECT NULL, 20`,
      );
      const { rows: sites } = await client.query(
        'SELECT site_id FROM analytics.site WHERE tracking_id = $1',
        [site],
      );
      const siteId: number = sites[0].site_id;
      await forgetNumbers(client, siteId, atOnce);
      const { rows } = await client.query(
        'SELECT table_name, ids::text FROM analytics.import_record WHERE site_id = $1 ORDER BY 1 DESC',
        [siteId],
      );
      return rows;
    },
    { end: 'ROLLBACK' },
  );
  expect(left).toEqual([
    { table_name: 'page_view', ids: '{[1,2),[11,12),[20,21)}' },
    { table_name: 'click', ids: '{[2,3)}' },
  ]);
});
