// A user sets up a second factor and logs in with it in a real browser.
import type { Page } from 'playwright-core';
import { codeAt, SECOND_FACTOR, setUpFactor } from '../../support/authenticator';
import { logInAs } from '../../support/page-client';
import { LOGIN_PASSWORD, type TestHost } from '../../support/test-host';
import { axeFaults, COLOR_RULES } from './support/axe';
import { startBrowserHost } from './support/browser-host';
import { describeInBrowser } from './support/chromium';
import { overflow, withPage } from './support/open-page';

describeInBrowser('a second factor', ({ browser }) => {
  let host: TestHost;
  let now = new Date();
  beforeAll(async () => {
    host = await startBrowserHost({
      clock: () => now,
      users: [
        { login: 'ann', role: 'administrator' },
        { login: 'bob', role: 'analyst' },
      ],
    });
  });
  afterAll(() => host.stop());

  const nextCode = (secret: string): string => {
    now = new Date(now.getTime() + 30_000);
    return codeAt(secret, now);
  };

  async function expectAccessible(page: Page): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = await axeFaults(page, colorScheme === 'dark' ? { rules: COLOR_RULES } : {});
      expect(found).toEqual([]);
    }
    expect(await overflow(page)).toBe(0);
  }

  test('a second factor is set up on the profile and required at the next login, using only the keyboard', () =>
    withPage(browser(), host, { as: 'ann', width: 320 }, async (page) => {
      await page.goto('/wp-admin/profile');
      await page.getByRole('link', { name: 'Set up' }).click();
      await expectAccessible(page);
      await page.getByRole('img', { name: 'QR code with the key below' }).waitFor();
      const width = await page.evaluate<number>(`document.querySelector('main img').naturalWidth`);
      expect(width).toBeGreaterThan(100);
      const shown = await page.getByRole('region', { name: 'Key' }).innerText();
      const secret = shown.replaceAll(' ', '');
      await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, now));
      await page.getByLabel('Login password').fill(LOGIN_PASSWORD);
      await page.getByRole('button', { name: 'Turn it on' }).click();
      await page.getByRole('heading', { level: 1, name: 'Your second factor is on' }).waitFor();
      await expectAccessible(page);
      const codes = (await page.getByRole('region', { name: 'The codes' }).innerText()).split('\n');
      expect(codes).toHaveLength(10);
      await page.getByRole('link', { name: 'Done' }).click();
      await page.getByText('on since').waitFor();

      await page.goto('/wp-login.php?action=logout');
      await page.getByRole('main').getByRole('button', { name: 'Log out' }).click();
      await page.getByLabel('Login or e-mail').fill('ann');
      await page.getByLabel('Login password').fill(LOGIN_PASSWORD);
      await page.keyboard.press('Enter');
      await page.locator('input[name="code"]:focus').waitFor();
      await expectAccessible(page);
      await page.keyboard.type('000000');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await page.locator('input[name="code"]:focus').waitFor();
      await page.keyboard.type(nextCode(secret));
      await page.keyboard.press('Enter');
      await page.waitForURL('**/wp-admin/dashboard');

      await page.goto(SECOND_FACTOR);
      await expectAccessible(page);
      await page.getByLabel('Code').fill(codes[0] ?? '');
      await page.getByLabel('Login password').fill(LOGIN_PASSWORD);
      await page.getByRole('button', { name: 'Turn it off' }).click();
      await page.getByText('Your second factor is off.').waitFor();
    }));

  test('a recovery code works without JavaScript', async () => {
    const { codes } = await setUpFactor(await logInAs(host, 'bob'), now);
    await withPage(browser(), host, { script: false }, async (page) => {
      await page.goto('/wp-admin/profile');
      await page.getByLabel('Login or e-mail').fill('bob');
      await page.getByLabel('Login password').fill(LOGIN_PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByLabel('Code from your app').fill(codes[0] ?? '');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL('**/wp-admin/profile');
    });
  });
});
