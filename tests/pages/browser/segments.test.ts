// Saved segments in a real browser: saved, selected, changed and deleted with the keyboard alone, on the dashboard and other
// pages.
import type { Page } from 'playwright-core';
import type { TestHost } from '../../support/test-host';
import { axeFaults, COLOR_RULES } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { overflow, withPage } from './support/open-page';
import { HOSTILE, startShop, WAS_HACKED } from './support/shop-data';

const PANEL = '#segments';
const DASHBOARD = '#dashboard[data-waiting="0"]';

const waitForFocus = (page: Page, selector: string) => page.locator(`${selector}:focus`).waitFor();
/** Opens the panel with the keyboard and waits until it shows the list. */
async function openList(page: Page): Promise<void> {
  await page.locator('#segments-open').focus();
  await page.keyboard.press('Enter');
  await page.locator('#segments-list li').first().waitFor();
}

async function openDashboard(page: Page, search: string): Promise<void> {
  await page.goto(`/wp-admin/dashboard${search}`);
  await page.locator(DASHBOARD).waitFor();
}

describeInBrowser('saved segments', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop();
  });
  afterAll(() => host.stop());

  async function save(page: Page, name: string, isShared: boolean): Promise<void> {
    await openList(page);
    await page.locator('#segments-save').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type(name);
    await page.keyboard.press('Tab');
    if (isShared) await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await waitForFocus(page, '#segments-open');
  }

  test('a list that arrives after another site was chosen is not shown', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openDashboard(page, '?site=shop&country=JP');
      await save(page, 'Of the shop', false);
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const ofShop = '**/segments?tracking_id=shop';
      await page.route(ofShop, async (route) => {
        await held;
        await route.continue();
      });
      await Promise.all([page.waitForRequest(ofShop), page.locator('#segments-open').click()]);
      await page.keyboard.press('Escape');
      await page.getByLabel('Site').selectOption('blog');
      await page.locator(DASHBOARD).waitFor();
      await openList(page);
      const list = page.locator('#segments-list');
      await list.getByText('This site has no segments yet.').waitFor();
      const arrived = page.waitForResponse(ofShop);
      release();
      await (await arrived).finished();
      expect(await list.innerText()).toBe('This site has no segments yet.');
      await page.keyboard.press('Escape');
      await page.unroute(ofShop);
      await openDashboard(page, '?site=shop');
      await openList(page);
      await page.getByRole('button', { name: 'Delete the segment Of the shop' }).click();
      await page.getByRole('button', { name: 'Delete the segment', exact: true }).click();
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
    }));

  test('filters can be saved, selected, replaced and deleted, and the focus stays on the page', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openDashboard(page, '?country=JP&not.device=SP');
      await save(page, 'Japan', false);
      await openDashboard(page, '?country=DE');
      await openList(page);
      await page.getByRole('button', { name: 'Japan', exact: true, pressed: false }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Country is Japan', exact: true }).waitFor();
      await page.locator(DASHBOARD).waitFor();
      expect(new URL(page.url()).searchParams.get('not.device')).toBe('SP');
      await openList(page);
      await page.getByRole('button', { name: 'Japan', exact: true, pressed: true }).waitFor();
      await page.keyboard.press('Escape');

      await openDashboard(page, '?device=PC');
      await openList(page);
      await page.getByRole('button', { name: 'Edit the segment Japan' }).focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Name', { exact: true }).fill('Computers');
      await page.getByLabel('Replace its filters with the current ones').check();
      await page.getByRole('button', { name: 'Save', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
      await openList(page);
      await page.getByRole('button', { name: 'Computers', exact: true, pressed: true }).waitFor();

      await page.getByRole('button', { name: 'Delete the segment Computers' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Delete the segment', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
      await waitForFocus(page, '#segments-open');
      await openList(page);
      await page.getByText('This site has no segments yet.').waitFor();
    }));

  test('nothing can be saved without filters, and a name that is already taken is reported in the dialog', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openDashboard(page, '');
      await openList(page);
      expect(await page.locator('#segments-save').isDisabled()).toBe(true);
      await openDashboard(page, '?os=iOS');
      await save(page, 'Taken', false);
      await openList(page);
      await page.locator('#segments-save').click();
      await page.getByLabel('Name', { exact: true }).fill('taken');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Choose another name.').waitFor();
    }));

  test('a link that is limited to a segment shows its filters, which cannot be removed', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openDashboard(page, '?country=JP');
      await save(page, 'Only Japan', false);
      await page.locator('#share').click();
      await page.getByLabel('Name').fill('Partner');
      await page.getByLabel('Segment').selectOption('Only Japan');
      await page.getByRole('button', { name: 'Create the link' }).click();
      const address = await page.locator('#new-link').innerText();
      await page.context().clearCookies();
      await page.goto(address.replace('#', '?country=DE&places=country#'));
      await page.locator(DASHBOARD).waitFor();
      expect(await page.locator('#chips').innerText()).toBe('Country is Japan');
      expect(await page.locator('#chips button').count()).toBe(0);
      const countries = page.locator('#panel-places tbody th');
      expect(await countries.allInnerTexts()).toEqual(['Japan']);
      expect(await countries.locator('a').count()).toBe(0);
      expect(await page.locator('#card-views .figure').innerText()).toBe('25');
      await page.locator('#panel-searches .panel-empty', { hasText: 'cannot be filtered by it' }).waitFor();
      expect(await page.locator('.fault:visible').count()).toBe(0);
      await page.locator('#panel-devices').getByRole('link', { name: 'Smartphone' }).click();
      await page.getByRole('button', { name: 'Device is Smartphone', exact: true }).waitFor();
    }));

  test('names are shown as text, the panel fits in 390 and 1280 pixels, and axe finds no problems', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await openDashboard(page, '?country=JP');
      await save(page, HOSTILE.slice(0, 80), true);
      for (const path of ['dashboard', 'funnels', 'retention']) {
        await page.goto(`/wp-admin/${path}`);
        await page.locator('[data-waiting="0"]').waitFor();
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 900 });
          await openList(page);
          await page.getByText('shared', { exact: true }).first().waitFor();
          const found = [path, width, await overflow(page), await page.evaluate(WAS_HACKED)];
          expect(found).toEqual([path, width, 0, false]);
          // Tests of the pages themselves check the rest of the page in a wide window and in dark mode.
          const light = await axeFaults(page, { within: width === 390 ? 'html' : PANEL });
          await page.emulateMedia({ colorScheme: 'dark' });
          const dark = await axeFaults(page, { rules: COLOR_RULES, within: PANEL });
          expect([path, width, light, dark]).toEqual([path, width, [], []]);
          await page.emulateMedia({ colorScheme: 'light' });
          await page.keyboard.press('Escape');
          await page.locator(PANEL).waitFor({ state: 'hidden' });
        }
      }
    }));
});
