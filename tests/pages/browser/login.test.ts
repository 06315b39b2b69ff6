// Logging in, looking around and logging out in a real browser.
import type { Page } from 'playwright-core';
import { LOGIN_PASSWORD, type TestHost } from '../../support/test-host';
import { startBrowserHost } from './support/browser-host';
import { describeInBrowser } from './support/chromium';
import { withPage } from './support/open-page';

describeInBrowser('logging in', ({ browser }) => {
  let host: TestHost;

  beforeAll(async () => {
    host = await startBrowserHost({
      sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'Asia/Tokyo' }],
      users: [
        { login: 'ann', role: 'administrator' },
        { login: 'bob', role: 'analyst', sites: ['shop'] },
      ],
    });
  });
  afterAll(() => host.stop());

  async function logIn(page: Page, login: string, password: string): Promise<void> {
    await page.getByLabel('Login or e-mail').fill(login);
    await page.getByLabel('Login password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  }

  test('the first login opens the first page, and logging out ends the session', () =>
    withPage(browser(), host, {}, async (page) => {
      await page.goto('/');
      expect(new URL(page.url()).pathname).toBe('/wp-login.php');
      await logIn(page, 'ann', LOGIN_PASSWORD);
      await page.waitForURL('**/wp-admin/dashboard');
      await page.goto('/');
      expect(new URL(page.url()).pathname).toBe('/wp-admin/dashboard');
      await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('button', { name: 'Log in' }).waitFor();
      await page.goto('/wp-admin/dashboard');
      expect(new URL(page.url()).pathname).toBe('/wp-login.php');
    }));

  test("the profile's time zone is initially the first browser's, and is not changed by another browser", async () => {
    for (const timezone of ['America/New_York', 'Asia/Tokyo'])
      await withPage(browser(), host, { timezone }, async (page) => {
        await page.goto('/');
        await logIn(page, 'bob', LOGIN_PASSWORD);
        await page.waitForURL('**/wp-admin/dashboard');
        await page.goto('/wp-admin/profile');
        expect(await page.getByLabel('Time zone').inputValue()).toBe('America/New_York');
      });
  });

  test('in a phone-sized window, the menu can be opened with the keyboard and closed with Escape', () =>
    withPage(browser(), host, { as: 'bob', width: 390 }, async (page) => {
      await page.goto('/wp-admin/profile');
      const opener = page.getByRole('button', { name: 'Menu', exact: true });
      await opener.press('Enter');
      const first = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Dashboard' });
      await first.focus();
      await page.keyboard.press('Escape');
      await first.waitFor({ state: 'hidden' });
      await page.locator('header button:focus', { hasText: 'Menu' }).waitFor();
    }));

  test('if the window is widened while the menu is open, the menu is beside the page', () =>
    withPage(browser(), host, { as: 'bob', width: 390 }, async (page) => {
      await page.goto('/wp-admin/profile');
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await page.setViewportSize({ width: 844, height: 390 });
      const menu = await page.getByRole('navigation', { name: 'Pages' }).boundingBox();
      const main = await page.getByRole('main').boundingBox();
      expect([menu?.width, menu?.y, main?.x]).toEqual([200, main?.y, 200]);
    }));

  test('a page that is printed in landscape is as wide as the paper', () =>
    withPage(browser(), host, { as: 'bob', width: 1040 }, async (page) => {
      await page.goto('/wp-admin/profile');
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('main').boundingBox()).toMatchObject({ x: 0, width: 1040 });
    }));

  test('buttons are not printed, and neither are links that look like one', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/users');
      await page.emulateMedia({ media: 'print' });
      const links = page.getByRole('main').getByRole('link');
      expect(await links.filter({ visible: true }).allTextContents()).not.toContain('Add a user');
      expect(await links.filter({ visible: true }).allTextContents()).toContain('ann');
    }));

  test('the requested page opens after login', () =>
    withPage(browser(), host, {}, async (page) => {
      await page.goto('/wp-admin/profile');
      await logIn(page, 'bob', LOGIN_PASSWORD);
      await page.waitForURL('**/wp-admin/profile');
    }));

  test('a wrong password is reported, and the form keeps the login without running it as a script', () =>
    withPage(browser(), host, {}, async (page) => {
      const hostile = '"><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">';
      await page.goto('/wp-login.php');
      await logIn(page, hostile, 'wrong');
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('Login or e-mail').inputValue()).toBe(hostile);
      expect(await page.evaluate('window.hacked')).toBeUndefined();
    }));

  test('logging in works with the keyboard alone', () =>
    withPage(browser(), host, {}, async (page) => {
      await page.goto('/wp-login.php');
      await page.locator('input[name="log"]:focus').waitFor();
      await page.keyboard.type('bob');
      await page.keyboard.press('Tab');
      await page.keyboard.type(LOGIN_PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/wp-admin/dashboard');
    }));

  test('logging in works without JavaScript', () =>
    withPage(browser(), host, { script: false }, async (page) => {
      await page.goto('/wp-login.php');
      await logIn(page, 'bob', LOGIN_PASSWORD);
      await page.waitForURL('**/wp-admin/dashboard');
    }));

  test('an analyst sees only the permitted pages in the menu, and cannot open others', () =>
    withPage(browser(), host, { as: 'bob' }, async (page) => {
      await page.goto('/wp-admin/');
      const menu = page.getByRole('navigation', { name: 'Pages' });
      await page.getByRole('button', { name: 'Menu', exact: true }).waitFor({ state: 'hidden' });
      expect(await menu.getByRole('link').allInnerTexts()).toEqual(
        expect.arrayContaining(['Dashboard', 'Playground', 'Queries', 'Profile']),
      );
      for (const hidden of ['Users', 'Sites', 'Goals', 'Features', 'System', 'Extensions'])
        await menu.getByRole('link', { name: hidden, exact: true }).first().waitFor({ state: 'detached' });
      const refused = await page.goto('/wp-admin/users');
      expect(refused?.status()).toBe(403);
    }));
});
