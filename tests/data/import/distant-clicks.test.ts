// If a correction moves a page view, a click matched to it by time may end up with a view from decades earlier.

import { importRows } from '../../../extension/data/import/import-rows';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, row } from './import-setup';

const database = useTestDatabase();

const LARGEST_INTEGER = 2_147_483_647;

const view = (pv_id: number, year: number, session_id = 5) => ({
  ...row(pv_id, { pv_id, session_id }),
  access_time: `${year}-01-01T00:00:00Z`,
});

test.each([
  ['another visit', view(2, 2080, 6), 1],
  ['another time', view(2, 1996), 2],
])('the click keeps its time if its page view moves to %s', async (_what, corrected, pvId) => {
  const site = await newSite(database.write);
  const load = (material: string, ...rows: readonly object[]) =>
    importRows(database.write, manifest, { material, site, rows });
  await load('allpv', view(1, 1995), view(2, 2080));
  await load('click_event', { session_id: 5, access_time: '2080-01-01T00:00:09Z', selector: '#b' });
  await load('allpv', corrected);
  const { rows } = await database.write.raw(
    `SELECT pv_id::int, event_sec, at FROM analytics.click
      WHERE site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = ?)`,
    [site],
  );
  expect(rows).toEqual([{ pv_id: pvId, event_sec: LARGEST_INTEGER, at: new Date('2080-01-01T00:00:09Z') }]);
});
