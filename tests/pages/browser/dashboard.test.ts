// The dashboard in a real browser: what it shows, how it is filtered, and what happens if something goes wrong.
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { LOGIN_PASSWORD, type TestHost } from '../../support/test-host';
import { axeFaults } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { answered, DONE, figure, open, PAINTS_AND_SHIFT, WATCH_SHIFTS } from './support/dashboard';
import { overflow, stickingOut, withPage } from './support/open-page';
import { GERMAN, HOSTILE, JAPANESE, startShop, WAS_HACKED } from './support/shop-data';

const ROUTE = '**/qa-platform-pages/dashboard';
const MAX_SCRIPT_BYTES = 75_000;
const names = (page: Page, panel: string) => page.locator(`#panel-${panel} tbody th`).allInnerTexts();

/** For each row of panels, the number of panels and the pixels to the right of the last one. */
const panelRows = (page: Page) =>
  page.evaluate<{ readonly count: number; readonly gap: number }[]>(`(() => {
    const rows = new Map();
    for (const panel of document.querySelectorAll('.panel:not([hidden])')) {
      const { top, right } = panel.getBoundingClientRect();
      rows.set(Math.round(top), [...(rows.get(Math.round(top)) ?? []), Math.round(right)]);
    }
    const end = Math.round(document.querySelector('#panels').getBoundingClientRect().right);
    return [...rows.values()].map((ends) => ({ count: ends.length, gap: end - Math.max(...ends) }));
  })()`);

/** Opens the range panel and clicks one of its buttons. */
async function choosePeriod(page: Page, name: string): Promise<void> {
  await page.locator('#range-choice').click();
  await page.getByRole('group', { name: 'Period' }).getByRole('button', { name }).click();
}

describeInBrowser('dashboard', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
  });
  afterAll(() => host.stop());

  test("the default site's figures, chart and lists are shown, and titles and sources are shown as text", () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page);
      expect(await figure(page, 'views')).toBe('50');
      expect(await page.locator('#now').innerText()).toBe('Newest page view: 1 day ago');
      expect(await figure(page, 'visits')).toBe('25');
      expect(await figure(page, 'visitors')).toBe('5');
      expect(await figure(page, 'pages_per_visit')).toBe('2.00');
      const chart = page.getByRole('img', { name: /^Visitors by day/ });
      expect(await chart.getAttribute('data-points')).toBe('28');
      const pages = await names(page, 'pages');
      expect(pages).toHaveLength(3);
      for (const title of [HOSTILE, GERMAN, JAPANESE])
        expect(pages.some((row) => row.includes(title))).toBe(true);
      await answered(page, () => page.getByRole('tab', { name: 'Domains' }).click());
      expect(await names(page, 'sources')).toContain(HOSTILE);
      await page.locator('.world-map a').nth(1).waitFor();
      expect(await page.locator('.world-map a').count()).toBe(2);
      await page.getByRole('tab', { name: 'Countries' }).click();
      await page.locator('#panel-places').getByRole('rowheader', { name: 'Japan' }).waitFor();
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  test('figures are not compared with days before the first day with data, and the page explains why', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page);
      const change = page.locator('#card-views .card-change');
      expect(await change.innerText()).toBe('not comparable');
      const reason = (await change.getAttribute('title')) ?? '';
      expect(reason).toMatch(/^There is no data before .*20\d\d\.$/);
      // Users without a mouse can also see the reason.
      expect(await page.locator('#range').innerText()).toContain(reason);
      await answered(page, () => choosePeriod(page, 'Yesterday'));
      await change.filter({ hasNotText: 'not comparable' }).waitFor();
      expect(await change.innerText()).toMatch(/%/);
    }));

  test('a filter with several values can be added in the form, and is in the URL', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page);
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByLabel('Condition').selectOption('contains');
      await page.getByLabel('Values').fill('example/1\n example/2 ');
      await answered(page, () => page.getByRole('button', { name: 'Add', exact: true }).click());
      await page.getByText('Page contains example/1 or example/2').waitFor();
      expect(new URL(page.url()).searchParams.getAll('contains.page')).toEqual(['example/1', 'example/2']);
      const found = Number(await figure(page, 'views'));
      expect(found).toBeLessThan(50);
      // A click on the chip turns its filter into an exclusion.
      await answered(page, () =>
        page.getByRole('button', { name: 'Page contains example/1 or example/2', exact: true }).click(),
      );
      await page
        .getByRole('button', { name: 'Page does not contain example/1 or example/2', exact: true })
        .and(page.locator(':focus'))
        .waitFor();
      expect(await figure(page, 'views')).toBe(String(50 - found));
      const { searchParams } = new URL(page.url());
      expect(searchParams.getAll('not_contains.page')).toEqual(['example/1', 'example/2']);
      expect(searchParams.has('contains.page')).toBe(false);
      await answered(page, () => page.getByRole('button', { name: /^Remove the filter/ }).click());
      expect(await figure(page, 'views')).toBe('50');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByLabel('Condition').selectOption('does not start with');
      await page.getByLabel('Values').fill('https://shop.example/0');
      await answered(page, () => page.getByRole('button', { name: 'Add', exact: true }).click());
      await page.getByText('Page does not start with https://shop.example/0').waitFor();
      expect(Number(await figure(page, 'views'))).toBeLessThan(50);
      await answered(page, () => page.getByRole('button', { name: /^Remove the filter/ }).click());
      expect(await figure(page, 'views')).toBe('50');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.locator('#filter-add:focus').waitFor();
    }));

  test('a click on a row filters by it, the next one excludes it, and the Back button undoes both', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, '?places=country');
      const japan = page.locator('#panel-places').getByRole('link', { name: 'Japan' });
      await answered(page, () => japan.click());
      expect(await figure(page, 'views')).toBe('25');
      expect(new URL(page.url()).searchParams.get('country')).toBe('JP');
      await page.getByRole('button', { name: 'Country is Japan', exact: true }).waitFor();
      await answered(page, () =>
        page.locator('#panel-devices').getByRole('link', { name: 'Smartphone' }).click(),
      );
      expect(await figure(page, 'views')).toBe('9');
      await answered(page, () => japan.click());
      await page.getByRole('button', { name: 'Country is not Japan', exact: true }).waitFor();
      const address = page.url();
      await answered(page, () => page.goBack());
      await answered(page, () => page.goBack());
      expect(await figure(page, 'views')).toBe('25');
      await page.goto(address);
      await page.locator(DONE).waitFor();
      await page.getByRole('button', { name: 'Country is not Japan', exact: true }).waitFor();
      await answered(page, () => page.getByRole('button', { name: 'Remove all' }).click());
      expect(await figure(page, 'views')).toBe('50');
    }));

  test('the period, comparison, interval, card and tabs change without a reload and are in the URL', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page);
      await page.evaluate('window.stayed = true');
      await answered(page, () => choosePeriod(page, 'Last 90 days'));
      await answered(page, () => page.getByLabel('Interval').selectOption('By week'));
      await page.locator('#range-choice').click();
      await answered(page, () => page.getByLabel('No comparison').check());
      await page.keyboard.press('Escape');
      await answered(page, () => page.getByRole('button', { name: /^Visits/ }).click());
      await answered(page, () => page.getByRole('tab', { name: 'Exit' }).click());
      const { searchParams } = new URL(page.url());
      expect(Object.fromEntries(searchParams)).toEqual({
        site: 'shop',
        period: '90d',
        by: 'week',
        compare: 'none',
        card: 'visits',
        pages: 'exit',
      });
      await page.getByRole('img', { name: /^Visits by week/ }).waitFor();
      await page.locator('#range-choice').click();
      await page.getByLabel('From', { exact: true }).fill('2020-02-01');
      await page.getByLabel('To', { exact: true }).fill('2020-02-03');
      await answered(page, () => page.getByRole('button', { name: 'Show', exact: true }).click());
      await page.getByText('There is no data for these days.').waitFor();
      await answered(page, () =>
        page.getByRole('button', { name: 'Show the latest days with data' }).click(),
      );
      expect(await figure(page, 'views')).toBe('50');
      await page.getByLabel('Site', { exact: true }).selectOption('blog');
      await page.getByRole('heading', { name: 'No data yet' }).waitFor();
      await page.getByRole('link', { name: 'Import a file' }).waitFor();
      await page.locator(DONE).waitFor();
      expect(await page.locator('#absent').isVisible()).toBe(false);
      expect(await page.evaluate('window.stayed')).toBe(true);
    }));

  test('a range can be selected with two clicks in the calendar, in either order, or with the keyboard', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, '?from=2026-02-10&to=2026-03-05&compare=none');
      const choice = page.locator('#range-choice');
      await choice.click();
      const calendar = page.getByRole('grid', { name: 'March 2026' });
      await calendar.getByRole('button', { name: /\b20 Mar 2026$/ }).click();
      await page.getByRole('button', { name: 'Previous month' }).click();
      await answered(page, () =>
        page
          .getByRole('grid', { name: 'February 2026' })
          .getByRole('button', { name: /\b3 Feb 2026$/ })
          .click(),
      );
      expect(new URL(page.url()).search).toContain('from=2026-02-03&to=2026-03-20');
      await page.locator('#range-panel').waitFor({ state: 'hidden' });
      expect(await choice.innerText()).toBe('3 Feb – 20 Mar 2026');
      await choice.click();
      await page.getByRole('button', { name: /\b20 Mar 2026$/ }).focus();
      for (const key of ['PageDown', 'ArrowUp', 'Home', 'Enter', 'ArrowRight', 'ArrowDown'])
        await page.keyboard.press(key);
      await answered(page, () => page.keyboard.press('Enter'));
      expect(new URL(page.url()).search).toContain('from=2026-04-13&to=2026-04-21');
    }));

  test('other dates can be selected, in any order, while the URL is invalid', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/dashboard?from=2026-03-05&to=2026-02-10');
      await page.getByText('The last day must not be before the first').first().waitFor();
      await page.locator('#range-choice').click();
      await page.locator('#calendar').getByRole('gridcell', { selected: true }).waitFor();
      await page.getByLabel('From', { exact: true }).fill('2026-03-05');
      await page.getByLabel('To', { exact: true }).fill('2026-02-10');
      await answered(page, () => page.getByRole('button', { name: 'Show', exact: true }).click());
      expect(new URL(page.url()).search).toContain('from=2026-02-10&to=2026-03-05');
    }));

  test('keyboard shortcuts select periods and remove filters, but not while the user is typing; ? lists them', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, '?country=JP&places=country');
      for (const [key, period] of [
        ['w', '7d'],
        ['m', 'month'],
        ['y', 'year'],
        ['9', '90d'],
        ['d', 'today'],
      ] as const) {
        await answered(page, () => page.keyboard.press(key));
        expect(new URL(page.url()).searchParams.get('period')).toBe(period);
      }
      await answered(page, () => page.keyboard.press('Escape'));
      expect(new URL(page.url()).searchParams.get('country')).toBeNull();
      await page.keyboard.press('?');
      const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await list.getByText('Last 28 days').waitFor();
      const surface = (place: Locator) => place.evaluate('(it) => getComputedStyle(it).backgroundColor');
      expect(await surface(list)).toBe(await surface(page.locator('#figures')));
      await page.keyboard.press('y');
      await page.keyboard.press('Escape');
      await list.waitFor({ state: 'hidden' });
      await page.locator('#range-choice').click();
      await page.getByLabel('From', { exact: true }).press('9');
      await page.keyboard.press('Escape');
      expect(new URL(page.url()).searchParams.get('period')).toBe('today');
    }));

  test('pressing Enter on a row, a country on the map or a chip keeps the focus on it', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page);
      const focused = (name: string | RegExp) => page.locator(':focus').and(page.getByRole('link', { name }));
      await page.locator('.world-map a').first().waitFor();
      await page.getByRole('button', { name: 'Zoom to Europe' }).click();
      await page
        .locator('.world-map')
        .getByRole('link', { name: /^Germany/ })
        .waitFor();
      expect(await page.locator('.world-map a:visible').count()).toBe(1);
      await page.getByRole('button', { name: 'Whole world' }).click();
      const country = page.locator('.world-map').getByRole('link', { name: /^Japan/ });
      await country.focus();
      await answered(page, () => page.keyboard.press('Enter'));
      await focused(/^Japan/).waitFor();
      await page.locator('#panel-devices').getByRole('link', { name: 'Computer' }).focus();
      await answered(page, () => page.keyboard.press('Enter'));
      await focused('Computer').waitFor();
      await page
        .getByRole('button', { name: /is Computer$/ })
        .first()
        .focus();
      await answered(page, () => page.keyboard.press('Enter'));
      await page
        .locator(':focus')
        .and(page.getByRole('button', { name: /is not Computer$/ }).first())
        .waitFor();
      await page.getByRole('button', { name: /^Remove the filter: .*Computer$/ }).focus();
      await answered(page, () => page.keyboard.press('Enter'));
      await page.locator(':focus').and(page.locator('#chips button')).first().waitFor();
      await page.getByRole('button', { name: /^Remove the filter: .*Japan$/ }).focus();
      await answered(page, () => page.keyboard.press('Enter'));
      await page.locator('#chips:focus').waitFor();
    }));

  test('the chart can be read with the keyboard, and a table contains the same numbers', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, '?card=views');
      await page.getByRole('img', { name: /^Page views by day/ }).focus();
      await page.keyboard.press('End');
      const tip = page.locator('.line-tip');
      const day = await tip.locator('strong').innerText();
      // A day that begins during the test has no page views.
      const number = /[\d–]+$/.exec(await tip.locator('span').first().innerText())?.[0];
      await page.keyboard.press('ArrowLeft');
      await tip.locator('strong').filter({ hasNotText: day }).waitFor();
      await page.keyboard.press('Escape');
      await tip.waitFor({ state: 'hidden' });
      await page.getByText('As a table').click();
      const row = page.getByRole('region', { name: 'Page views as a table' }).locator('tbody tr').last();
      expect((await row.locator('td').allInnerTexts()).slice(0, 2)).toEqual([day, number]);
    }));

  test('an entire list can be searched, downloaded and opened as a query', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page);
      await page.getByRole('button', { name: 'Show all of Pages: All' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Pages: All' });
      await dialog.getByText('3 rows.').waitFor();
      await dialog.getByRole('searchbox').fill(JAPANESE.slice(0, 3));
      await dialog.getByText('1 row.').waitFor();
      await dialog.getByRole('searchbox').fill('');
      await dialog.getByText('3 rows.').waitFor();
      const saving = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Download CSV' }).click();
      expect(await text(await (await saving).createReadStream())).toContain(GERMAN);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.getByRole('link', { name: 'Open as query: Devices: Types' }).click();
      await page.waitForURL('**/wp-admin/playground#**');
      await page.locator('.cm-line', { hasText: '"allpv.device_type"' }).waitFor();
      await page.locator('#panel-table tbody').getByRole('cell', { name: 'SP' }).waitFor();
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  // conformance: beyond.list-dashboard-read
  test('a long list is split into pages, and a panel whose feature is off links to the page where it can be switched on', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.route(ROUTE, async (route) => {
        const response = await route.fetch();
        const lines = (await response.text()).trim().split('\n');
        const changed = lines.map((line) => {
          const part = JSON.parse(line);
          if (part.id === 'channel')
            return { ...part, error: { code: 'E_FEATURE_DISABLED', message: 'Off.', feature: 'sort' } };
          return part.version === undefined ? part : { ...part, total: 203 };
        });
        await route.fulfill({
          response,
          body: changed.map((line) => `${JSON.stringify(line)}\n`).join(''),
        });
      });
      await open(page);
      await page.getByText('This needs sort, which is switched off.').waitFor();
      await page.locator('#dashboard-status', { hasText: 'up to date' }).waitFor({ state: 'attached' });
      await page.getByRole('link', { name: 'Switch it on under Features' }).waitFor();
      await page.getByRole('button', { name: 'Show all of Pages: All' }).click();
      const dialog = page.getByRole('dialog', { name: 'Pages: All' });
      await dialog.getByText('1–3 of 203 rows.').waitFor();
      await dialog.getByRole('button', { name: 'Previous' }).and(page.locator(':disabled')).waitFor();
      const next = page.waitForRequest(ROUTE);
      await dialog.getByRole('button', { name: 'Next' }).click();
      expect((await next).postDataJSON().parts[0]).toMatchObject({ limit: 100, offset: 100 });
      expect((await next).postDataJSON().parts[0].version).toMatch(/./);
      await dialog.getByRole('button', { name: 'Previous' }).and(page.locator(':enabled')).waitFor();
    }));

  test('if a response is cut off, the parts that arrived are kept, a message is shown, and the request can be repeated', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.route(ROUTE, async (route) => {
        const response = await route.fetch();
        const lines = (await response.text()).split('\n').filter((line) => !line.includes('"id":"channel"'));
        await route.fulfill({ response, body: lines.join('\n') });
      });
      await open(page);
      expect(await page.locator('#panel-sources .fault').innerText()).toBe('The response was cut off.');
      expect(await page.locator('#dashboard-status').innerText()).toMatch(
        'The response was cut off. The parts shown may be from different versions of the data.',
      );
      expect(await figure(page, 'views')).toBe('50');
      await page.unroute(ROUTE);
      await page.locator('#panel-sources').getByRole('button', { name: 'Try again' }).click();
      await page.locator('#panel-sources tbody').waitFor();
    }));

  test('if the data changes while it is being read, the page shows the new data', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.route(ROUTE, async (route) => {
        const response = await route.fetch();
        const [head, ...parts] = (await response.text()).trim().split('\n');
        const older = [{ ...JSON.parse(head ?? ''), version: 'older' }]
          .concat(parts.slice(1).map((part) => ({ ...JSON.parse(part), rows: [[7, 7, 7, 7, 7]] })))
          .map((line) => JSON.stringify(line));
        await route.fulfill({ response, body: [...older, head, ...parts, ''].join('\n') });
      });
      await open(page);
      await page.locator('#dashboard-status', { hasText: 'up to date' }).waitFor({ state: 'attached' });
      expect(await figure(page, 'views')).toBe('50');
      expect(await figure(page, 'visitors')).toBe('5');
    }));

  test('if a part contains newer data than the page, all parts are requested again', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page);
      await page.route(ROUTE, async (route) => {
        const response = await route.fetch();
        const [head, ...parts] = (await response.text()).trim().split('\n');
        const newer = JSON.stringify({ ...JSON.parse(head ?? ''), version: 'newer' });
        await route.fulfill({ response, body: [newer, ...parts, ''].join('\n') });
      });
      const whole = page.waitForRequest(
        (request) =>
          request.url().includes('/qa-platform-pages/dashboard') && request.postDataJSON().parts.length > 1,
      );
      await page.locator('#card-views').click();
      await whole;
      await page.locator(DONE).waitFor();
      await page.getByRole('img', { name: /^Page views by day/ }).waitFor();
      expect(await figure(page, 'views')).toBe('50');
    }));

  test('after the session ends, a reload leads to the login page and then back to the same view', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, '?period=7d');
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Refresh', exact: true }).click();
      const status = page.locator('#dashboard-status');
      await status.getByText('Your session has ended, or this page is too old.').waitFor();
      await status.getByRole('link', { name: 'Reload the page' }).click();
      await page.locator('input[name="log"]').fill('ann');
      await page.locator('input[name="pwd"]').fill(LOGIN_PASSWORD);
      await page.locator('input[name="pwd"]').press('Enter');
      await page.waitForURL('**/wp-admin/dashboard?period=7d');
    }));

  test.each([
    [390, false, 1],
    [768, true, 1],
    [1280, false, 2],
    [1920, false, 3],
  ])(
    'at %d pixels (dark: %s), nothing overflows, nothing moves while the page loads, rows of panels are full, and axe finds no problems',
    (width, dark, perRow) =>
      withPage(browser(), host, { as: 'ann', width, dark }, async (page) => {
        await page.addInitScript(WATCH_SHIFTS);
        await open(page);
        expect(await page.evaluate(PAINTS_AND_SHIFT)).toEqual([1, 0]);
        expect([await overflow(page), await stickingOut(page)]).toEqual([0, []]);
        const rows = await panelRows(page);
        expect(rows[0]?.count).toBe(perRow);
        expect(rows.map(({ gap }) => gap)).toEqual(rows.map(() => 0));
        expect(await axeFaults(page)).toEqual([]);
        await page.locator('#range-choice').click();
        await page.locator('#calendar [aria-selected="true"]').first().waitFor();
        const axe = await axeFaults(page, { within: '#range-panel' });
        expect([await overflow(page), await stickingOut(page), axe]).toEqual([0, [], []]);
      }),
  );

  test('on a phone, the figures are in one strip, and all can be reached with the keyboard', () =>
    withPage(browser(), host, { as: 'ann', width: 390 }, async (page) => {
      await open(page);
      const cards = page.locator('.figure-card');
      const boxes = await Promise.all((await cards.all()).map((card) => card.boundingBox()));
      expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
      expect(boxes[0]?.height).toBeLessThan(100);
      await cards.first().focus();
      for (let at = 1; at < boxes.length; at += 1) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator(DONE).waitFor();
      const last = await cards.last().boundingBox();
      expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(390);
      expect(await cards.last().getAttribute('aria-pressed')).toBe('true');
    }));

  test('the scripts are small', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const scripts: Promise<Buffer>[] = [];
      page.on('response', (response) => {
        if (response.request().resourceType() === 'script') scripts.push(response.body());
      });
      await open(page);
      await page.locator('[data-map="drawn"]').waitFor();
      const bytes = (await Promise.all(scripts)).map((script) => gzipSync(script).length);
      expect(bytes.length).toBeGreaterThan(2);
      expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(MAX_SCRIPT_BYTES);
    }));

  test('invalid dates in the URL are reported', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, '?period=custom&from=x&to=y');
      expect(await page.locator('#dashboard-status').innerText()).toContain('Enter a date such as');
      expect(await page.locator('#range-choice').innerText()).toBe('Custom range');
    }));

  test('without JavaScript, the page explains that it is required', () =>
    withPage(browser(), host, { as: 'ann', script: false }, async (page) => {
      await page.goto('/wp-admin/dashboard');
      expect(await page.locator('noscript').textContent()).toContain('needs JavaScript');
    }));
});
