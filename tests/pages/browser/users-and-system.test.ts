// An administrator manages users, extensions and connections in a real browser.
import { analyticsExtension } from '../../../extension/index';
import { notesExtension } from '../../support/notes-extension';
import { SETTINGS, type TestHost } from '../../support/test-host';
import { startBrowserHost } from './support/browser-host';
import { describeInBrowser } from './support/chromium';
import { withPage } from './support/open-page';

describeInBrowser('the installation', ({ browser }) => {
  let host: TestHost;

  beforeAll(async () => {
    host = await startBrowserHost({
      extensions: [analyticsExtension(SETTINGS), notesExtension()],
      sites: [
        { tracking_id: 'shop', domain: 'shop.example', name: 'お店', timezone: 'Asia/Tokyo' },
        { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'Europe/Berlin' },
      ],
      users: [
        { login: 'ann', role: 'administrator' },
        { login: 'bob', role: 'analyst', sites: ['shop'] },
      ],
    });
  });
  afterAll(() => host.stop());

  const guideStatus = async (login: string) =>
    (await host.request('GET', '/wp-json/qa-platform/guide', { user: login })).status;

  test('a new user can log in with the password that is shown once', () =>
    withPage(browser(), host, { as: 'ann', clipboard: true }, async (page) => {
      await page.goto('/wp-admin/users');
      await page.getByRole('link', { name: 'Add a user' }).click();
      await page.getByLabel('Login', { exact: true }).fill('bea');
      await page.getByLabel('お店').check();
      await page.getByRole('button', { name: 'Add the user' }).click();
      const password = await page.locator('#login-password').textContent();
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.locator('[data-copy="login-password"]', { hasText: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(password);

      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByLabel('Login or e-mail').fill('bea');
      await page.getByLabel('Login password').fill(password ?? '');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('link', { name: 'bea' }).waitFor();
    }));

  test('an application password is revoked after a confirmation, without JavaScript', () =>
    withPage(browser(), host, { as: 'ann', script: false }, async (page) => {
      await page.goto('/wp-admin/users');
      await page.getByRole('link', { name: 'bob' }).click();
      const revoke = page.getByRole('link', { name: 'Revoke “test”' });
      await revoke.click();
      await page.getByRole('link', { name: 'Cancel' }).click();
      expect(await guideStatus('bob')).toBe(200);
      await revoke.click();
      await page.getByRole('button', { name: 'Revoke', exact: true }).click();
      await page.getByText('Revoked: “test”.').waitFor();
      expect(await guideStatus('bob')).toBe(401);
    }));

  test('the first invalid field of a rejected form gets the focus', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/users/add');
      await page.getByLabel('Login', { exact: true }).fill('fine');
      await page.getByLabel('E-mail').fill('nowhere');
      await page.getByRole('button', { name: 'Add the user' }).click();
      await page.getByText('This is not an e-mail address.').waitFor();
      expect(await page.title()).toMatch(/^Error: /);
      await page.locator('#field-email:focus').waitFor();
    }));

  test('the connection test reports what happened to the header', () =>
    withPage(browser(), host, { as: 'ann', width: 320, dark: true }, async (page) => {
      await page.goto('/wp-admin/connection');
      const send = page.getByRole('button', { name: 'Send a request' });
      await send.click();
      await page.getByText('No Authorization header arrived.').waitFor();
      await page.getByLabel('Application password').fill(host.credentials('ann').secret);
      await send.click();
      await page.getByText('Accepted as ann, with the application password "test".').waitFor();
      await page.getByLabel('Application password').fill('wrong ほん');
      await send.click();
      await page.getByText('was refused:').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    }));

  test('without JavaScript, only the command is shown, so nothing can be sent by mistake', () =>
    withPage(browser(), host, { as: 'bob', script: false }, async (page) => {
      await page.goto('/wp-admin/connection');
      await page.getByRole('button', { name: 'Send a request', disabled: true }).waitFor();
      await page.getByText(/^curl -s -u 'bob:APPLICATION PASSWORD'/).waitFor();
    }));

  test('an extension and its pages can be turned off and on, unless the program needs the extension', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/extensions');
      await page.getByText('this program needs it, so it stays on').waitFor();
      expect(await page.getByRole('link', { name: /^Deactivate/ }).count()).toBe(1);
      await page.getByRole('link', { name: 'Deactivate notes' }).click();
      await page.getByRole('button', { name: 'Deactivate notes' }).click();
      await page.getByText('notes is off.').waitFor();
      await page.getByRole('link', { name: 'Notes', exact: true }).first().waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Activate notes' }).click();
      await page.getByText('notes is on.').waitFor();
      await page.getByRole('link', { name: 'Notes', exact: true }).waitFor();
    }));

  test('the Health page is green, or shows a problem with its remedy until the problem is solved', () =>
    withPage(browser(), host, { as: 'ann', width: 320, clipboard: true }, async (page) => {
      await page.goto('/wp-admin/health');
      await page.getByText('All checks passed.').waitFor();
      const made_at = new Date(Date.now() - 30 * 86_400_000);
      await host.database.write('host.backup').insert({ made_at, bytes: 1 });
      await page.reload();
      await page.getByRole('heading', { name: 'Backup warning' }).waitFor();
      await page.getByText(/The last backup by qal backup was written on .*, 30 days ago\./).waitFor();
      await page.getByRole('button', { name: 'Copy: Command for Backup' }).click();
      await page.locator('button', { hasText: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('qal backup FILE');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      await host.database.write('host.backup').delete();
      await page.reload();
      await page.getByText('All checks passed.').waitFor();
    }));
});
