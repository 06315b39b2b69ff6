// Changes that an administrator makes in a real browser take effect in the query service.
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { withPage } from './support/open-page';
import { HOSTILE, startShop, WAS_HACKED } from './support/shop-data';

describeInBrowser('administration', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
  });
  afterAll(() => host.stop());

  const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19);
  const ask = (login: string, material: string, view: object) =>
    host.request('POST', '/wp-json/qa-platform/query', {
      user: login,
      body: {
        tracking_id: 'shop',
        materials: [{ name: material }],
        time: { start: daysFromNow(-30), end: daysFromNow(1), tz: 'Asia/Tokyo' },
        make: { v: { from: [material], ...view } },
        result: { use: 'v' },
      },
    });

  test('matches are counted while a goal is being entered, and its conversions can be queried once it is saved', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/goals/shop/add');
      await page.getByLabel('Name', { exact: true }).fill(`${HOSTILE} again`);
      await page.getByLabel('The URL').selectOption('prefix');
      await page.getByLabel('URL, path, or part of it').fill('https://shop.example/0/');
      await page.getByText('Matches 17 page views in 17 visits').waitFor();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('Goal 2 was added.').waitFor();
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
      const response = await ask('ann', 'goal_2', {
        keep: [],
        calc: { conversions: 'COUNT(goal_2.session_id)' },
      });
      expect(response.body.result.rows).toEqual([[17]]);
    }));

  test('the query service rejects a feature while it is switched off', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const counted = () => ask('ann', 'allpv', { keep: [], calc: { views: 'COUNT(allpv.pv_id)' } });
      await page.goto('/wp-admin/features');
      await page.getByRole('link', { name: 'Switch off calc', exact: true }).click();
      await page.getByRole('button', { name: 'Switch off calc', exact: true }).click();
      await page.getByRole('button', { name: 'Switch on calc', exact: true }).waitFor();
      const refused = await counted();
      expect(refused.status).toBe(400);
      expect(refused.body.error.code).toBe('E_FEATURE_DISABLED');
      await page.getByRole('button', { name: 'Switch on calc', exact: true }).click();
      await page.getByRole('link', { name: 'Switch off calc', exact: true }).waitFor();
      expect((await counted()).body.result.rows).toEqual([[50]]);
    }));

  test('an analyst can query a site as soon as access to it is granted', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const views = () => ask('bob', 'allpv', { keep: [], calc: { views: 'COUNT(allpv.pv_id)' } });
      expect((await views()).body.error.code).toBe('E_UNKNOWN_TRACKING_ID');
      await page.goto('/wp-admin/users');
      await page.getByRole('link', { name: 'bob' }).first().click();
      await page.getByRole('checkbox', { name: /shop$/ }).check();
      await page.getByRole('button', { name: 'Save' }).first().click();
      await page.locator('.notice').waitFor();
      expect((await views()).body.result.rows).toEqual([[50]]);
    }));

  test('the connection test distinguishes an accepted password from a rejected one', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const { secret } = host.credentials('ann');
      await page.goto('/wp-admin/connection');
      const send = async (text: string) => {
        await page.getByLabel('Application password').fill(text);
        await page.getByRole('button', { name: 'Send a request' }).click();
      };
      await send(secret);
      await page.locator('[data-message].notice').waitFor();
      expect(await page.locator('[data-pairs]').innerText()).toContain('arrived, scheme Basic');
      await send('wrong wrong wrong');
      await page.locator('[data-message].fault').waitFor();
      await send('');
      await page.locator('[data-message].warning').waitFor();
      expect(await page.locator('[data-pairs]').innerText()).toContain('did not arrive');
    }));
});
