// The row numbers in import records: those of removed rows are deleted in parts that fit in memory, and an undo compares the
// numbers in one pass.

import { openStaging } from '../../../extension/data/change/staging';
import { importRows } from '../../../extension/data/import/import-rows';
import { forgetNumbers } from '../../../extension/data/removal/forget-numbers';
import { blockingImport } from '../../../extension/data/removal/undo-order';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, row } from '../import/import-setup';

const database = useTestDatabase();

test.each([1, 2, 3, 100])('with %d runs at once, the same numbers remain', async (atOnce) => {
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

interface PlanNode extends Readonly<Record<string, unknown>> {
  readonly Plans?: readonly PlanNode[];
}

/** The rows that the nodes of an executed plan produced or removed. */
function workOf(node: PlanNode): number {
  const rows = Object.entries(node).filter(
    ([key]) => key === 'Actual Rows' || key.startsWith('Rows Removed'),
  );
  const own = rows.reduce((sum, [, count]) => sum + Number(count), 0) * Number(node['Actual Loops']);
  return (node.Plans ?? []).reduce((sum, inner) => sum + workOf(inner), own);
}

test('finding what must be undone first takes time proportional to the number of recorded sets', async () => {
  const { write } = database;
  const site = await newSite(write);
  const load = async (index: number) =>
    (await importRows(write, manifest, { material: 'allpv', site, rows: [row(index)] })).importId ?? 0;
  const importIds = [await load(1), await load(2)];
  const [run] = await write('analytics.import_run').where('import_id', importIds[0]);
  /** The rows that the plan processes if each of the two imports has this many more sets. Their row ids alternate. */
  const workFor = (sets: number): Promise<number> =>
    inTransaction(
      write,
      async (client) => {
        await openStaging(client);
        await client.query(
          `INSERT INTO analytics.import_record (site_id, import_id, table_name, kind, ids)
           SELECT $1, id, 'page_view', 'added', int8multirange(int8range(10 * n + place, 10 * n + place + 1))
             FROM unnest($2::integer[]) WITH ORDINALITY AS i (id, place), generate_series(1, $3::integer) n`,
          [run.site_id, importIds, sets],
        );
        const query = jest.spyOn(client, 'query');
        expect(await blockingImport(client, importIds[0] ?? 0, run.site_id, 'page_view')).toBeUndefined();
        const [[statement] = []] = query.mock.calls;
        query.mockRestore();
        const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`, [
          importIds[0],
          run.site_id,
          'page_view',
        ]);
        return workOf(rows[0]['QUERY PLAN'][0].Plan);
      },
      { end: 'ROLLBACK' },
    );
  expect(await workFor(400)).toBeLessThan(6 * (await workFor(100)));
});
