// The authorize flow in a real browser: a program sends a user to the page, the user approves or rejects, and the browser is sent
// back.
import { createServer, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { LOGIN_PASSWORD, type TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { withPage } from './support/open-page';
import { HOSTILE, startShop, WAS_HACKED } from './support/shop-data';

describeInBrowser('authorizing a program', ({ browser }) => {
  let host: TestHost;
  let program: Server;
  let programUrl = '';

  beforeAll(async () => {
    host = await startShop();
    program = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end('<link rel="icon" href="data:,"><h1>Back in the program</h1>');
    });
    await new Promise<void>((resolve) => void program.listen(0, '127.0.0.1', resolve));
    const address = program.address();
    if (typeof address === 'object' && address !== null) programUrl = `http://127.0.0.1:${address.port}`;
  });
  afterAll(async () => {
    await host.stop();
    await new Promise((resolve) => program.close(resolve));
  });

  const addressFor = (fields: Readonly<Record<string, string>>) =>
    `/wp-admin/authorize-application.php?${new URLSearchParams({ app_name: 'Report maker', ...fields })}`;

  /** The URL that the user is sent to after the decision. */
  async function decide(page: Page, button: 'Approve' | 'Reject'): Promise<URL> {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('heading', { name: 'Back in the program' }).waitFor();
    return new URL(page.url());
  }

  test('approving sends the user back with a password that works', () =>
    withPage(browser(), host, { as: 'bob', alsoTo: [programUrl] }, async (page) => {
      await page.goto(
        addressFor({ success_url: `${programUrl}/done?state=7`, reject_url: `${programUrl}/no` }),
      );
      const { pathname, searchParams } = await decide(page, 'Approve');
      expect(pathname).toBe('/done');
      expect(searchParams.get('state')).toBe('7');
      expect(searchParams.get('user_login')).toBe('bob');
      expect(searchParams.get('site_url')).toBe(host.url);
      const user = { login: 'bob', secret: searchParams.get('password') ?? '' };
      const guide = await host.request('GET', '/wp-json/qa-platform/guide', { user });
      expect(guide.status).toBe(200);
      await page.goto('/wp-admin/application-passwords');
      await page.getByRole('rowheader', { name: 'Report maker' }).waitFor();
    }));

  test('rejecting sends the user back without a password', () =>
    withPage(browser(), host, { as: 'ann', alsoTo: [programUrl] }, async (page) => {
      await page.goto(addressFor({ success_url: `${programUrl}/done`, reject_url: `${programUrl}/no` }));
      const { pathname, searchParams } = await decide(page, 'Reject');
      expect(pathname).toBe('/no');
      expect(searchParams.has('password')).toBe(false);
      await page.goto('/wp-admin/application-passwords');
      await page.getByRole('rowheader', { name: 'Report maker' }).waitFor({ state: 'detached' });
    }));

  test('without a return address, the password is shown', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto(addressFor({ app_name: HOSTILE }));
      await page.getByRole('button', { name: 'Approve' }).click();
      const secret = await page
        .getByRole('region', { name: 'Application password', exact: true })
        .innerText();
      const guide = await host.request('GET', '/wp-json/qa-platform/guide', {
        user: { login: 'ann', secret },
      });
      expect(guide.status).toBe(200);
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  test.each(['javascript:window.hacked=1', 'data:text/html,<script>1</script>'])(
    'users cannot be sent to %s',
    (success_url) =>
      withPage(browser(), host, { as: 'ann' }, async (page) => {
        const response = await page.goto(addressFor({ success_url }));
        expect(response?.status()).toBe(400);
        await page.getByRole('button', { name: 'Approve' }).first().waitFor({ state: 'detached' });
        expect(await page.evaluate(WAS_HACKED)).toBe(false);
      }),
  );

  test('a user who is not logged in logs in first and then returns to the page', () =>
    withPage(browser(), host, {}, async (page) => {
      await page.goto(addressFor({ success_url: `${programUrl}/done` }));
      await page.getByLabel('Login or e-mail').fill('bob');
      await page.getByLabel('Login password').fill(LOGIN_PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('button', { name: 'Approve' }).waitFor();
      await page.getByText('Report maker').first().waitFor();
    }));
});
