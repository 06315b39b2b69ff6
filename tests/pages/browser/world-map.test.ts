// The map of visitors by country. The shapes of the countries are loaded separately.
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { DONE } from './support/dashboard';
import { withPage } from './support/open-page';
import { startShop } from './support/shop-data';

const SHAPES = '**/world-map-shapes*';

describeInBrowser('the world map', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop({});
  });
  afterAll(() => host.stop());

  test('does not replace the rows of a tab that was opened before the shapes arrived', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(SHAPES, async (route) => {
        await held;
        await route.continue();
      });
      await page.goto('/wp-admin/dashboard');
      await page.locator(DONE).waitFor();
      await page.getByRole('tab', { name: 'Countries' }).click();
      const rows = page.locator('#panel-places table.rows');
      await rows.waitFor();
      const arrived = page.waitForResponse(SHAPES);
      release();
      await (await arrived).finished();
      // This also evaluates the module.
      await page.evaluate(`import(${JSON.stringify((await arrived).url())}).then(() => undefined)`);
      expect([await rows.count(), await page.locator('.world-map').count()]).toEqual([1, 0]);
    }));

  test('shows an error if it cannot be loaded', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.route(SHAPES, (route) =>
        route.fulfill({ contentType: 'text/javascript', body: 'throw new Error();' }),
      );
      await page.goto('/wp-admin/dashboard');
      await page.locator('#panel-places').getByText('The map cannot be loaded.').waitFor();
    }));
});
