// The share of the default rate limits that the pages use.
import { configure } from '../../../host-shim/server/config';
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { open } from './support/dashboard';
import { withPage } from './support/open-page';
import { startShop } from './support/shop-data';

const { pagesRatePerHour: perHour, pagesRatePerMinute: perMinute } = configure([], {}).config;

describeInBrowser('the default rate limits of the pages', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop({ rateLimits: { pagesPerHour: perHour, pagesPerMinute: perMinute } });
  });
  afterAll(() => host.stop());

  test('a dashboard with all its panels takes one request, and so does a filter', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const statuses: number[] = [];
      page.on('response', (response) => {
        if (response.url().includes('/wp-json/')) statuses.push(response.status());
      });
      await open(page);
      expect(statuses).toEqual([200]);
      await open(page, '?country=JP&period=7d');
      expect(statuses).toEqual([200, 200]);
      const [, remaining] = await page.evaluate<[number, number]>(`(async () => {
        const [meta] = document.getElementsByName('rest-nonce');
        const { status, headers } = await fetch('/wp-json/qa-platform-pages/segments?tracking_id=shop', {
          headers: { 'X-WP-Nonce': meta.content },
        });
        return [status, Number(headers.get('X-RateLimit-Remaining'))];
      })()`);
      expect(remaining).toBe(perMinute - 3);
    }));
});
