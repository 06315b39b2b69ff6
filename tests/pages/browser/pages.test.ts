// Every page in a real browser, at all window widths and in dark mode: it has no errors, loads nothing from other origins, works
// with the keyboard, and follows axe's rules. The list of pages comes from the menu, so new pages are included.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { analyticsExtension } from '../../../extension/index';
import { PUBLIC_FOLDER } from '../../../host-shim/admin/assets';
import { HOUSE_WORDS } from '../../support/house-words';
import { notesExtension } from '../../support/notes-extension';
import { SETTINGS, type TestHost } from '../../support/test-host';
import { AXE, axeFaults, COLOR_RULES } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { overflow, stickingOut, withPage } from './support/open-page';
import { startShop, WAS_HACKED } from './support/shop-data';

/** Pages that are not in the menu. */
const MORE = [
  'application-passwords/link?page=dashboard&site=shop',
  'application-passwords/link?page=funnels&site=shop',
  'application-passwords/link?page=retention&site=shop',
  'application-passwords/revoke-all',
  'authorize-application.php?app_name=Report',
  'connection',
  'funnels/shop/1',
  'funnels/shop/1/delete',
  'funnels/shop/add',
  'goals/shop',
  'goals/shop/add',
  'goals/shop/1',
  'goals/shop/1/remove',
  'features/filter/off',
  'imports/1',
  'imports/1/undo',
  'imports/geoip',
  'imports/upload',
  'playground#%7B%7D',
  'profile/second-factor',
  'sites/add',
  'sites/edit/shop',
  'sites/remove/shop',
  'sites/remove/shop?what=site',
  'sites/removed',
  'extensions/deactivate/notes',
  'there-is-no-such-page',
  'users/1',
  'users/2/delete',
  'users/2/disable',
  'users/add',
].map((slug) => `/wp-admin/${slug}`);

/** Documentation pages. They have no CSS classes, but they have long lines of code and wide tables. */
const DOCS = ['/docs/', '/docs/reference/errors/', '/docs/how-to/application-passwords/'];

const TECHNICAL = 'code, pre, .cm-editor, [data-label="About"], [data-label="Route"]';
const MAX_SCRIPT_BYTES = 250_000;
const VISIT_TIMEOUT_MS = 600_000;

test('all scripts together are under 250 kB compressed', () => {
  const scripts = readdirSync(PUBLIC_FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.js'),
  );
  const sizes = scripts.map((path) => gzipSync(readFileSync(join(PUBLIC_FOLDER, path))).length);
  expect(scripts.length).toBeGreaterThan(3);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_SCRIPT_BYTES);
});

describeInBrowser('every page', ({ browser }) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startShop({ extensions: [analyticsExtension(SETTINGS), notesExtension()] });
  });
  afterAll(() => host.stop());

  /** The paths of all pages that an administrator sees. */
  async function addresses(page: Page): Promise<readonly string[]> {
    await page.goto('/wp-admin/dashboard');
    const found = await page.evaluate<string[]>(
      `[...document.querySelector('nav').querySelectorAll('a')].map((link) => link.getAttribute('href'))`,
    );
    expect(found).toEqual(expect.arrayContaining(['/wp-admin/dashboard', '/wp-admin/system']));
    return [...found, ...MORE, '/wp-login.php'];
  }

  /** Visits every page, and waits until its scripts have shown the requested data. */
  async function visit(page: Page, look: (address: string) => Promise<void>): Promise<void> {
    for (const address of await addresses(page)) {
      await page.goto(address);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      await look(address);
    }
  }

  const namelessControls = (page: Page) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('input, select, textarea, button, a')]
      .filter((one) => one.type !== 'hidden' && one.checkVisibility() && !one.closest('[aria-hidden="true"]'))
      .filter((one) => !one.labels?.length && !one.textContent.trim()
        && !one.getAttribute('aria-label') && !one.getAttribute('aria-labelledby'))
      .map((one) => one.outerHTML.slice(0, 160))`);

  /** Cells that a narrow window would show without their column's name. */
  const namelessCells = (page: Page) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('main table.stacked')].flatMap((table) => {
      const names = [...table.querySelectorAll('thead th')]
        .map((one) => one.querySelector('.visually-hidden') === null ? one.textContent.trim() : null);
      return [...table.querySelectorAll('tbody tr')].flatMap((row) => [...row.cells]
        .filter(({ tagName, dataset }, index) => tagName === 'TD' && names[index] !== (dataset.label ?? null))
        .map((cell) => cell.outerHTML.slice(0, 160)));
    })`);

  /** Focuses every control that Tab reaches. Returns those on which the focus is not visible. */
  async function hiddenFocus(page: Page): Promise<readonly string[]> {
    // After a key press, the browser shows the focus even if a script moves it.
    await page.locator('body').press('Tab');
    const { reached, hidden } = await page.evaluate<{ reached: number; hidden: string[] }>(`(() => {
      const controls = [...document.querySelectorAll('a, input, select, textarea, button, summary, [tabindex="0"]')]
        .filter((one) => one.tabIndex === 0 && one.closest('.cm-editor') === null);
      let reached = 0;
      const hidden = controls.filter((one) => {
        one.focus({ preventScroll: true });
        if (document.activeElement !== one) return false;
        reached += 1;
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
        return boxShadow === 'none' && (outlineStyle === 'none' || outlineWidth === '0px');
      });
      document.activeElement.blur();
      return { reached, hidden: hidden.map((one) => one.outerHTML.slice(0, 160)) };
    })()`);
    expect(reached).toBeGreaterThan(3);
    return hidden;
  }

  /** Whether nothing is drawn until the whole page has arrived. Otherwise, late content would shift the rest. */
  const isDrawnAtOnce = (page: Page) =>
    page.evaluate<boolean>(`(() => {
      const link = document.querySelector('head > link[rel="expect"]');
      return link?.blocking.contains('render') === true && document.querySelector('main' + link.getAttribute('href')) !== null;
    })()`);

  /** Controls that cannot be reached with Tab, except those that the arrow keys reach. */
  const unreachableByTab = (page: Page) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('a, input, select, textarea, button, summary')]
      .filter((one) => one.type !== 'hidden' && !one.disabled && one.checkVisibility())
      .filter((one) => one.tabIndex !== 0 && one.closest('[role="tablist"], [aria-hidden="true"]') === null)
      .map((one) => one.outerHTML.slice(0, 160))`);

  /**
   * Text that contains internal terms. Code and the descriptions of features and routes are excluded, because "material"
   * is a term of QAL.
   */
  const internalTerms = async (page: Page) => {
    const texts = await page.evaluate<string[]>(`(() => {
      const found = [document.title];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode())
        if (walker.currentNode.parentElement.closest('${TECHNICAL}') === null)
          found.push(walker.currentNode.data.trim());
      return found;
    })()`);
    return texts.filter((text) => HOUSE_WORDS.test(text));
  };

  interface Fit {
    readonly width: number;
    /** The number of pixels by which the page is wider than the window. */
    readonly by: number;
    /** Elements that cause the excess width. */
    readonly of: readonly string[];
    /** Tables with hidden columns. */
    readonly cut: readonly string[];
    /** Controls outside the window, except the figures, which scroll in a strip on phones. */
    readonly outside: readonly string[];
  }

  const WIDTHS = [320, 390, 768, 1280];

  async function fitAt(page: Page, width: number): Promise<Fit> {
    await page.setViewportSize({ width, height: 900 });
    const { by, ...found } = await page.evaluate<Pick<Fit, 'by' | 'cut' | 'outside'>>(`(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const shown = (all) => all.map((one) => one.outerHTML.slice(0, 160));
      const cut = [...document.querySelectorAll('main .scroll')]
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.querySelector('table') !== null);
      const outside = [...document.querySelectorAll('a, input, select, textarea, button, summary')]
        .filter((one) => one.checkVisibility() && one.closest('.skip, .visually-hidden, .cm-editor, .figures') === null)
        .filter((one) => {
          const { left, right, width } = one.getBoundingClientRect();
          return width > 0 && (left < -1 || right > clientWidth + 1);
        });
      return { by: scrollWidth - clientWidth, cut: shown(cut), outside: shown(outside) };
    })()`);
    return { width, by, of: by > 0 ? await stickingOut(page) : [], ...found };
  }

  /** The problems that axe finds in light mode and with the colors of dark mode, and whether the page follows the color scheme. */
  async function faultsInBoth(page: Page): Promise<readonly string[]> {
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await axeFaults(page);
    const lightBackground = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await axeFaults(page, { rules: COLOR_RULES });
    const isDark = (color: string) =>
      (color.match(/\d+/g) ?? []).slice(0, 3).every((part) => Number(part) < 64);
    const schemes = isDark(lightBackground) || !isDark(await background()) ? ['not light, or not dark'] : [];
    await page.emulateMedia({ colorScheme: 'light' });
    return [...light, ...dark, ...schemes];
  }

  const isGood = ({ by, cut, outside }: Fit) => by <= 0 && cut.length === 0 && outside.length === 0;

  test(
    'has no errors, is drawn at once, sends nothing to other origins, runs no text as script, labels its controls and cells, works with the keyboard, fits windows of every width, satisfies axe in light and dark mode, and uses standard terms',
    () =>
      withPage(browser(), host, { as: 'ann' }, async (page) => {
        const faults: unknown[] = [];
        await page.addInitScript(AXE);
        await visit(page, async (address) => {
          await page.evaluate(
            `document.querySelectorAll('main details').forEach((one) => { one.open = true; })`,
          );
          const found = {
            drawnInParts: (await isDrawnAtOnce(page)) ? [] : ['drawn in parts'],
            hacked: (await page.evaluate<boolean>(WAS_HACKED)) ? ['hacked'] : [],
            nameless: await namelessControls(page),
            cells: await namelessCells(page),
            hidden: await hiddenFocus(page),
            unreachableByTab: await unreachableByTab(page),
            axe: await faultsInBoth(page),
            words: await internalTerms(page),
            fit: [] as Fit[],
          };
          for (const width of WIDTHS) {
            const fit = await fitAt(page, width);
            if (!isGood(fit)) found.fit.push(fit);
          }
          if (Object.values(found).some(({ length }) => length > 0)) faults.push({ address, ...found });
        });
        expect(faults).toEqual([]);
      }),
    VISIT_TIMEOUT_MS,
  );

  test('the documentation fits windows of 390 and 1280 pixels, and axe finds no problems', () =>
    withPage(browser(), host, {}, async (page) => {
      for (const address of DOCS) {
        await page.goto(address);
        const inset = await page.evaluate<string[]>(
          `[...document.querySelectorAll('pre > code')].filter((one) => getComputedStyle(one).paddingLeft !== '0px')
            .map((one) => one.textContent)`,
        );
        expect({ address, inset }).toEqual({ address, inset: [] });
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 900 });
          const found = { by: await overflow(page), axe: await faultsInBoth(page) };
          expect({ address, width, ...found }).toEqual({ address, width, by: 0, axe: [] });
        }
      }
    }));

  test('scripts are loaded only where they are used', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      const bytesOf = async (address: string) => {
        await page.goto(address);
        await page.getByRole('heading', { level: 1 }).waitFor();
        return page.evaluate<number>(
          `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
            .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
        );
      };
      const plain = await bytesOf('/wp-admin/system');
      expect(plain).toBeGreaterThan(0);
      expect(plain).toBeLessThan(5_000);
      const dashboard = await bytesOf('/wp-admin/dashboard');
      expect(dashboard).toBeGreaterThan(plain);
      expect(dashboard).toBeLessThan(50_000);
      expect(await bytesOf('/wp-admin/playground')).toBeGreaterThan(dashboard);
    }));

  test('German and Japanese names are shown unchanged', () =>
    withPage(browser(), host, { as: 'ann' }, async (page) => {
      await page.goto('/wp-admin/sites');
      expect(await page.locator('main').innerText()).toContain('東京のお店:価格とサイズ');
      expect(await page.locator('main').innerText()).toContain('Größe, Maß & Übermut – „Straße“');
    }));
});
