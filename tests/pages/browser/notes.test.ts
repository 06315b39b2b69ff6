// Notes on days in a real browser: added, changed and deleted with the keyboard alone, and shown as marks below the chart and as
// a list.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { axeFaults, COLOR_RULES } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { answered, DONE, open, PAINTS_AND_SHIFT, WATCH_SHIFTS } from './support/dashboard';
import { overflow, withPage } from './support/open-page';
import { createLink } from './support/shared-link';
import { HOSTILE, startShop, WAS_HACKED } from './support/shop-data';

const MAY = '?period=custom&from=2026-05-01&to=2026-05-31';

const focus = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.id || document.activeElement.innerText');
const marks = (page: Page) => page.locator('.note-mark');
const labels = (page: Page): Promise<readonly (string | null)[]> =>
  marks(page).evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));

describeInBrowser('notes', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
    await host.createUser({ login: 'vic', role: 'viewer', sites: ['shop'] });
  });
  afterAll(() => host.stop());
  beforeEach(() => host.database.write('analytics.note').delete());

  async function addNote(day: string, text: string): Promise<void> {
    const { site_id } = await host.database.write('analytics.site').where('tracking_id', 'shop').first();
    await host.database.write('analytics.note').insert({ site_id, day, text });
  }

  test('a note can be added, changed and deleted with the keyboard, and the focus stays on the page', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, MAY);
      await page.locator('#note-add').focus();
      await page.keyboard.press('Enter');
      expect(await page.getByLabel('Day', { exact: true }).inputValue()).toBe('2026-05-31');
      await page.getByLabel('Day', { exact: true }).fill('2026-05-12');
      await page.getByLabel('Note', { exact: true }).focus();
      await page.keyboard.type('Relaunch');
      await answered(page, () => page.keyboard.press('Enter'));
      expect(await focus(page)).toBe('note-add');
      expect(await labels(page)).toEqual(['Note: Tue, 12 May 2026: Relaunch']);

      await marks(page).focus();
      expect(await page.locator('.line-tip').innerText()).toBe('Tue, 12 May 2026: Relaunch');
      await page.keyboard.press('Enter');
      expect(await focus(page)).toContain('Relaunch');
      await page.keyboard.press('Tab');
      expect(await focus(page)).toBe('Edit');
      await page.keyboard.press('Enter');
      await page.getByLabel('Day', { exact: true }).fill('2026-05-13');
      await page.getByLabel('Note', { exact: true }).fill(HOSTILE);
      await answered(page, () => page.getByLabel('Note', { exact: true }).press('Enter'));
      expect(await focus(page)).toBe('notes-summary');
      expect(await labels(page)).toEqual([`Note: Wed, 13 May 2026: ${HOSTILE}`]);

      await page.getByRole('button', { name: 'Delete the note for Wed, 13 May 2026' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Cancel' }).focus();
      await page.keyboard.press('Enter');
      // The close event of a dialog is fired after the dialog is closed.
      await page.locator('#notes-summary:focus').waitFor();
      await page.getByRole('button', { name: 'Delete the note for Wed, 13 May 2026' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Delete the note', exact: true }).focus();
      await answered(page, () => page.keyboard.press('Enter'));
      expect(await focus(page)).toBe('note-add');
      expect([await marks(page).count(), await page.locator('#notes').isHidden()]).toEqual([0, true]);
      expect(await page.evaluate(WAS_HACKED)).toBe(false);
    }));

  test('the dialog reports that another user has changed the note in the meantime, and does not overwrite the change', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await addNote('2026-05-12', 'Relaunch');
      await open(page, MAY);
      await page.locator('#notes-summary').click();
      await page.getByRole('button', { name: /^Edit the note/ }).click();
      await host.database.write('analytics.note').update({ text: 'Of someone else', revision: 2 });
      await page.getByLabel('Note', { exact: true }).press('Enter');
      await page.getByText('changed in the meantime').waitFor();
      expect(await host.database.write('analytics.note').pluck('text')).toEqual(['Of someone else']);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Of someone else').waitFor();
    }));

  test('the list no longer shows a note that another user has deleted, once the user tries to delete it too', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await addNote('2026-05-12', 'Relaunch');
      await open(page, MAY);
      await page.locator('#notes-summary').click();
      await page.getByRole('button', { name: /^Delete the note for/ }).click();
      await host.database.write('analytics.note').delete();
      await page.getByRole('button', { name: 'Delete the note', exact: true }).click();
      await page.getByRole('alert').getByText('it may have been deleted.').waitFor();
      await page.locator('#notes').waitFor({ state: 'hidden' });
      expect(await marks(page).count()).toBe(0);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.locator('#note-add:focus').waitFor();
    }));

  test('without a connection, the dialog shows an error', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await open(page, MAY);
      await page.locator('#note-add').click();
      // An aborted request would be logged in the console, where this test looks for errors.
      await page.evaluate('window.fetch = () => Promise.reject(new TypeError())');
      await page.getByLabel('Note', { exact: true }).fill('Relaunch');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    }));

  test.each([
    ['hour', '?period=custom&from=2026-05-04&to=2026-05-06&by=hour', ['2026-05-06'], 48],
    ['day', '?period=custom&from=2026-05-01&to=2026-05-31&by=day', ['2026-05-06'], 5],
    ['week', '?period=custom&from=2026-05-06&to=2026-06-30&by=week', ['2026-05-06', '2026-05-10'], 0],
    ['month', '?period=custom&from=2026-03-10&to=2026-06-30&by=month', ['2026-05-31'], 2],
  ])('by %s, a mark is below the point that contains its day', (_step, search, days, point) =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      for (const day of days) await addNote(day, `Of ${day}`);
      await open(page, search);
      expect(await marks(page).count()).toBe(1);
      expect((await labels(page))[0]).toContain(days.length === 1 ? 'Note: ' : '2 notes: ');
      const chart = page.locator('.line-chart');
      await chart.focus();
      for (let at = 0; at <= point; at += 1) await page.keyboard.press('ArrowRight');
      const [cursor, mark] = await page.evaluate<number[]>(`['.line-cursor', '.note-mark'].map((one) => {
        const { left, width } = document.querySelector(one).getBoundingClientRect();
        return left + width / 2;
      })`);
      expect(Math.abs((cursor ?? 0) - (mark ?? 99))).toBeLessThan(1);
    }),
  );

  test('users who may only view the site see its notes, and a shared link does not show them', () =>
    withPage(browser(), host, { as: 'vic' }, async (page) => {
      await addNote('2026-05-12', 'Relaunch');
      await open(page, MAY);
      expect([await marks(page).count(), await page.locator('#note-add').count()]).toEqual([1, 0]);
      await page.locator('#notes-summary').click();
      expect(await page.locator('#notes-list').innerText()).toBe('Tue, 12 May 2026 Relaunch');
      const link = await createLink(host, 'dashboard');
      await page.context().clearCookies();
      await page.goto(link.replace('#', `${MAY}#`));
      await page.locator(DONE).waitFor();
      expect([await marks(page).count(), await page.locator('#notes').count()]).toEqual([0, 0]);
    }));

  test.each([390, 1280])('nothing moves or overflows at %d pixels, and axe finds no problems', (width) =>
    withPage(browser(), host, { as: 'ann', width }, async (page) => {
      for (const day of ['2026-05-12', '2026-05-13', '2026-05-29'])
        await addNote(day, `${HOSTILE.slice(0, 60)} ${'word '.repeat(30)}`);
      await page.addInitScript(WATCH_SHIFTS);
      await open(page, MAY);
      expect(await page.evaluate(PAINTS_AND_SHIFT)).toEqual([1, 0]);
      expect(await marks(page).allInnerTexts()).toEqual(width === 390 ? ['2', ''] : ['', '', '']);
      await page.locator('#notes-summary').click();
      await marks(page).first().focus();
      expect(await overflow(page)).toBe(0);
      expect(await axeFaults(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeFaults(page, { rules: COLOR_RULES })).toEqual([]);
    }),
  );
});
