// Dashboard panels without data.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { withPage } from './support/open-page';
import { startShop } from './support/shop-data';

describeInBrowser('panels without data', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
  });
  afterAll(() => host.stop());

  const open = async (page: Page, search: string): Promise<void> => {
    await page.goto(`/wp-admin/dashboard${search}`);
    await page.locator('#dashboard[data-waiting="0"]').waitFor();
  };
  const shownPanels = (page: Page) =>
    Promise.all(
      ['goals', 'events', 'searches', 'experience'].map((id) => page.locator(`#panel-${id}`).isVisible()),
    );

  test('are collapsed into a card that explains how to get data, unless a filter may be the reason', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, '');
      const card = page.getByRole('region', { name: 'Not on this dashboard yet' });
      expect(await card.getByRole('link').allInnerTexts()).toEqual([
        'Add events',
        'Add searches',
        'Add speed',
      ]);
      expect(await shownPanels(page)).toEqual([true, false, false, false]);
      await open(page, '?country=JP');
      expect(await card.count()).toBe(0);
      expect(await shownPanels(page)).toEqual([true, true, true, true]);
      await page.getByRole('button', { name: /^Remove the filter/ }).click();
      await card.waitFor();
      expect(await shownPanels(page)).toEqual([true, false, false, false]);
    }));
});
