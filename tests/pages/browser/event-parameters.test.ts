// Filters by event parameters, whose values are selected with the keyboard in an event's dialog.
import type { Page, Response } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { answered } from './support/dashboard';
import { withPage } from './support/open-page';
import { HOSTILE, startShop, WAS_HACKED } from './support/shop-data';

const isDashboardResponse = (response: Response) => response.url().includes('-pages/dashboard');
const DONE = '#dashboard[data-waiting="0"]';

describeInBrowser('event parameters', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
    const at = Math.floor(Date.now() / 1000) - 86_400;
    await host.importRows(
      'allpv',
      'blog',
      [1, 2, 3].map((id) => ({
        pv_id: id,
        session_id: id,
        reader_id: id,
        access_time: at,
        url: 'https://blog.example/',
      })),
    );
    await host.importRows(
      'datalayer_event',
      'blog',
      [
        { video: HOSTILE, seconds: 12.5 },
        { video: 'intro', seconds: 12.5 },
        { video: 'intro', seconds: 7 },
      ].map((params, index) => ({ pv_id: index + 1, access_time: at, event_name: 'play', params })),
    );
  });
  afterAll(() => host.stop());

  const visits = (page: Page) => page.locator('#card-visits .figure').innerText();

  async function choose(page: Page, parameter: string, value: string): Promise<void> {
    await page.getByRole('button', { name: 'Parameters of play' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.whole-rows a').first().waitFor();
    const select = page.getByLabel('Parameter', { exact: true });
    if ((await select.inputValue()) !== parameter) {
      const loaded = page.waitForResponse(isDashboardResponse);
      await select.selectOption(parameter);
      await loaded;
    }
    await page.locator('.whole-rows[aria-busy="false"]').waitFor();
    await page.getByRole('dialog').getByRole('link', { name: value }).focus();
    const arrived = page.waitForResponse(isDashboardResponse);
    await page.keyboard.press('Enter');
    await arrived;
    await page.locator(DONE).waitFor();
    expect(await page.evaluate('document.activeElement === document.body')).toBe(false);
  }

  test('a click on a value filters by it, even if it is a number; the next click excludes it, and a third one removes the filter', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/dashboard?site=blog');
      await page.locator(DONE).waitFor();
      await choose(page, 'video', 'intro');
      await page.getByText('Event parameter is play: video = intro').waitFor();
      expect(await visits(page)).toBe('2');
      await choose(page, 'seconds', '7');
      expect(await visits(page)).toBe('1');
      await choose(page, 'video', 'intro');
      await page.getByText('Event parameter is not play: video = intro').waitFor();
      expect(await visits(page)).toBe('0');
      await page
        .getByRole('button', { name: 'Remove the filter: Event parameter is play: seconds = 7' })
        .focus();
      await answered(page, () => page.keyboard.press('Enter'));
      expect(await visits(page)).toBe('1');
      await choose(page, 'video', 'intro');
      expect(await visits(page)).toBe('3');
      await choose(page, 'seconds', '7');
      await page.getByRole('button', { name: 'Event parameter is play: seconds = 7', exact: true }).focus();
      await answered(page, () => page.keyboard.press('Enter'));
      expect(await visits(page)).toBe('2');
      await page.getByRole('button', { name: /^Remove the filter/ }).focus();
      await page.keyboard.press('Enter');
      await page.locator(DONE).waitFor();
      await choose(page, 'video', HOSTILE);
      expect(await visits(page)).toBe('1');
      const address = page.url();
      await page.goto(address);
      await page.locator(DONE).waitFor();
      expect(await visits(page)).toBe('1');
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  test('the form accepts an event, its parameter and a value, and reports errors', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/dashboard?site=blog');
      await page.locator(DONE).waitFor();
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByLabel('Filter by').selectOption('Event parameter');
      await page.getByLabel('Condition').selectOption('is not');
      const values = page.getByLabel('Values');
      const add = page.getByRole('button', { name: 'Add', exact: true });
      const fault = () => page.evaluate<string>(`document.getElementById('field-values').validationMessage`);
      for (const [line, message] of [
        ['intro', 'Enter an event'],
        ['play: color = red', 'has no parameter color'],
        ['play: seconds = long', 'are numbers'],
      ] as const) {
        await values.fill(line);
        await add.click();
        expect(await fault()).toContain(message);
      }
      await page.getByLabel('Condition').selectOption('contains');
      await values.fill('play: video = intro');
      await add.click();
      expect(await fault()).toContain('must match in full');
      await page.getByLabel('Condition').selectOption('is not');
      await values.fill('play: seconds = 7\nplay: video = intro');
      await answered(page, () => add.click());
      await page.getByText('Event parameter is not play: seconds = 7 or play: video = intro').waitFor();
      expect(await visits(page)).toBe('1');
    }));
});
