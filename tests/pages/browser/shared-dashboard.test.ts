// The dashboard for someone who has a link to it but no account.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { answered, DONE, figure, open, PAINTS_AND_SHIFT, WATCH_SHIFTS } from './support/dashboard';
import { withPage } from './support/open-page';
import { createLink } from './support/shared-link';
import { HOSTILE, JAPANESE, startShop, WAS_HACKED } from './support/shop-data';

describeInBrowser('shared dashboard', ({ browser }) => {
  let host: TestHost;
  /** A website that may embed shared pages. At 127.0.0.1, the same server is a website that may not. */
  let website: string;
  let websiteBody = '';
  const websiteServer = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end(websiteBody);
  });
  beforeAll(async () => {
    websiteServer.listen(0);
    await once(websiteServer, 'listening');
    website = `http://localhost:${(websiteServer.address() as AddressInfo).port}`;
    host = await startShop({ embedOrigins: [website], rateLimits: { pagesPerMinute: 1000 } });
  });
  afterAll(async () => {
    await host.stop();
    websiteServer.close();
  });

  test('visitors in the last few minutes are shown if data arrives every minute', async () => {
    const view = { pv_id: 900, session_id: 900, reader_id: 900, url: 'https://blog.example/' };
    await host.importRows('allpv', 'blog', [{ ...view, access_time: Math.floor(Date.now() / 1000) - 60 }]);
    await withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, '?site=blog');
      expect(await page.locator('#now').innerText()).toBe(
        'Visitors: 1 in the last 5 minutes, 1 in the last 30 minutes. Newest page view: 1 minute ago',
      );
    });
  });

  test("only websites in the server's settings can show a shared dashboard in a frame", async () => {
    websiteBody = `<iframe src="${host.url}${await createLink(host, 'dashboard')}" title="Visitors"></iframe>`;
    const page = await browser().newPage();
    const inFrame = page.frameLocator('iframe').locator('#card-views .figure');
    await page.goto(website);
    await inFrame.getByText('50').waitFor();
    await page.goto(website.replace('localhost', '127.0.0.1'));
    expect(await inFrame.count()).toBe(0);
    await page.close();
  });

  test('visitors who filter or open the link too often see when they can try again', async () => {
    const link = await createLink(host, 'dashboard');
    await withPage(browser(), host, {}, async (page) => {
      await page.goto(link);
      await page.locator(DONE).waitFor();
      await host.database.write('host.window_count').where('name', 'like', 'link %').update({ count: 1000 });
      await page.getByRole('link', { name: 'Smartphone' }).click();
      const status = page.locator('#dashboard-status');
      await status.getByText(/More than 1000 requests in 60 seconds. Try again in \d+ seconds/).waitFor();
      await status.getByRole('button', { name: 'Try again' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Too many requests' }).waitFor();
      await page
        .getByRole('alert')
        .getByText(/Try again in \d+ seconds/)
        .waitFor();
    });
  });

  // conformance: beyond.dashboard-site-shared
  test('a shared dashboard shows one site to someone without an account, and keeps the key after the #', async () => {
    let link = '';
    await withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page);
      await page.getByRole('link', { name: 'Share', exact: true }).click();
      await page.getByLabel('Name').fill('agency');
      await page.getByRole('button', { name: 'Create the link' }).click();
      link = await page.getByRole('region', { name: 'Link', exact: true }).innerText();
    });
    await withPage(browser(), host, {}, async (page) => {
      await page.addInitScript(WATCH_SHIFTS);
      await page.goto(link);
      await page.locator(DONE).waitFor();
      expect(await page.evaluate(PAINTS_AND_SHIFT)).toEqual([1, 0]);
      expect(await figure(page, 'views')).toBe('50');
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(JAPANESE);
      await page
        .getByRole('link', { name: /^(Share|Open as query)/ })
        .first()
        .waitFor({ state: 'detached' });
      await answered(page, () => page.getByRole('link', { name: 'Smartphone' }).click());
      expect(await figure(page, 'views')).toBe('17');
      expect(new URL(page.url()).hash).toBe(new URL(link).hash);
      await page.getByRole('button', { name: 'Show all of Pages: All' }).click();
      await page.getByRole('dialog').getByText('1 row.').waitFor();
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download CSV' }).click();
      expect(await text(await (await saving).createReadStream())).toContain(HOSTILE.replaceAll('"', '""'));
      await page.goto('/link/dashboard#none');
      await page.reload();
      await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
      await page.getByRole('alert').getByText('This link has expired or was revoked.').waitFor();
      await page.locator('#range-choice').waitFor({ state: 'detached' });
      await page.goto('/link/dashboard');
      await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    });
  });
});
