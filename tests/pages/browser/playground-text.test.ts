// The text in the playground: it is checked, saved as a draft, and kept in sync with the controls next to it.
import type { TestHost } from '../../support/test-host';
import { describeInBrowser } from './support/chromium';
import { withPage } from './support/open-page';
import { editorOf, openQuery, PLAYGROUND, textOf } from './support/playground';
import { HOSTILE, startShop, WAS_HACKED } from './support/shop-data';

const queryOf = (changes: object = {}) => ({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-11-01T00:00:00', end: '2026-12-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { answer: { from: ['allpv'], keep: ['allpv.url'] } },
  result: { use: 'answer' },
  ...changes,
});

describeInBrowser('playground text', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
  });
  afterAll(() => host.stop());

  test('errors that the server would report are marked before the query runs', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf({ limit: 7 }));
      await page.locator('.cm-lintRange-error', { hasText: '"limit": 7' }).waitFor();
      await page.locator('#fault').waitFor({ state: 'hidden' });
    }));

  // conformance: beyond.queries-saved-shared
  test('the draft survives a reload and choosing an example, is saved per user, and is loaded in a new tab', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf());
      await editorOf(page).press('Control+End');
      await page.keyboard.type(' ');
      await page.waitForURL((url) => url.hash === '');
      const text = await textOf(page);
      expect(text.endsWith('} ')).toBe(true);
      await page.reload();
      await editorOf(page).waitFor();
      expect(await textOf(page)).toBe(text);
      await page.locator('#example option', { hasText: 'Most viewed pages' }).waitFor({ state: 'attached' });
      await page.getByLabel('Example').selectOption({ label: 'Most viewed pages' });
      await page.locator('.cm-line', { hasText: '"allpv.title"' }).waitFor();
      await page.reload();
      await editorOf(page).waitFor();
      expect(await textOf(page)).toBe(text);
      expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['qal-playground:ann']);
      const tab = await page.context().newPage();
      await tab.goto(PLAYGROUND);
      await editorOf(tab).waitFor();
      expect(await textOf(tab)).toBe(text);
    }));

  test('following a link on the page replaces the text, and undo restores it', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf());
      const before = await textOf(page);
      await page.goto(`${PLAYGROUND}#${encodeURIComponent('{"other": 1}')}`);
      await editorOf(page).getByText('"other"').waitFor();
      await editorOf(page).press('Control+z');
      expect(await textOf(page)).toBe(before);
    }));

  test('choosing an example replaces the text and shows a notice, and undo restores the text', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf({ own: 1 }));
      const before = await textOf(page);
      const example = page.getByLabel('Example');
      await example.locator('option', { hasText: 'Most viewed pages' }).waitFor({ state: 'attached' });
      expect(await example.inputValue()).toBe('');
      await example.selectOption({ label: 'Most viewed pages' });
      await page.locator('#said').getByText('Press Ctrl-Z in the editor to restore it').waitFor();
      expect(await textOf(page)).toContain('"allpv.title"');
      await editorOf(page).press('Control+z');
      expect(await textOf(page)).toBe(before);
      expect(await example.inputValue()).toBe('');
    }));

  test('a link does not overwrite the draft until its query is edited, and survives a reload', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf({ draft: 1 }));
      await editorOf(page).press('Control+End');
      await page.keyboard.type(' ');
      await page.goto('/wp-admin/system');
      await openQuery(page, queryOf({ linked: 1 }));
      await page.reload();
      await page.locator('.cm-line', { hasText: '"linked"' }).waitFor();
      await page.goto('/wp-admin/system');
      await page.goto(PLAYGROUND);
      await page.locator('.cm-line', { hasText: '"draft"' }).waitFor();
    }));

  test('a recorded query can be opened by its id, and uses its contract', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.route('**/qa-platform-pages/query-record?id=7', (route) =>
        route.fulfill({ json: { id: 7, version: '2025-10-20', body: JSON.stringify(queryOf({ old: 1 })) } }),
      );
      await page.goto(`${PLAYGROUND}?record=7`);
      await page.locator('.cm-line', { hasText: '"old"' }).waitFor();
      expect(await page.locator('#version').inputValue()).toBe('2025-10-20');
      await editorOf(page).press('Control+End');
      await page.keyboard.type(' ');
      await page.waitForURL((url) => url.search === '');
      await page.goto(`${PLAYGROUND}?record=999999`);
      await page.locator('#said', { hasText: /./ }).waitFor();
      expect(await textOf(page)).toContain('"old"');
    }));

  test('"all sites" is offered only under a contract that supports it', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf());
      const all = page.locator('#site option[value="all"]');
      await all.and(page.locator(':enabled')).waitFor({ state: 'attached' });
      await page.locator('#version').selectOption('2025-10-20');
      await page.locator('#site option[value="all"][disabled]').waitFor({ state: 'attached' });
    }));

  test('text that is nested too deeply is marked, but can be run and formatted', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto(`${PLAYGROUND}#${encodeURIComponent(`{"a": ${'['.repeat(5000)}${']'.repeat(5000)}}`)}`);
      await editorOf(page).waitFor();
      await page.getByRole('button', { name: 'Format' }).click();
      expect(await textOf(page)).toHaveLength(10_007);
      await page.locator('.cm-lintRange-error').first().waitFor();
      await page.getByRole('button', { name: 'Run' }).click();
      await page.locator('#fault').getByText('E_QUERY_TOO_LARGE').waitFor();
    }));

  test("following a link to another site loads that site's catalog", () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf());
      const loaded = page.waitForResponse(/\/catalogue\?tracking_id=blog&/);
      await page.goto(
        `${PLAYGROUND}#${encodeURIComponent(JSON.stringify(queryOf({ tracking_id: 'blog' })))}`,
      );
      await loaded;
      expect(await page.locator('#site').inputValue()).toBe('blog');
    }));

  test('the text changes with the selected site, and the query uses the selected contract', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, { ...queryOf(), tracking_id: 'blog' });
      expect(await page.locator('#site').inputValue()).toBe('blog');
      await page.locator('#site').selectOption('shop');
      expect(JSON.parse(await textOf(page)).tracking_id).toBe('shop');
      await page.locator('#version').selectOption('2025-10-20');
      const request = page.waitForRequest(/\/query\?version=2025-10-20&/);
      await page.getByRole('button', { name: 'Run' }).click();
      expect((await request).postDataJSON()).toMatchObject({ tracking_id: 'shop' });
      await page.locator('#summary', { hasText: /row/ }).waitFor();
    }));

  test('a running query can be stopped', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf());
      // The request is never answered, so the query runs until it is stopped.
      await page.route('**/query?version=*', () => {});
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.locator('#summary', { hasText: 'Stopped.' }).waitFor();
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    }));

  test('an example that is opened while a saved query is being saved does not become that query', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openQuery(page, queryOf());
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      const name = page.locator('#saved-name');
      await name.getByText('Mine').waitFor();
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/saved-queries/*', async (route) => {
        await held;
        await route.continue();
      });
      await editorOf(page).press('Control+End');
      await page.keyboard.type(' ');
      await page.keyboard.press('Control+s');
      await page.locator('#example option', { hasText: 'Most viewed pages' }).waitFor({ state: 'attached' });
      await page.getByLabel('Example').selectOption({ label: 'Most viewed pages' });
      await name.getByText('New query').waitFor();
      release();
      await page.locator('#said').getByText('Saved.').waitFor();
      expect(await name.innerText()).toBe('New query');
      await page.getByRole('button', { name: 'Saved queries' }).click();
      await page.getByRole('button', { name: 'Delete: Mine' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('Nothing is saved yet').waitFor();
    }));

  // conformance: beyond.queries-saved-shared
  test('a query can be saved, changed, shared, opened through its link and deleted, and undo works throughout', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
      const dialog = page.getByRole('dialog');
      const shows = (name: string, state: RegExp) =>
        page
          .locator('.saved-bar', { has: page.locator('#saved-name', { hasText: name }) })
          .locator('#saved-state', { hasText: state })
          .waitFor({ state: 'attached' });
      await openQuery(page, queryOf());
      const text = await textOf(page);
      await button('Save').click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Pages of November');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'hidden' });
      await shows('Pages of November', /^$/);
      await page.waitForURL(/\/playground\?query=\d+$/);
      const link = page.url();

      await editorOf(page).press('Control+End');
      await page.keyboard.type(' ');
      await shows('Pages of November', /^Unsaved changes\. $/);
      // The draft is saved when the user leaves the page.
      await page.reload();
      await shows('Pages of November', /^Unsaved changes\. $/);
      expect(await textOf(page)).toBe(`${text} `);

      await page.locator('#example option', { hasText: 'Most viewed pages' }).waitFor({ state: 'attached' });
      await page.getByLabel('Example').selectOption({ label: 'Most viewed pages' });
      await shows('New query', /^$/);
      await page.waitForURL((url) => url.search === '');
      await editorOf(page).press('Control+z');
      await shows('Pages of November', /^Unsaved changes\. $/);
      await page.keyboard.press('Control+s');
      await shows('Pages of November', /^$/);

      await button('Saved queries').click();
      await button('Rename or share: Pages of November').click();
      await page.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
      await page.getByLabel(/^Share with/).check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('shared,').waitFor();
      await page.getByLabel('Search saved queries').fill('nothing like it');
      await dialog.getByText('0 queries.').waitFor();
      await page.getByLabel('Search saved queries').fill('ONERROR');
      await dialog.getByRole('link', { name: HOSTILE }).waitFor();
      await button('Close').click();
      await shows(HOSTILE, /^Shared\.$/);

      await withPage(browser(), host, { as: 'bob' }, async (other) => {
        await other.goto(link);
        await other.locator('#saved-state', { hasText: /^Shared by ann\.$/ }).waitFor();
        expect(await textOf(other)).toBe(`${text} `);
        await other.getByRole('button', { name: 'Saved queries' }).click();
        await other.getByRole('link', { name: HOSTILE }).waitFor();
        await other
          .getByRole('button', { name: /^Delete/ })
          .first()
          .waitFor({ state: 'detached' });
      });

      await button('Saved queries').click();
      await button(`Delete: ${HOSTILE}`).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await button(`Delete: ${HOSTILE}`).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog.getByText('Nothing is saved yet').waitFor();
      await button('Close').click();
      await shows('New query', /^$/);
      await page.goto(link);
      await page.getByText(/There is no saved query \d+: it was deleted/).waitFor();
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));
});
