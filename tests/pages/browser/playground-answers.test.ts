// The playground's messages if no answer arrives or the text has changed since the query ran, and where the focus moves.
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { withPage } from './support/open-page';
import { editorOf, openQuery, textOf } from './support/playground';
import { startShop } from './support/shop-data';

const END = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19);
const START = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 19);

const queryOf = (view: object) => ({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: START, end: END, tz: 'Asia/Tokyo' },
  make: { answer: { from: ['allpv'], ...view } },
  result: { use: 'answer' },
});
const DAYS = queryOf({ keep: ['allpv.access_date'], calc: { views: 'COUNT(allpv.pv_id)' } });
const QUERY = '**/qa-platform/query?**';
const EXPLAIN = '**/qa-platform-pages/explain?**';

describeInBrowser('playground answers', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
  });
  afterAll(() => host.stop());

  const runButton = (page: Page) => page.getByRole('button', { name: 'Run' });
  const summary = (page: Page, hasText: string | RegExp) => page.locator('#summary', { hasText }).waitFor();

  test('the answer can be saved as a file; if that fails, an error is shown', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, JSON.stringify(DAYS));
      await page.getByLabel('File').selectOption('NDJSON');
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download' }).click();
      const file = await saving;
      expect(file.suggestedFilename()).toBe('answer.ndjson');
      const [first] = (await text(await file.createReadStream())).split('\n');
      expect(JSON.parse(first ?? '')).toEqual({ access_date: expect.any(String), views: expect.any(Number) });
      await page.getByText('The file has been saved.').waitFor();
      await openQuery(page, JSON.stringify(queryOf({ keep: ['allpv.nothing'] })));
      await page.getByRole('button', { name: 'Download' }).click();
      await page.locator('#fault', { hasText: 'E_UNKNOWN_COLUMN' }).waitFor();
    }));

  test('if the explanation cannot be fetched, an error is shown, and the request can be retried', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, JSON.stringify(DAYS));
      // An aborted request would be logged in the console, where this test looks for errors.
      await page.evaluate(
        'window.realFetch = window.fetch; window.fetch = () => Promise.reject(new TypeError())',
      );
      await page.getByRole('tab', { name: 'Explain' }).click();
      const panel = page.locator('#panel-explain');
      await panel.getByText('The server cannot be reached.').waitFor();
      await page.evaluate('window.fetch = window.realFetch');
      await panel.getByRole('button', { name: 'Try again' }).focus();
      await page.keyboard.press('Enter');
      await panel.getByText('(UTC)').first().waitFor();
      await page.locator('#panel-explain:focus').waitFor();
      expect(await panel.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
        'SQL',
        'Bindings',
        'Rewrites of the plan',
        'Stages',
      ]);
      await page.getByRole('heading', { level: 3 }).first().waitFor({ state: 'detached' });
    }));

  test('the explanation shows the engine, the bounds of a view, and “1 row” in the singular', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const view = { time: { start: START, end: END }, keep: [], calc: { views: 'COUNT(allpv.pv_id)' } };
      await openQuery(page, JSON.stringify(queryOf(view)));
      await page.getByRole('tab', { name: 'Explain' }).click();
      await page.locator('#panel-explain dd', { hasText: /ms, 1 row$/ }).waitFor();
      await page.locator('#panel-explain dt', { hasText: 'View answer' }).waitFor();
      await page.getByText('rows. This server has no columnar copy.').waitFor();
    }));

  test("a proxy's page is not shown as an empty result", () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, JSON.stringify(DAYS));
      const portal = { status: 200, contentType: 'text/html', body: '<h1>Welcome</h1>' };
      await page.route(QUERY, (route) => route.fulfill(portal));
      await page.route(EXPLAIN, (route) => route.fulfill(portal));
      await runButton(page).click();
      await page.locator('#fault').getByText('response is not from this server').waitFor();
      await summary(page, 'Query failed');
      await page.getByRole('tab', { name: 'Explain' }).click();
      await page.locator('#panel-explain').getByText('response is not from this server').waitFor();
    }));

  test('after the session ends, a message with a link to the login is shown', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, JSON.stringify(DAYS));
      await page.context().clearCookies();
      await runButton(page).click();
      const fault = page.locator('#fault');
      await fault.getByText('Your session has ended, or this page is too old.').waitFor();
      await fault.locator('strong').waitFor({ state: 'detached' });
      await fault.getByRole('link', { name: 'Reload the page' }).click();
      await page.waitForURL('**/wp-login.php?redirect_to=%2Fwp-admin%2Fplayground');
    }));

  test('SQL is shown unformatted if the formatting module cannot be loaded', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, JSON.stringify(DAYS));
      await page.route('**/assets/chunks/format-sql-*', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: 'throw 0' }),
      );
      await page.getByRole('tab', { name: 'Explain' }).click();
      const sql = page.locator('#explain-sql');
      await sql.getByText('select').waitFor();
      const raw = await sql.innerText();
      await page.unroute('**/assets/chunks/format-sql-*');
      await page.reload();
      await editorOf(page).waitFor();
      await page.getByRole('tab', { name: 'Explain' }).click();
      await sql.locator('.sql-keyword').first().waitFor();
      const formatted = await sql.innerText();
      expect(formatted.split('\n').length).toBeGreaterThan(raw.split('\n').length);
      expect(formatted.replace(/\s/g, '')).toBe(raw.replace(/\s/g, ''));
    }));

  test('numbers have separators according to their type, and are copied unformatted', () =>
    withPage(browser(), host, { as: 'ann', clipboard: true }, async (page) => {
      const view = { keep: ['allpv.reader_id', 'allpv.url'], calc: { n: 'SUM(allpv.browse_sec)' } };
      await openQuery(page, JSON.stringify(queryOf(view)));
      const columns = ['reader_id', 'url', 'n'];
      const rows = [[1234567, '20261122', 1234567.125]];
      await page.route(QUERY, (route) =>
        route.fulfill({ json: { ok: true, query_time_ms: 1, result: { columns, rows } } }),
      );
      await runButton(page).click();
      const cells = page.locator('#panel-table td');
      await cells.first().waitFor();
      expect(await cells.allInnerTexts()).toEqual(['1234567', '20261122', '1,234,567.125']);
      await page.evaluate('getSelection().selectAllChildren(document.querySelector("#panel-table tbody"))');
      await page.keyboard.press('Control+c');
      await page.waitForFunction('navigator.clipboard.readText().then((text) => text !== "")');
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
        '1234567\t20261122\t1234567.125',
      );
    }));

  test('a rejected check is reported unobtrusively and nothing is marked', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.route('**/qa-platform-pages/check?**', (route) =>
        route.fulfill({ status: 429, json: { code: 'E_RATE_LIMITED', message: 'Too many requests.' } }),
      );
      await openQuery(page, JSON.stringify(queryOf({ keep: ['allpv.nothing'] })));
      await page.getByText('Not checked while you type. Too many requests.').waitFor();
      await page.locator('.cm-lintRange-error').first().waitFor({ state: 'detached' });
      await page.unroute('**/qa-platform-pages/check?**');
      await editorOf(page).press('Control+End');
      await page.keyboard.type(' ');
      await page.locator('.cm-lintRange-error').first().waitFor();
      await page.locator('#unchecked', { hasText: /^$/ }).waitFor({ state: 'attached' });
    }));

  test('an answer is marked as outdated until the text is restored', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, JSON.stringify(DAYS));
      await runButton(page).click();
      await summary(page, /rows, /);
      await editorOf(page).press('Control+End');
      await page.keyboard.type(' ');
      await summary(page, 'This is the answer to the query before your change.');
      await page.keyboard.press('Backspace');
      await summary(page, /rows, [\d,]+ ms$/);
      await editorOf(page).press('Control+End');
      await page.keyboard.type('x');
      await runButton(page).click();
      await summary(page, 'Query failed');
      await editorOf(page).press('Control+End');
      await page.keyboard.press('Backspace');
      await summary(page, 'The query has changed');
    }));

  test('a repair changes and selects only the part that it affects', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const text = JSON.stringify(queryOf({ keep: ['country_code'] }), null, 1).replace(
        '"use"',
        '"limit":   1e2,\n  "use"',
      );
      await openQuery(page, text);
      await runButton(page).click();
      await page.getByRole('button', { name: 'Apply the fix' }).click();
      expect(await textOf(page)).toBe(text.replace('"country_code"', '"allpv.country_code"'));
      await page.waitForFunction(`getSelection().toString() === 'allpv.'`);
      await editorOf(page).press('Control+z');
      expect(await textOf(page)).toBe(text);
    }));

  test('a key with half a surrogate pair is handled by the server', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, '{"a\\ud800": 1}');
      await runButton(page).click();
      await page.locator('#fault strong').first().waitFor();
    }));

  test('an extra key next to "qal" is marked', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, `{\n"qal": ${JSON.stringify(DAYS)},\n"x": 1}`);
      await runButton(page).click();
      await page.locator('#fault').getByRole('button', { name: 'Show in editor' }).click();
      await page.waitForFunction(`getSelection().toString() === '"x": 1'`);
    }));

  test('the focus moves to the first new row, and leaves the Stop button when it disappears', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, JSON.stringify(queryOf({ keep: ['allpv.pv_id'] })));
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const rows = Array.from({ length: 502 }, (_, i) => [i]);
      await page.route(QUERY, async (route) => {
        await held;
        await route.fulfill({ json: { ok: true, query_time_ms: 1, result: { columns: ['pv_id'], rows } } });
      });
      await runButton(page).click();
      await page.getByRole('button', { name: 'Stop' }).focus();
      release();
      await summary(page, '502 rows');
      await page.locator('#stop[hidden]').waitFor({ state: 'attached' });
      await page.locator('#run:focus').waitFor();
      await page.getByRole('button', { name: 'Show more' }).focus();
      await page.keyboard.press('Enter');
      await page.locator(':focus', { hasText: /^50$/ }).waitFor();
    }));
});
