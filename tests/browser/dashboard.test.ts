// The dashboard in a real browser: what its panels show, and what they do when something is wrong.
import { text } from 'node:stream/consumers';
import { LOGIN_PASSWORD, type TestHost } from '../support/test-host';
import { describeInBrowser } from './support/chromium';
import { withPage } from './support/open-page';
import { GERMAN, HOSTILE, JAPANESE, startShop, WAS_HACKED } from './support/shop-data';

const DONE = '#dashboard[data-waiting="0"]';

describeInBrowser('dashboard', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
  });
  afterAll(() => host.stop());

  test('totals, days and lists of the default site are shown, titles and sources as text', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/dashboard');
      await page.locator(DONE).waitFor();
      expect(await page.locator('#panel-views .figure').innerText()).toBe('50');
      expect(await page.locator('#panel-sessions .figure').innerText()).toBe('25');
      expect(await page.locator('#panel-readers .figure').innerText()).toBe('5');
      const chart = page.locator('#panel-days figure.chart');
      expect(await chart.getAttribute('data-points')).toBe('30');
      expect(await chart.locator('canvas').count()).toBe(1);
      const pages = await page.locator('#panel-pages tbody tr').allInnerTexts();
      expect(pages).toHaveLength(3);
      for (const title of [HOSTILE, GERMAN, JAPANESE])
        expect(pages.some((row) => row.includes(title))).toBe(true);
      expect(await page.locator('#panel-sources tbody th').allInnerTexts()).toContain(HOSTILE);
      expect(await page.locator('#panel-countries tbody th').allInnerTexts()).toContain('Japan (JP)');
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  test('a panel can be saved as CSV', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/dashboard');
      await page.locator(DONE).waitFor();
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download Top pages as CSV' }).click();
      const file = await saving;
      expect(file.suggestedFilename()).toMatch(/^[a-z_]+\.csv$/);
      expect(await text(await file.createReadStream())).toContain(GERMAN);
      await page.getByText('Saved.').waitFor();
    }));

  test('the keyboard reads the chart, and a table has the same numbers', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/dashboard');
      await page.locator(DONE).waitFor();
      const chart = page.getByRole('img', { name: /^Lines of page views, sessions, visitors by day/ });
      await chart.focus();
      await page.keyboard.press('End');
      const caption = page.locator('#panel-days figcaption');
      const last = await caption.locator('.chart-place').innerText();
      const views = await caption.locator('.chart-value').first().innerText();
      await page.keyboard.press('ArrowLeft');
      expect(await caption.locator('.chart-place').innerText()).not.toBe(last);
      await page.getByText('As a table').click();
      const row = page.locator('#panel-days tbody tr').last();
      expect(await row.innerText()).toContain(last);
      expect(await row.locator('td').nth(1).innerText()).toBe(views);
    }));

  test('a form and links choose another site and other days', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/dashboard');
      await page.getByLabel('Site', { exact: true }).selectOption('blog');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.waitForURL('**/dashboard?site=blog&**');
      await page.locator(DONE).waitFor();
      expect(await page.locator('#panel-views .figure').innerText()).toBe('0');
      await page.locator('#panel-days').getByText('No page views in this range.').waitFor();
      await page.getByRole('link', { name: 'Last 7 days' }).click();
      await page.waitForURL('**/dashboard?site=blog&last=7');
    }));

  test('a refused panel says why and can be retried; the others stay', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const refusal = { ok: false, error: { code: 'E_X', message: `Not ${HOSTILE}`, hint: 'Wait.' } };
      const refuse = '**/qa-platform/query?**';
      await page.route(refuse, async (route) => {
        if (route.request().postData()?.includes('country_code'))
          await route.fulfill({ status: 429, json: refusal });
        else await route.continue();
      });
      await page.goto('/wp-admin/dashboard');
      await page.locator(DONE).waitFor();
      const countries = page.locator('#panel-countries');
      expect(await countries.locator('.fault').innerText()).toBe(`Not ${HOSTILE} Wait.`);
      expect(await page.locator('#panel-views .figure').innerText()).toBe('50');
      await page.unroute(refuse);
      await countries.getByRole('button', { name: 'Try again' }).click();
      await countries.getByRole('rowheader', { name: 'Japan (JP)' }).waitFor();
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  test('without a connection each panel says so', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.route('**/qa-platform/query?**', (route) => route.fulfill({ status: 502, body: '<html>' }));
      await page.goto('/wp-admin/dashboard');
      await page.locator(DONE).waitFor();
      expect(await page.locator('[data-state="failed"]').count()).toBe(8);
      expect(await page.locator('#panel-views .fault').innerText()).toContain('status 502');
    }));

  test('a panel reports the end of the session and leads to the login', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const query = '**/qa-platform/query?**';
      await page.route(query, (route) => route.fulfill({ status: 502, body: '' }));
      await page.goto('/wp-admin/dashboard?last=7');
      await page.locator(DONE).waitFor();
      await page.unroute(query);
      await page.context().clearCookies();
      const views = page.locator('#panel-views');
      await views.getByRole('button', { name: 'Try again' }).click();
      await views.getByText('Your session has ended, or this page is too old.').waitFor();
      await views.getByRole('link', { name: 'Reload the page' }).click();
      await page.locator('input[name="log"]').fill('ann');
      await page.locator('input[name="pwd"]').fill(LOGIN_PASSWORD);
      await page.locator('input[name="pwd"]').press('Enter');
      await page.waitForURL('**/wp-admin/dashboard?last=7');
    }));

  test('one sentence says how many panels loaded; a retried panel keeps the focus', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const refuse = '**/qa-platform/query?**';
      // The page of another network, as for a person who has not paid for the hotel's.
      await page.route(refuse, async (route) => {
        if (route.request().postData()?.includes('country_code'))
          await route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Welcome</h1>' });
        else await route.continue();
      });
      await page.goto('/wp-admin/dashboard');
      await page.locator(DONE).waitFor();
      const status = page.locator('#dashboard-status');
      expect(await status.innerText()).toBe('7 of 8 panels loaded. Failed: Countries.');
      expect(await page.locator('.panel [aria-live], [aria-live] table').count()).toBe(
        await page.locator('.chart-place').count(),
      );
      const countries = page.locator('#panel-countries');
      expect(await countries.locator('.fault').innerText()).toContain('not an answer of this server');
      await page.unroute(refuse);
      await countries.getByRole('button', { name: 'Try again' }).focus();
      await page.keyboard.press('Enter');
      await countries.getByRole('rowheader', { name: 'Japan (JP)' }).waitFor();
      expect(await page.evaluate('document.activeElement.closest("section").id')).toBe('panel-countries');
      expect(await status.innerText()).toBe('8 of 8 panels loaded.');
    }));

  test('a panel whose feature is switched off is left out; the others stay', async () => {
    const other = await startShop({ features: { allpv_time_parts: false, sort: false } });
    try {
      await withPage(browser(), other, { as: 'ann' }, async (page) => {
        await page.goto('/wp-admin/dashboard');
        await page.locator(DONE).waitFor();
        expect(await page.locator('#dashboard-status').innerText()).toBe('3 of 3 panels loaded.');
        await page.getByText('Not shown: By day, Top pages, Sources, Countries, Devices.').waitFor();
      });
    } finally {
      await other.stop();
    }
  });

  test('a panel opens in the playground with its query', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/dashboard');
      // Panels above a link that are still filling would move it away from under the pointer.
      await page.locator(DONE).waitFor();
      await page.getByRole('link', { name: 'Open Devices in the playground' }).click();
      await page.waitForURL('**/wp-admin/playground#**');
      await page.locator('.cm-line', { hasText: '"allpv.device_type"' }).waitFor();
    }));

  test('without script the page says what it needs, and its links work', () =>
    withPage(browser(), host, { as: 'ann', script: false }, async (page) => {
      await page.goto('/wp-admin/dashboard');
      expect(await page.locator('noscript').textContent()).toContain('needs JavaScript');
      expect(await page.getByRole('link', { name: /^Open .* in the playground$/ }).count()).toBe(8);
    }));
});
