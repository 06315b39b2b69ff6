// Funnels in a real browser: adding one with the keyboard, showing and filtering it, and opening it as a query or through a link.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { overflow, withPage } from './support/open-page';
import { createLink } from './support/shared-link';
import { startShop, WAS_HACKED } from './support/shop-data';

const DONE = '#report[data-waiting="0"]';

/** The numbers in each row. */
const numbers = (page: Page) =>
  page.evaluate<string[][]>(
    `[...document.querySelectorAll('.funnel tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))`,
  );

describeInBrowser('funnels', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
  });
  afterAll(() => host.stop());

  test('a funnel can be added with the keyboard alone, and its numbers are the same as those of its query', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/funnels');
      await page.locator(DONE).waitFor();
      await page.locator('#add').focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Name').focus();
      await page.keyboard.type('By keyboard');
      await page.keyboard.press('Tab');
      await page.keyboard.type('Page contains');
      await page.keyboard.press('Tab');
      await page.keyboard.type('example/');
      await page.keyboard.press('Tab');
      await page.keyboard.type('Page starts');
      await page.keyboard.press('Tab');
      await page.keyboard.type('/1/');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('select[name="kind_3"]:focus').waitFor();
      await page.keyboard.type('Event');
      // The new step does not have a value yet.
      await page.keyboard.press('Enter');
      await page.locator('input[name="value_3"]:invalid').waitFor();
      await page.locator('select[name="kind_3"]').selectOption('');
      await page.getByRole('button', { name: 'Add', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('The funnel was added.').waitFor();
      await page.locator(DONE).waitFor();
      const [first, second] = await numbers(page);
      expect(first).toEqual(['25', '100%', '–', '–']);
      expect(second?.[0]).toMatch(/^[1-9]\d*$/);
      const visits = second?.[0];
      await page.getByRole('link', { name: 'Open as query' }).click();
      await page.locator('#panel-table tbody tr').first().waitFor();
      expect(await page.locator('#panel-table tbody td').allInnerTexts()).toEqual(['25', visits]);
    }));

  test('the URL restores the funnel and its filters, and names are shown as text', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/funnels?country=JP');
      await page.locator(DONE).waitFor();
      await page.getByRole('button', { name: 'Country is Japan', exact: true }).waitFor();
      const [filtered] = await numbers(page);
      await page.getByRole('button', { name: /^Remove the filter/ }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Filters select visits.').waitFor();
      await page.locator(DONE).waitFor();
      const [all] = await numbers(page);
      expect(Number(filtered?.[0])).toBeLessThanOrEqual(Number(all?.[0]));
      expect(await page.evaluate('document.activeElement === document.body')).toBe(false);
      await page.goBack();
      await page.getByRole('button', { name: 'Country is Japan', exact: true }).waitFor();
      await page.locator(DONE).waitFor();
      expect(await numbers(page)).toContainEqual(filtered);
      await page.goto('/wp-admin/funnels?funnel=999');
      await page.getByRole('heading', { name: 'This funnel was deleted' }).waitFor();
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  test('Reset restores the saved steps', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/funnels/shop/1');
      const value = page.getByLabel('Value of step 2');
      await value.fill('/changed/');
      await page.getByRole('button', { name: 'Add a step' }).click();
      await page.getByRole('button', { name: 'Reset' }).click();
      expect(await value.inputValue()).toBe('/2/');
      await page.getByLabel('Step 4', { exact: true }).waitFor({ state: 'hidden' });
    }));

  test('the form works without JavaScript', () =>
    withPage(browser(), host, { as: 'ann', script: false }, async (page) => {
      await page.goto('/wp-admin/funnels/shop/add');
      await page.getByLabel('Name').fill('Plain');
      for (const step of [1, 8]) {
        await page.locator(`select[name="kind_${step}"]`).selectOption('event');
        await page.locator(`input[name="value_${step}"]`).fill('play');
      }
      await page.locator('select[name="kind_2"]').selectOption('');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('The funnel was added.').waitFor();
    }));

  test('a shared link shows a funnel, which fits windows of every width', () =>
    withPage(browser(), host, {}, async (page) => {
      await page.goto(await createLink(host, 'funnels'));
      await page.locator(DONE).waitFor();
      expect((await numbers(page))[0]?.[0]).toBe('25');
      expect(await page.getByRole('link', { name: 'Open as query' }).count()).toBe(0);
      expect(await page.locator('#add').count()).toBe(0);
      for (const width of [390, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        expect([width, await overflow(page)]).toEqual([width, 0]);
      }
    }));
});
