// The playground in a real browser: writing a query with completion, running it, viewing the answer, and repairing an invalid
// query.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { overflow, stickingOut, withPage } from './support/open-page';
import { editorOf, openQuery, PLAYGROUND, textOf } from './support/playground';
import { GERMAN, HOSTILE, startShop, WAS_HACKED } from './support/shop-data';

const END = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19);
const START = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 19);

interface View {
  readonly [clause: string]: unknown;
}

const queryOf = (view: View, more: object = {}) => ({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: START, end: END, tz: 'Asia/Tokyo' },
  make: { answer: { from: ['allpv'], ...view } },
  result: { use: 'answer' },
  ...more,
});

const DAYS = queryOf({ keep: ['allpv.access_date'], calc: { views: 'COUNT(allpv.pv_id)' } });
const TITLES = queryOf({ keep: ['allpv.title'], calc: { views: 'COUNT(allpv.pv_id)' } });

/** A query whose table is wider than its container at 1280 pixels. */
const WIDE = queryOf({
  keep: ['url', 'title', 'source_domain', 'referrer', 'country_code', 'device_type'].map(
    (name) => `allpv.${name}`,
  ),
  calc: { views: 'COUNT(allpv.pv_id)' },
});

describeInBrowser('playground', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
  });
  afterAll(() => host.stop());

  const run = async (page: Page) => {
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('#answer:not([aria-busy="true"]) #panel-table').waitFor();
  };

  test("columns are completed from the site's catalog", () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf({ keep: [] }));
      await page.locator('.cm-line', { hasText: '"keep": []' }).click();
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.type('"country');
      const option = page.getByRole('option', { name: /country_code/ });
      await option.waitFor();
      await option.click();
      expect(JSON.parse(await textOf(page)).make.answer.keep).toEqual(['allpv.country_code']);
    }));

  test('keys and values are suggested inside quotes that were just typed', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, '{}');
      await editorOf(page).focus();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      const options = page.locator('.cm-tooltip-autocomplete li');
      await page.keyboard.type('{"');
      await options.filter({ hasText: 'tracking_id' }).waitFor();
      await page.keyboard.type('mak');
      await options.filter({ hasText: 'make' }).click();
      await page.locator('.cm-content', { hasText: '{"make": {}}' }).waitFor();
      await page.keyboard.type('"v": { "from": ["allpv"], "filter": { "');
      await options.filter({ hasText: 'device_type' }).click();
      await page.locator('.cm-content', { hasText: '"device_type": ' }).waitFor();
      expect(JSON.parse(`${(await textOf(page)).replace(': }', ': 1 }')}`)).toEqual({
        make: { v: { from: ['allpv'], filter: { device_type: 1 } } },
      });
    }));

  test('numbers to the right of long strings stay visible, and wrapped lines keep their indentation', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, WIDE);
      await run(page);
      const box = page.getByRole('region', { name: 'Rows of the answer' });
      await box.locator('tbody tr').first().waitFor();
      const edges = await page.evaluate<readonly number[]>(`(() => {
        const box = document.querySelector('#panel-table .scroll');
        const cell = box.querySelector('tbody td:last-child').getBoundingClientRect();
        return [box.scrollWidth - box.clientWidth, Math.round(box.getBoundingClientRect().right - cell.right)];
      })()`);
      expect(edges[0]).toBeGreaterThan(1);
      expect(edges[1]).toBeLessThanOrEqual(1);

      const indent = await page.evaluate<string>(
        `getComputedStyle([...document.querySelectorAll('.cm-line')].find((line) => line.textContent.includes('"keep"'))).textIndent`,
      );
      expect(indent).toMatch(/^-[1-9]/);
    }));

  test('Ctrl-Enter runs the query, columns can be sorted, and days are drawn as a line chart', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, DAYS);
      await editorOf(page).focus();
      await page.keyboard.press('Control+Enter');
      const rows = page.locator('#panel-table tbody tr');
      await rows.first().waitFor();
      const views = page.getByRole('columnheader', { name: 'views' });
      await views.getByRole('button').click();
      await views.and(page.locator('[aria-sort="ascending"]')).waitFor();
      const ascending = (await rows.locator('td:last-child').allInnerTexts()).map(Number);
      expect(ascending).toEqual([...ascending].sort((one, other) => one - other));
      expect(ascending.reduce((sum, one) => sum + one, 0)).toBe(50);
      await page.getByRole('tab', { name: 'Chart' }).click();
      // A flat line has a box without height, which the browser driver treats as hidden.
      await page.locator('#panel-chart figure.chart').waitFor();
      await page.locator('#panel-chart figure.chart path.series-line').waitFor({ state: 'attached' });
    }));

  test('titles are drawn as bars that start at zero, and are shown as text in the table and next to the bars', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, TITLES);
      await run(page);
      await page.locator('#panel-table tbody tr').first().waitFor();
      expect(await page.locator('#panel-table tbody').textContent()).toContain(HOSTILE);
      await page.getByRole('tab', { name: 'Chart' }).click();
      const bars = page.locator('#panel-chart .category-bar');
      await bars.nth(2).waitFor();
      const sides = await bars.evaluateAll((all) => all.map((one) => one.getAttribute('style') ?? ''));
      for (const style of sides) expect(style).toContain('left: 0%');
      const labels = (await page.locator('#panel-chart .category-label').allInnerTexts()).join();
      expect(labels).toContain(HOSTILE);
      expect(labels).toContain(GERMAN);
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  test('the chart type is in the URL, and the legend hides and shows series', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const query = queryOf({
        keep: ['allpv.access_date', 'allpv.device_type'],
        calc: { views: 'COUNT(allpv.pv_id)', visitors: 'COUNTUNIQUE(allpv.reader_id)' },
      });
      await openQuery(page, query);
      await run(page);
      await page.getByRole('tab', { name: 'Chart' }).click();
      const chart = page.locator('#panel-chart');
      await chart.locator('path.series-line').nth(1).waitFor();
      await chart.getByRole('radio', { name: 'Stacked' }).check();
      await chart.locator('rect.series-bar.series-2').first().waitFor();
      await chart.getByRole('button', { name: 'SP' }).click();
      await chart.getByRole('button', { name: 'SP', pressed: false }).waitFor();
      const both = chart.locator('rect.series-bar.series-1').or(chart.locator('rect.series-bar.series-2'));
      await both.first().waitFor();
      expect(new Set(await both.evaluateAll((all) => all.map((one) => one.getAttribute('class')))).size).toBe(
        1,
      );
      await chart.getByLabel('Measure').selectOption('visitors');
      await chart.getByText('These values cannot be added').waitFor();
      await page.waitForURL((url) => url.searchParams.get('show') === 'stacked');
      await page.reload();
      await editorOf(page).waitFor();
      await page.getByRole('button', { name: 'Run' }).click();
      await chart.locator('rect.series-bar').first().waitFor();
      await chart.locator('.line-chart').press('End');
      await chart.locator('.line-tip strong').waitFor();
    }));

  test('an invalid query is marked, can be repaired with a button, and then runs', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf({ keep: ['country_code'], calc: { views: 'COUNT(allpv.pv_id)' } }));
      await page.getByRole('button', { name: 'Run' }).click();
      const fault = page.locator('#fault');
      await fault.getByText('E_UNKNOWN_COLUMN').waitFor();
      expect(await fault.innerText()).toContain('make.answer.keep[0]');
      await page.locator('.cm-lintRange-error', { hasText: 'country_code' }).waitFor();
      await fault.getByRole('button', { name: 'Apply the fix' }).click();
      expect(JSON.parse(await textOf(page)).make.answer.keep).toEqual(['allpv.country_code']);
      await run(page);
      await page.locator('#panel-table').getByText('JP').waitFor();
      await fault.waitFor({ state: 'hidden' });
    }));

  test('all errors are listed at once, with their repairs', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf({ keep: ['country_code', 'allpv.titel', 'url'] }));
      await page.getByRole('button', { name: 'Run' }).click();
      const fault = page.locator('#fault');
      await fault.getByText('3 errors in this query:').waitFor();
      await page.locator('.cm-lintRange-error', { hasText: 'allpv.titel' }).waitFor();
      await fault.getByText(/Did you mean/).waitFor();
      await fault.getByRole('button', { name: 'Apply 2 fixes' }).click();
      expect(JSON.parse(await textOf(page)).make.answer.keep).toEqual([
        'allpv.country_code',
        'allpv.titel',
        'allpv.url',
      ]);
    }));

  test('the repair for a marked error is offered before the query runs', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf({ keep: ['country_code'] }));
      const mark = page.locator('.cm-lintRange-error', { hasText: 'country_code' });
      await mark.waitFor();
      await mark.hover();
      await page.getByRole('button', { name: 'Apply the fix' }).click();
      expect(JSON.parse(await textOf(page)).make.answer.keep).toEqual(['allpv.country_code']);
      await mark.waitFor({ state: 'detached' });
      await page.locator('#fault').waitFor({ state: 'hidden' });
    }));

  test('the explanation shows the bounds in UTC, a pass that was not applied, and the SQL', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, DAYS);
      await run(page);
      await page.getByRole('tab', { name: 'Explain' }).click();
      const explained = page.locator('#panel-explain');
      await explained.getByText('(UTC)').first().waitFor();
      expect(await explained.innerText()).toContain('Asia/Tokyo');
      expect(await explained.innerText()).toMatch(
        /drop-unread-joins\s+Not applied\. It changes nothing here/,
      );
      expect(await explained.locator('#explain-sql').innerText()).toMatch(/select/i);
    }));

  test('query text is shown as text: in the editor, in errors, and after a reload', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf({ keep: [HOSTILE] }));
      await page.getByRole('button', { name: 'Run' }).click();
      await page.locator('#fault strong').waitFor();
      expect(await page.locator('#fault').innerText()).toContain('onerror');
      await page.reload();
      await editorOf(page).waitFor();
      await page.locator('.cm-line', { hasText: 'onerror' }).waitFor();
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  test('an analyst can select and query only granted sites', () =>
    withPage(browser(), host, { as: 'bob' }, async (page) => {
      await openQuery(page, DAYS);
      const sites = await page.locator('#site option').allInnerTexts();
      expect(sites.join()).toContain(GERMAN);
      expect(sites.join()).not.toContain('shop.example');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.locator('#fault').getByText('E_UNKNOWN_TRACKING_ID').waitFor();
    }));

  test('the editor can be left with the keyboard', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, DAYS);
      await editorOf(page).focus();
      await page.keyboard.press('Escape');
      await page.locator('.cm-editor :focus').waitFor({ state: 'detached' });
      await editorOf(page).focus();
      await page.keyboard.press('Tab');
      await page.locator('.cm-editor :focus').waitFor({ state: 'detached' });
    }));

  test('the query can be copied as a curl command', () =>
    withPage(browser(), host, { as: 'ann', clipboard: true }, async (page) => {
      await openQuery(page, DAYS);
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      await page.getByText('Copied.').waitFor();
      const curl = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(curl).toContain(`${host.url}/wp-json/qa-platform/query`);
      expect(curl).toContain('ann:APPLICATION PASSWORD');
    }));

  test('a query appears in the log and can be opened from there', () =>
    withPage(browser(), host, { as: 'bob' }, async (page) => {
      await openQuery(page, { ...DAYS, tracking_id: 'blog' });
      await run(page);
      await host.rest.settle();
      await page.goto('/wp-admin/queries');
      await page
        .getByRole('link', { name: /playground/i })
        .first()
        .click();
      await page.waitForURL(`**${PLAYGROUND}**`);
      await page.locator('.cm-line', { hasText: '"blog"' }).first().waitFor();
    }));

  test('the rows of the answer fit a narrow window', () =>
    withPage(browser(), host, { as: 'ann', width: 320 }, async (page) => {
      await openQuery(page, TITLES);
      await run(page);
      await page.locator('#panel-table tbody tr').first().waitFor();
      expect({ by: await overflow(page), of: await stickingOut(page) }).toEqual({ by: 0, of: [] });
    }));
});
