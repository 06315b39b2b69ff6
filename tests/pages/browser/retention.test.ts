// Retention in a real browser: by week and month, opened as a query and through a link, and at all window widths.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { overflow, withPage } from './support/open-page';
import { createLink } from './support/shared-link';
import { startShop } from './support/shop-data';

const DONE = '#report[data-waiting="0"]';
const DAY = 86_400;

const newVisitors = (page: Page) => page.locator('.cohorts tbody td.number').allInnerTexts();

describeInBrowser('retention', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
    const now = Math.floor(Date.now() / 1000);
    // Each of the seven visitors returns every week.
    await host.importRows(
      'allpv',
      'blog',
      Array.from({ length: 90 }, (_unused, day) => ({
        access_time: now - (90 - day) * DAY,
        reader_id: 1 + (day % 7),
        url: 'https://blog.example/',
      })),
    );
  });
  afterAll(() => host.stop());

  const open = async (page: Page, search = '') => {
    await page.goto(`/wp-admin/retention${search}`);
    await page.locator(DONE).waitFor();
  };

  test('shows a table of weeks or months, which can be opened as a query', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, '?site=blog');
      await page.getByRole('columnheader', { name: 'Week 12' }).waitFor();
      const [first = ''] = await newVisitors(page);
      expect(Number(first)).toBeGreaterThan(0);
      expect(await page.locator('.cohort-cell strong').first().innerText()).toBe('100%');
      await page.getByLabel('Interval').focus();
      await page.keyboard.type('By month');
      await page.getByRole('columnheader', { name: 'Month 1' }).waitFor();
      expect(new URL(page.url()).searchParams.get('by')).toBe('month');
      expect(await page.locator('#by:focus').count()).toBe(1);
      await page.getByRole('link', { name: 'Open as query' }).click();
      await page.locator('#panel-table tbody tr').first().waitFor();
      expect(await page.locator('#panel-table thead th').allInnerTexts()).toEqual(
        expect.arrayContaining([expect.stringContaining('cohort')]),
      );
    }));

  test('shows how many visitors can be recognized, and explains that none can if ids change daily', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, '?site=blog');
      await page.getByText('100% of the visitors in this range were seen for longer than a day.').waitFor();
      await page.getByText(/^The data begins on /).waitFor();
      await open(page, '?site=shop&period=yesterday');
      await page.getByText(/^No visitor was seen for longer than a day/).waitFor();
    }));

  test('a shared link shows the whole page at every width', () =>
    withPage(browser(), host, {}, async (page) => {
      await page.goto(await createLink(host, 'retention', 'blog'));
      await page.locator(DONE).waitFor();
      expect((await newVisitors(page)).length).toBeGreaterThan(0);
      for (const width of [390, 768, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        const cut = await page.evaluate<number>(
          `(() => { const box = document.querySelector('#shown-body .scroll'); return box.scrollWidth - box.clientWidth; })()`,
        );
        expect([width, cut, await overflow(page)]).toEqual([width, 0, 0]);
      }
    }));
});
