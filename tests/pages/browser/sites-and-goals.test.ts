// The scripts of the Sites and Goals pages.
import type { TestHost } from '../../support/test-host';
import { startBrowserHost } from './support/browser-host';
import { describeInBrowser } from './support/chromium';
import { overflow, stickingOut, withPage } from './support/open-page';

const LONG_URL = `https://shop.example/${'a-path-that-breaks-nowhere'.repeat(4)}/thanks`;

const BRANCHES = 21;

describeInBrowser('sites and goals', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    const goal = { id: 1, name: 'Order', type: 'gtype_page', condition: { url: LONG_URL, match: 'exact' } };
    const zone = { timezone: 'Asia/Tokyo' };
    host = await startBrowserHost({
      sites: [
        {
          tracking_id: 'shop',
          domain: 'shop.example',
          name: 'Läden 東京',
          default: true,
          goals: [goal],
          ...zone,
        },
        { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', ...zone },
        ...Array.from({ length: BRANCHES }, (_unused, index) => ({
          tracking_id: `branch${index}`,
          domain: 'branch.example',
          name: 'Zweig',
          ...zone,
        })),
      ],
      users: [{ login: 'ann', role: 'administrator' }],
    });
    const view = (index: number) => ({
      url: `https://shop.example/${index}`,
      access_time: 1_770_000_000 + index,
    });
    await host.importRows('allpv', 'shop', [view(1), view(2), view(3)]);
    await host.importRows('allpv', 'blog', [view(1)]);
  });
  afterAll(() => host.stop());

  test('matches are counted while a condition is being entered, the fields depend on the type, and Enter adds the goal', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/goals/shop/add');
      await page.getByLabel('Event name').waitFor({ state: 'hidden' });
      await page.getByLabel('The URL').selectOption('contains');
      await page.getByLabel('URL, path, or part of it').fill('shop.example/');
      await page.getByText('Matches 3 page views in 3 visits').waitFor();
      await page.getByLabel('Type').selectOption('scroll_depth');
      await page.getByLabel('URL, path, or part of it').waitFor({ state: 'hidden' });
      await page.getByText('Not counted yet: Percent, 1 to 100').waitFor();
      await page.getByLabel('Percent, 1 to 100').fill('90');
      await page
        .locator('.warning', { hasText: 'No matches yet in the 30 days up to 2026-02-02.' })
        .waitFor();
      await page.getByLabel('Name', { exact: true }).fill('Deep');
      await page.keyboard.press('Enter');
      await page.getByText('Goal 2 was added. Nothing in the data matches it yet.').waitFor();
      await page.getByText('scrolled to 90% or deeper').waitFor();
    }));

  test('a notice stays until the next action', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/goals/shop/1');
      await page.getByRole('button', { name: 'Save' }).click();
      const notice = page.getByRole('status').filter({ hasText: 'Goal 1 was changed.' });
      await page.getByRole('heading', { level: 1 }).click();
      await notice.waitFor();
      await page.getByLabel('Site', { exact: true }).selectOption('Blog (blog)');
      await notice.waitFor({ state: 'detached' });
    }));

  test('without JavaScript, the fields of all types are shown, and a button counts the matches', () =>
    withPage(browser(), host, { as: 'ann', script: false }, async (page) => {
      await page.goto('/wp-admin/goals/blog/add');
      await page.getByLabel('Text').fill('shop.example');
      await page.getByLabel('Type').selectOption('url_match');
      await page.getByRole('button', { name: 'Count matches' }).click();
      await page.getByText('Matches 1 page view in 1 visit during').waitFor();
      expect(await page.getByLabel('Text').inputValue()).toBe('shop.example');
      await page.getByLabel('Event name').waitFor();
    }));

  test('many sites and a long unbreakable URL fit a narrow window', () =>
    withPage(browser(), host, { as: 'ann', width: 320 }, async (page) => {
      for (const path of ['sites', 'goals/shop', 'goals/shop/1', 'goals/shop/1/remove']) {
        await page.goto(`/wp-admin/${path}`);
        expect({ path, of: await stickingOut(page) }).toEqual({ path, of: [] });
        expect(await overflow(page)).toBeLessThanOrEqual(0);
      }
    }));

  test('the form of a removed goal reports the removal instead of matches', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/goals/shop/1');
      await host.database.write('analytics.goal').where({ goal_no: 1 }).delete();
      await page.getByLabel('URL, path, or part of it').fill('shop.example/');
      await page.getByText('Site shop has no such goal; it may already have been removed.').waitFor();
    }));
});
