// From a new installation to a dashboard with the owner's data in a few clicks. A CSV file with unusual headers can be imported.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { startBrowserHost } from './support/browser-host';
import { describeInBrowser } from './support/chromium';
import { withPage } from './support/open-page';

const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const MAX_CLICKS = 9;

const minute = (at: number): string => String(at).padStart(2, '0');
const log = Array.from({ length: 20 }, (_unused, at) => {
  const day = new Date(Date.now() - 86_400_000).toUTCString().split(' ').slice(1, 4).join('/');
  return `203.0.113.7 - - [${day}:10:${minute(at)}:00 +0000] "GET /page-${at % 3} HTTP/1.1" 200 512 "-" "${USER_AGENT}"\n`;
}).join('');
const unusualCsv = [
  'Time;Client IP;Page;Mood',
  ...[1, 2, 3].map((at) => `2026-05-0${at} 09:30:00;203.0.113.${at};https://example.com/${at};good`),
].join('\n');

describeInBrowser('the first run', ({ browser }) => {
  let host: TestHost;
  beforeEach(async () => {
    host = await startBrowserHost({
      sites: [{ tracking_id: 'demo', domain: 'demo.example', name: 'Demo', timezone: 'UTC', default: true }],
      users: [{ login: 'ann', role: 'administrator' }],
    });
  });
  afterEach(() => host.stop());

  /** Counts clicks. Selecting a file counts as one. */
  function counted(page: Page) {
    let clicks = 0;
    return {
      clicks: () => clicks,
      async click(role: 'button' | 'link', name: string) {
        clicks += 1;
        await page.getByRole(role, { name, exact: true }).first().click();
      },
      async choose(name: string, text: string) {
        clicks += 1;
        const file = { name, mimeType: '', buffer: Buffer.from(text) };
        await page.getByLabel('File', { exact: true }).setInputFiles(file);
      },
    };
  }

  test(`an access log becomes a dashboard with a goal in ${MAX_CLICKS} clicks`, () =>
    withPage(browser(), host, { as: 'ann', timezone: 'Europe/Berlin' }, async (page) => {
      await page.goto('/wp-admin/dashboard');
      const owner = counted(page);
      await owner.click('link', 'Sites');
      await owner.click('link', 'Add a site');
      await page.getByLabel('Domain').fill('https://example.com/');
      await owner.click('button', 'Add');
      await page.getByText('Site example-com was added. Next, import its data.').waitFor();
      expect(await page.getByLabel('Site', { exact: true }).inputValue()).toBe('example-com');
      await owner.choose('access.log', log);
      await page.getByText('The first rows can be imported.').waitFor();
      await owner.click('button', 'Import');
      await page.getByRole('heading', { name: 'Imported' }).waitFor();
      await owner.click('link', 'See your dashboard');
      await page.locator('#dashboard[data-waiting="0"]').waitFor();
      expect(await page.locator('#card-views .figure').textContent()).toBe('20');
      await owner.click('link', 'add a goal');
      await page.getByLabel('Name', { exact: true }).fill('Page 1');
      await page.getByLabel('URL, path, or part of it').fill('/page-1');
      await owner.click('button', 'Add');
      await page.getByText('Goal 1 was added. Next, see its conversions on the dashboard.').waitFor();
      await page.getByRole('link', { name: 'See the dashboard' }).waitFor();
      // Logging in takes one more click.
      expect(owner.clicks()).toBeLessThan(MAX_CLICKS);
    }));

  test('the demo site is preselected only if there is no other site', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const preselected = async () => {
        await page.goto('/wp-admin/imports/upload');
        return page.getByLabel('Site', { exact: true }).inputValue();
      };
      expect(await preselected()).toBe('demo');
      await page.goto('/wp-admin/sites/add');
      await page.getByLabel('Domain').fill('shop.example');
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByText('was added').waitFor();
      expect(await preselected()).toBe('shop-example');
    }));

  test('a CSV file with unusual headers can be imported, and all errors are listed at once', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/imports/upload');
      const owner = counted(page);
      await owner.choose('visits.csv', unusualCsv);
      await page.getByText('The first rows can be imported.').waitFor();
      expect(await page.getByLabel('Page is imported as').inputValue()).toBe('url');
      expect(await page.getByLabel('Mood is imported as').inputValue()).toBe('-');
      expect(await page.getByLabel('Time zone for times without an offset').inputValue()).toBe('UTC');
      await page.getByLabel('Page is imported as').selectOption('referrer');
      await page.getByLabel('Time is imported as').selectOption('-');
      await page.getByText('2 errors in the first rows').waitFor();
      await page.getByLabel('Page is imported as').selectOption('url');
      await page.getByLabel('Time is imported as').selectOption('access_time');
      await page.getByText('The first rows can be imported.').waitFor();
      await page.getByText('Do the same on the command line').click();
      await page.getByText("--map 'Time=access_time,Client IP=ip,Page=url,Mood=-'").waitFor();
      await owner.click('button', 'Import');
      await page.getByRole('heading', { name: 'Imported' }).waitFor();
      const { rows } = await host.database.write.raw('SELECT count(*)::int AS n FROM analytics.page_view');
      expect(rows[0].n).toBe(3);
    }));
});
