// Using only the keyboard: the focus is always visible, reaches every control, and never falls back to the body.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { withPage } from './support/open-page';
import { startShop } from './support/shop-data';

const DONE = '#dashboard[data-waiting="0"]';
const PAGES = [
  'dashboard',
  'funnels',
  'funnels/shop/1',
  'goals/shop/add',
  'imports/geoip',
  'imports/upload',
  'links',
  'reports',
  'retention',
  'sites',
  'users/2/delete',
];

/**
 * Presses Tab until the focus leaves the page. Returns the controls that the focus did not reach, and those on which it was not
 * visible.
 */
async function tabThrough(
  page: Page,
): Promise<{ readonly missed: readonly string[]; readonly hidden: readonly string[] }> {
  await page.evaluate(`{
    window.reached = new Set();
    window.hiddenFocus = [];
    document.addEventListener('focusin', ({ target }) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(target);
      window.reached.add(target);
      if (boxShadow === 'none' && (outlineStyle === 'none' || outlineWidth === '0px'))
        window.hiddenFocus.push(target.outerHTML.slice(0, 160));
    });
    window.controls = () => [...document.querySelectorAll('a, input, select, textarea, button, summary, [tabindex="0"]')]
      .filter((one) => one.type !== 'hidden' && !one.disabled && one.checkVisibility() && one.tabIndex === 0)
      // In a group of radio buttons, Tab reaches only the checked one.
      .filter((one) => one.type !== 'radio' || one.checked);
  }`);
  const count = await page.evaluate<number>('window.controls().length');
  await page.locator('body').press('Tab');
  for (let steps = 0; steps < count + 5; steps += 1) await page.keyboard.press('Tab');
  return page.evaluate(`({
    missed: window.controls().filter((one) => !window.reached.has(one)).map((one) => one.outerHTML.slice(0, 160)),
    hidden: window.hiddenFocus,
  })`);
}

describeInBrowser('the keyboard', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
  });
  afterAll(() => host.stop());

  test.each(PAGES)('the focus reaches every control of %s and is visible there', (path) =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto(`/wp-admin/${path}`);
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      expect(await tabThrough(page)).toEqual({ missed: [], hidden: [] });
    }),
  );

  test('the focus is not lost after any action on the dashboard', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/dashboard');
      await page.locator(DONE).waitFor();
      const isLost = () => page.evaluate<boolean>('document.activeElement === document.body');
      const settled = async (act: () => Promise<void>) => {
        await act();
        await page.locator(DONE).waitFor();
        expect(await isLost()).toBe(false);
      };
      const press = (key: string) => settled(() => page.keyboard.press(key));
      await page.locator('#panel-devices tbody a').first().focus();
      for (const _click of ['filter', 'exclude', 'remove']) await press('Enter');
      await page.locator('#panel-pages tbody a').first().focus();
      await press('Enter');
      await page
        .getByRole('button', { name: /^Remove the filter/ })
        .first()
        .focus();
      await press('Enter');
      await page.locator('#filter-add').focus();
      await press('Enter');
      await page.getByLabel('Values').focus();
      await page.keyboard.type('https://shop.example/nowhere');
      await press('Tab');
      await press('Enter');
      await page.locator('#chips', { hasText: 'nowhere' }).waitFor();
      await press('Escape');
      await page.locator('#tab-channel').focus();
      for (const key of ['ArrowRight', 'ArrowRight', 'Home', 'End']) await press(key);
      await page.getByRole('button', { name: 'Show all of Pages: All' }).focus();
      await press('Enter');
      await page.getByRole('dialog', { name: 'Pages: All' }).waitFor();
      await press('Escape');
      await page.locator('#range-choice').focus();
      await press('Enter');
      await press('Escape');
    }));
});
