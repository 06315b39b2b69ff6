// The dashboard in a real browser, compared with a date range that the user enters.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { axeFaults, COLOR_RULES } from './support/axe';
import { startBrowserHost } from './support/browser-host';
import { describeInBrowser } from './support/chromium';
import { answered, DONE, figure, open } from './support/dashboard';
import { overflow, withPage } from './support/open-page';

/** One page view on each day of February 2026, and two on each of the first 28 days of March. */
const views = () =>
  [
    { month: '2026-02', count: 1 },
    { month: '2026-03', count: 2 },
  ].flatMap(({ month, count }) =>
    Array.from({ length: 28 * count }, (_unused, at) => ({
      access_time: `${month}-${String((at % 28) + 1).padStart(2, '0')}T10:0${Math.floor(at / 28)}:00Z`,
      url: 'https://shop.example/',
    })),
  );

const WEEK = '?from=2026-03-01&to=2026-03-07';
const rangeText = async (page: Page) => (await page.locator('#range').innerText()).replace(/\s*–\s*/g, '–');

describeInBrowser('a custom comparison', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startBrowserHost({
      sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC', default: true }],
      users: [{ login: 'ann', role: 'administrator' }],
    });
    await host.importRows('allpv', 'shop', views());
  });
  afterAll(() => host.stop());

  test('can be entered with the keyboard alone, is in the URL, and explains how ranges of different lengths are compared', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, WEEK);
      expect(await page.locator('#card-views .card-change').getAttribute('class')).toContain('better');
      await page.locator('#range-choice').focus();
      await page.keyboard.press('Enter');
      const from = page.getByLabel('Compare from');
      await page.getByLabel('Previous year (same weekdays)').focus();
      expect(await from.isVisible()).toBe(false);
      const address = page.url();
      await page.keyboard.press('ArrowDown');
      await page.getByLabel('Custom range').and(page.locator(':checked:focus')).waitFor();
      // The form starts with the previous period, and takes effect once it is submitted.
      expect(await from.inputValue()).toBe('2026-02-22');
      expect(page.url()).toBe(address);
      await page.keyboard.press('Tab');
      await page.locator('#compare-from:focus').fill('2026-02-01');
      const until = page.getByLabel('Compare until');
      await until.fill('2026-03-08');
      await until.press('Enter');
      // The browser rejects days after the range.
      await page.locator('#compare-to:invalid:focus').waitFor();
      await until.fill('2026-02-10');
      await answered(page, () => until.press('Enter'));
      await page.locator('#range-choice:focus').waitFor();
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
        site: 'shop',
        period: 'custom',
        from: '2026-03-01',
        to: '2026-03-07',
        compare: 'custom',
        compare_from: '2026-02-01',
        compare_to: '2026-02-10',
      });

      for (const _visit of ['now', 'after a reload']) {
        expect(await rangeText(page)).toContain('compared with 1–10 Feb 2026');
        expect(await rangeText(page)).toContain(
          'Changes compare 7 days with 10; the dashed line shows the first 7.',
        );
        const change = page.locator('#card-views .card-change');
        expect([await figure(page, 'views'), await change.innerText()]).toEqual(['14', '↑ 40%']);
        // If the ranges have different lengths, an increase is not marked as an improvement.
        expect(await change.getAttribute('class')).toBe('card-change');
        await page.getByText('As a table').click();
        const row = page.locator('#chart tbody tr').nth(6);
        expect(await row.innerText()).toMatch(/7 Mar 2026.*7 Feb 2026/s);
        await page.reload();
        await page.locator(DONE).waitFor();
      }

      await page.locator('#range-choice').click();
      await answered(page, () => page.getByLabel('Previous period').check());
      expect(new URL(page.url()).searchParams.has('compare_from')).toBe(false);
      expect(await rangeText(page)).not.toContain('Changes compare');
    }));

  test.each([
    ['compare_from=2026-02-30&compare_to=2026-03-01', 'Compare from: Enter a date such as 2026-11-01.'],
    [
      'compare_from=2026-03-01&compare_to=2026-03-08',
      'Compare until: The comparison must not end after 2026-03-07, the last day of the range.',
    ],
  ])('?%s: the error names the field, and other dates can be entered', (days, message) =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto(`/wp-admin/dashboard${WEEK}&${days}`);
      await page.locator('#dashboard-status', { hasText: message }).waitFor();
      const figures = page.locator('#figures');
      expect(await figures.isVisible()).toBe(false);
      await page.locator('#range-choice').click();
      await page.getByLabel('Compare from').fill('2026-02-07');
      await page.getByLabel('Compare until').fill('2026-02-01');
      await answered(page, () => page.getByRole('button', { name: 'Compare', exact: true }).click());
      expect(await rangeText(page)).toContain('compared with 1–7 Feb 2026');
      expect(await figures.isVisible()).toBe(true);
      // The range is before the comparison: nothing from the previous response remains, and nothing is pending.
      await page.locator('#range-choice').click();
      await page.getByLabel('From', { exact: true }).fill('2026-01-01');
      await page.getByLabel('To', { exact: true }).fill('2026-01-31');
      await answered(page, () => page.getByRole('button', { name: 'Show', exact: true }).click());
      await page.locator('#dashboard-status', { hasText: 'must not end after 2026-01-31' }).waitFor();
      expect(await page.locator('[aria-busy="true"]').count()).toBe(0);
      expect([await figures.isVisible(), await rangeText(page)]).toEqual([false, '']);
    }),
  );

  test.each([390, 1280])(
    'has no accessibility problems at %d px, light or dark, and nothing overflows',
    (width) =>
      withPage(browser(), host, { as: 'ann', width }, async (page) => {
        await open(page, `${WEEK}&compare_from=2026-02-01&compare_to=2026-02-10`);
        await page.locator('#range-choice').click();
        await page.getByLabel('Compare until').waitFor();
        expect(await axeFaults(page)).toEqual([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        expect(await axeFaults(page, { rules: COLOR_RULES })).toEqual([]);
        expect(await overflow(page)).toBe(0);
      }),
  );
});
