// The browser tests detect errors, policy violations and requests to other origins. Without this detection, all of these pages
// would pass.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { startBrowserHost } from './support/browser-host';
import { describeInBrowser, findChromium } from './support/chromium';
import { withPage } from './support/open-page';

describeInBrowser('watching', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startBrowserHost({ users: [{ login: 'ann', role: 'administrator' }] });
  });
  afterAll(() => host.stop());

  const consoleError = (page: Page) => page.waitForEvent('console', (message) => message.type() === 'error');

  test.each<[string, string, RegExp]>([
    ['an error in the console', 'console.error("it broke")', /it broke/],
    ['an inline style', 'document.body.setAttribute("style", "color: red")', /violates.*style-src/],
    [
      'an inline script',
      'document.body.append(Object.assign(document.createElement("script"), { textContent: "1" }))',
      /violates.*script-src/,
    ],
    [
      'an image from another origin',
      'document.body.append(Object.assign(new Image(), { src: "https://elsewhere.example/x.png" }))',
      /violates.*img-src/,
    ],
    [
      'a request to another origin',
      'void fetch("https://elsewhere.example/").catch(() => {})',
      /violates.*connect-src/,
    ],
  ])('%s makes a test fail', async (_title, script, problem) => {
    const seen = withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/profile');
      await Promise.all([consoleError(page), page.evaluate(`${script}; 0`)]);
    });
    await expect(seen).rejects.toThrow(problem);
  });

  test('an uncaught error makes a test fail', async () => {
    const seen = withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/profile');
      await Promise.all([
        page.waitForEvent('pageerror'),
        page.evaluate('setTimeout(() => { throw new Error("not caught"); }); 0'),
      ]);
    });
    await expect(seen).rejects.toThrow(/not caught/);
  });

  test('navigating to another origin makes a test fail', async () => {
    const seen = withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.route('https://elsewhere.example/', (route) => route.fulfill({ body: 'elsewhere' }));
      await page.goto('https://elsewhere.example/');
    });
    await expect(seen).rejects.toThrow(/request to https:\/\/elsewhere.example/);
  });
});

describe('finding a browser', () => {
  test('CHROMIUM_PATH takes precedence', () => {
    expect(findChromium({ CHROMIUM_PATH: '/some/where/chromium', PATH: '/usr/bin' })).toBe(
      '/some/where/chromium',
    );
  });

  test('a directory without a browser is skipped', () => {
    const found = findChromium({ PATH: __dirname });
    expect(found === undefined || found.startsWith('/usr/bin/')).toBe(true);
  });
});
