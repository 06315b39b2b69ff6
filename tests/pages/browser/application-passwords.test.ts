// The life cycle of an application password in a real browser: it is created, copied, used by a program, and revoked. Also tests
// restricted passwords.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { overflow, stickingOut, withPage } from './support/open-page';
import { HOSTILE, startShop, WAS_HACKED } from './support/shop-data';

const PAGE = '/wp-admin/application-passwords';
const GUIDE = '/wp-json/qa-platform/guide';

describeInBrowser('application passwords', ({ browser }) => {
  let host: TestHost;
  /** How far ahead the host's clock is, in milliseconds. */
  let ahead = 0;

  beforeAll(async () => {
    host = await startShop({ clock: () => new Date(Date.now() + ahead) });
  });
  afterAll(() => host.stop());

  const guideWith = (login: string, secret: string) =>
    host.request('GET', GUIDE, { user: { login, secret } });
  const sitesOf = (guide: { readonly body: { readonly sites: readonly { tracking_id: string }[] } }) =>
    guide.body.sites.map(({ tracking_id }) => tracking_id).filter((site) => site !== 'all');

  async function create(page: Page, name: string): Promise<string> {
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    return page.getByRole('region', { name: 'Application password', exact: true }).innerText();
  }

  test('a password is created, copied and used, and is rejected as soon as it is revoked', () =>
    withPage(browser(), host, { as: 'ann', clipboard: true }, async (page) => {
      await page.goto(PAGE);
      const secret = await create(page, 'Report');
      expect(secret).toMatch(/^([A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}$/);
      await page.getByRole('button', { name: 'Copy: Application password' }).click();
      await page.locator('[data-copy="new-password"]', { hasText: 'Copied' }).waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).toBe(secret);

      expect((await guideWith('ann', copied)).status).toBe(200);
      await page.goto(PAGE);
      expect(await page.content()).not.toContain(secret);
      expect(await page.content()).not.toContain(secret.replaceAll(' ', ''));

      await page.getByRole('link', { name: 'Revoke “Report”' }).click();
      await page.getByRole('button', { name: 'Revoke', exact: true }).click();
      await page.getByRole('status').first().waitFor();
      expect((await guideWith('ann', copied)).status).toBe(401);
      await page.getByRole('link', { name: 'Revoke “Report”' }).first().waitFor({ state: 'detached' });
    }));

  test('the curl command next to a new password contains the login, the password and the URL', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto(PAGE);
      const secret = await create(page, 'curl');
      const examples = await page.locator('pre[id^="example-"]').allInnerTexts();
      const curl = examples.find((text) => text.startsWith('curl'));
      expect(curl).toContain(`ann:${secret}`);
      expect(curl).toContain(host.url);
    }));

  test('an expiry date and a list of sites are both enforced', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto(PAGE);
      await page.locator('summary', { hasText: 'Restrictions' }).click();
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
      await page.getByLabel('Expires').fill(tomorrow);
      await page.getByRole('checkbox', { name: 'blog.example' }).check();
      const secret = await create(page, 'Weak');
      const guide = await guideWith('ann', secret);
      expect(sitesOf(guide)).toEqual(['blog']);
      const ask = (tracking_id: string) =>
        host.request('POST', '/wp-json/qa-platform/query', {
          user: { login: 'ann', secret },
          body: {
            tracking_id,
            materials: [{ name: 'allpv' }],
            time: { start: '2026-11-01T00:00:00', end: '2026-11-02T00:00:00', tz: 'UTC' },
            make: { v: { from: ['allpv'], keep: ['allpv.url'] } },
            result: { use: 'v' },
          },
        });
      expect((await ask('blog')).status).toBe(200);
      expect((await ask('shop')).body.error.code).toBe('E_UNKNOWN_TRACKING_ID');

      ahead = 2 * 86_400_000;
      try {
        expect((await guideWith('ann', secret)).status).toBe(401);
      } finally {
        ahead = 0;
      }
      expect((await guideWith('ann', secret)).status).toBe(200);
    }));

  test('an expiry date in the past is reported next to its field, and the form keeps its values', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto(PAGE);
      await page.locator('summary', { hasText: 'Restrictions' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Late');
      await page.getByLabel('Expires').fill('2020-01-01');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const field = page.getByLabel('Expires');
      await field.and(page.locator('[aria-invalid="true"]')).waitFor();
      expect(await field.inputValue()).toBe('2020-01-01');
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Late');
    }));

  test('a name is shown as text everywhere, and can be changed', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto(PAGE);
      await create(page, HOSTILE);
      await page.goto(PAGE);
      await page.getByRole('link', { name: `Rename “${HOSTILE}”` }).click();
      await page.getByLabel('Name', { exact: true }).fill('東京の鍵');
      await page.keyboard.press('Enter');
      await page.getByRole('rowheader', { name: '東京の鍵' }).waitFor();
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  test('the confirmation page for revoking a password with a long name fits a narrow window', () =>
    withPage(browser(), host, { as: 'ann', width: 390 }, async (page) => {
      const name = 'long'.repeat(25);
      await page.goto(PAGE);
      await create(page, name);
      await page.getByRole('link', { name: `Revoke “${name}”` }).click();
      await page.getByRole('button', { name: 'Revoke', exact: true }).waitFor();
      expect([await overflow(page), await stickingOut(page)]).toEqual([0, []]);
    }));

  test('a password can be created and revoked with the keyboard alone', () =>
    withPage(browser(), host, { as: 'bob' }, async (page) => {
      await page.goto(PAGE);
      await page.getByLabel('Name', { exact: true }).focus();
      await page.keyboard.type('Keys');
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Application password', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Revoke “Keys”' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Revoke', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${PAGE}`);
      await page.getByRole('link', { name: 'Revoke “Keys”' }).waitFor({ state: 'detached' });
    }));

  test('all passwords can be revoked at once, even without JavaScript', () =>
    withPage(browser(), host, { as: 'bob', script: false }, async (page) => {
      await page.goto(PAGE);
      const secret = await create(page, 'One of several');
      expect((await guideWith('bob', secret)).status).toBe(200);
      await page.getByRole('link', { name: 'Revoke all' }).click();
      await page.getByRole('button', { name: /^Revoke/ }).click();
      await page.getByText('You have none yet.').waitFor();
      expect((await guideWith('bob', secret)).status).toBe(401);
    }));
});
