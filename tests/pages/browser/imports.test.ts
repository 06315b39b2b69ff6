// Uploading a file and undoing an import on the Imports page.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { importRows } from '../../../extension/data/import/import-rows';
import { loadManifest } from '../../../manifests/reader/manifest';
import type { TestHost } from '../../support/test-host';
import { startBrowserHost } from './support/browser-host';
import { describeInBrowser } from './support/chromium';
import { overflow, stickingOut, withPage } from './support/open-page';

const UPLOAD = '/wp-admin/imports/upload';
const row = (second: number, more: object = {}) =>
  `${JSON.stringify({ url: 'https://shop.example/', access_time: `2026-05-01T10:00:0${second}Z`, ...more })}\n`;
const file = (text: string) => ({ name: 'views.ndjson', mimeType: '', buffer: Buffer.from(text) });

describeInBrowser('uploading a file', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    const zone = { timezone: 'UTC' };
    host = await startBrowserHost({
      sites: [
        { tracking_id: 'shop', domain: 'shop.example', name: 'Läden', ...zone },
        { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', ...zone },
      ],
      users: [{ login: 'ann', role: 'administrator' }],
    });
  });
  afterAll(() => host.stop());

  const views = async () => {
    const { rows } = await host.database.write.raw('SELECT count(*)::int AS n FROM analytics.page_view');
    return rows[0].n;
  };
  const open = async (page: Page, text: string) => {
    await page.goto('/wp-admin/imports');
    await page.getByRole('link', { name: 'Import a file' }).click();
    // Until the script has loaded, the browser would submit the form itself.
    await page.waitForLoadState();
    await page.getByLabel('File', { exact: true }).setInputFiles(file(text));
    await page.getByLabel('Site', { exact: true }).selectOption('shop');
  };

  // conformance: beyond.files-uploaded-checked
  test('a preview stores nothing, and an import is listed with its file', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, row(1) + row(2));
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('heading', { name: 'Preview: nothing was stored' }).waitFor();
      await page
        .getByRole('region', { name: 'The first rows' })
        .getByText('https://shop.example/')
        .first()
        .waitFor();
      expect(await views()).toBe(0);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('heading', { name: 'Imported' }).waitFor();
      expect(await views()).toBe(2);
      await page.getByRole('link', { name: /^Import \d+$/ }).click();
      await page.getByText('views.ndjson').waitFor();
      await page.getByText('ann (page)').waitFor();
    }));

  // conformance: beyond.files-uploaded-checked
  test('an invalid row stops the import and its location is shown; all invalid rows are listed and can be skipped and downloaded', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const before = await views();
      await open(page, row(3) + row(4, { access_time: 'noon' }) + row(5, { access_time: 'later' }));
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      const rejected = page.getByRole('region', { name: 'Rejected rows' });
      for (const value of ['noon', 'later']) await rejected.getByText(value).first().waitFor();
      await page.getByRole('alert').filter({ hasText: 'Line 2, column access_time' }).waitFor();
      expect(await views()).toBe(before);
      await page.getByText('More').click();
      await page.getByLabel('If a row is invalid').selectOption('skip');
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('heading', { name: 'Imported' }).waitFor();
      const saving = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download them' }).click();
      const saved = await readFile((await (await saving).path()) ?? '', 'utf8');
      expect(
        saved
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toMatchObject([
        { line: 2, column: 'access_time' },
        { line: 3, column: 'access_time' },
      ]);
      expect(await views()).toBe(before + 1);
      await page.getByRole('link', { name: /^Import \d+$/ }).click();
      const again = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download them' }).click();
      expect((await again).suggestedFilename()).toBe('rejected.ndjson');
    }));

  test('all numbers of rows have separators', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const counts = { read: 9_123, added: 1_234, updated: 0, kept: 0, unchanged: 0, rejected: 1_100 };
      const skipped = { 'requests by bots': 6_789 };
      const rejected_rows = [{ line: 1, column: 'url', reason: 'is missing' }];
      await page.route('**/qal-data/v1/import/*', (route) =>
        route.fulfill({ json: { import_id: null, format: 'ndjson', ...counts, skipped, rejected_rows } }),
      );
      await open(page, row(1));
      await page.getByRole('button', { name: 'Preview' }).click();
      for (const text of ['1,234', '6,789', 'The first 1 of 1,100.']) await page.getByText(text).waitFor();
    }));

  // conformance: beyond.import-undone
  test('an import can be undone with a button, after a confirmation that shows the number of rows', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const before = await views();
      await open(page, row(9));
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('heading', { name: 'Imported' }).waitFor();
      expect(await views()).toBe(before + 1);
      await page.getByRole('link', { name: /^Import \d+$/ }).click();
      await page.getByRole('link', { name: 'Undo this import' }).click();
      await page.getByText('Undoing removes 1 row of allpv').waitFor();
      expect(await views()).toBe(before + 1);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await page.getByRole('button', { name: /^Undo import \d+$/ }).click();
      await page.getByText(/Import \d+ is undone\. Removed: 1 allpv\./).waitFor();
      expect(await views()).toBe(before);
    }));

  test('a previously chosen file that is read late does not change the description of the current file', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.addInitScript(`
        const { stream } = Blob.prototype;
        const held = new Promise((resolve) => { window.release = resolve; });
        let reads = 0;
        Blob.prototype.stream = function () {
          const original = stream.call(this);
          reads += 1;
          return reads > 1 ? original : new ReadableStream({
            async start(controller) {
              await held;
              for await (const part of original) controller.enqueue(part);
              controller.close();
            },
          });
        };`);
      await open(page, '{"no": "address"}\n');
      await page.getByLabel('File', { exact: true }).setInputFiles(file(row(6)));
      await page.getByText('The first rows can be imported.').waitFor();
      await page.evaluate('release()');
      const described = page.waitForResponse('**/import-columns');
      await page.getByLabel('Site', { exact: true }).selectOption('blog');
      await described;
      await page.locator('#columns[aria-busy="false"]').waitFor();
      expect(await page.locator('#columns').innerText()).toContain('The first rows can be imported.');
    }));

  test('if the format is changed twice, the second format is described, even while the first is still being tried', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, row(7));
      await page.getByText('The first rows can be imported.').waitFor();
      await page.evaluate(`(() => {
        const format = document.querySelector('[name="format"]');
        for (const index of [1, 0]) {
          format.selectedIndex = index;
          format.dispatchEvent(new Event('change', { bubbles: true }));
        }
      })()`);
      await page.locator('#columns[aria-busy="false"]').waitFor();
      expect(await page.locator('#columns').innerText()).toContain('The first rows can be imported.');
    }));

  test('if the clipboard is unavailable, Copy selects the command', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, row(5));
      await page.getByText('Do the same on the command line').click();
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('button', { name: 'Selected: press Ctrl-C' }).waitFor();
      expect(await page.evaluate('String(getSelection())')).toMatch(/^qal import allpv /);
    }));

  test('everything can be done with the keyboard', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, row(5));
      await page.getByText('The first rows can be imported.').waitFor();
      await page.getByLabel('Dataset').focus();
      for (const next of ['Format', 'Do the same on the command line', 'More', 'Import', 'Preview']) {
        await page.keyboard.press('Tab');
        const focused = page.locator(':focus');
        const name = (await focused.textContent())?.trim() ?? '';
        const label = await focused.evaluate((at) => at.labels?.[0]?.textContent ?? '');
        expect([name, label.trim()]).toContain(next);
      }
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Preview: nothing was stored' }).waitFor();
      await page.locator(':focus', { hasText: /^Preview: nothing was stored$/ }).waitFor();
    }));

  // conformance: beyond.files-uploaded-checked
  test('nothing is imported until the page has shown the column mapping', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const uploads: string[] = [];
      page.on('request', (request) => {
        if (request.headers()['content-type'] === 'application/octet-stream') uploads.push(request.url());
      });
      const gate = Promise.withResolvers<void>();
      await page.route('**/import-columns', async (route) => {
        await gate.promise;
        await route.continue();
      });
      const before = await views();
      await page.goto(UPLOAD);
      await page.waitForLoadState();
      const csv = 'page,Time\nhttps://shop.example/csv,2026-05-02T10:00:00Z\n';
      const columns = { name: 'views.csv', mimeType: '', buffer: Buffer.from(csv) };
      await page.getByLabel('File', { exact: true }).setInputFiles(columns);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      gate.resolve();
      await page.getByText('Check what the columns are imported as, then import.').waitFor();
      await page.getByLabel('page is imported as').waitFor();
      expect([await views(), uploads]).toEqual([before, []]);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('heading', { name: 'Imported' }).waitFor();
      expect(await views()).toBe(before + 1);
      expect(new URL(uploads[0] ?? '').searchParams.get('map')).toContain('page=url');
    }));

  test('if describing the columns fails, it is retried before the file is sent', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      let isUnavailable = true;
      await page.route('**/import-columns', (route) =>
        isUnavailable ? route.fulfill({ status: 503, json: { message: 'Not now.' } }) : route.continue(),
      );
      await page.goto(UPLOAD);
      await page.waitForLoadState();
      const before = await views();
      await page.getByLabel('File', { exact: true }).setInputFiles(file(row(9)));
      await page.getByLabel('Columns', { exact: true }).getByRole('alert').waitFor();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByLabel('Columns', { exact: true }).getByRole('alert').waitFor();
      expect(await views()).toBe(before);
      isUnavailable = false;
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('heading', { name: 'Imported' }).waitFor();
      expect(await views()).toBe(before + 1);
    }));

  // conformance: beyond.files-uploaded-checked
  test('nothing is imported from a canceled upload, and the form can be used again', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const before = await views();
      await page.route('**/import/allpv?**', () => undefined);
      await open(page, row(6));
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Canceled; nothing was imported.').waitFor();
      await page.getByRole('button', { name: 'Import', exact: true, disabled: false }).waitFor();
      expect(await views()).toBe(before);
    }));

  test('the form and its result fit windows of 390 and 1280 pixels', () =>
    withPage(browser(), host, { as: 'ann', width: 390 }, async (page) => {
      await page.goto(`${UPLOAD}?site=shop`);
      await page.getByText('More').click();
      await page.getByLabel('If a row is invalid').selectOption('skip');
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles(file(row(7) + row(8, { access_time: 'x'.repeat(300) })));
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('heading', { name: 'Rejected rows' }).waitFor();
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        expect([width, await stickingOut(page)]).toEqual([width, []]);
        expect(await overflow(page)).toBeLessThanOrEqual(0);
      }
    }));

  test('the list of imports fits a window of 390 pixels without horizontal scrolling', () =>
    withPage(browser(), host, { as: 'ann', width: 390 }, async (page) => {
      const failing = `${'file-'.repeat(60)}.ndjson`;
      const { write } = host.database;
      await expect(
        importRows(write, loadManifest(), {
          material: 'allpv',
          site: 'shop',
          source: failing,
          rows: [{ url: 'https://shop.example/' }],
        }),
      ).rejects.toThrow('is required');
      await page.goto('/wp-admin/imports');
      await page.getByText(failing).first().waitFor();
      const excess = await page
        .getByRole('region', { name: 'Imports' })
        .evaluate((region) => region.scrollWidth - region.clientWidth);
      expect(excess).toBeLessThanOrEqual(0);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    }));

  test('without JavaScript, the page explains what to do instead', () =>
    withPage(browser(), host, { as: 'ann', script: false }, async (page) => {
      await page.goto(UPLOAD);
      expect(await page.locator('noscript').innerText()).toContain('qal import DATASET --site SITE FILE');
    }));
});
