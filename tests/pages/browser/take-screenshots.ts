// Program: takes the screenshots in docs/pictures from the demo, at a fixed time. Look at them before you commit them. Finds
// Chromium in the same way as the tests.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { bundleBrowserModules } from '../../../docs/bundle-browser-modules';
import { DEMO_VIEWS, loadDemo } from '../../../extension/data/demo/load-demo';
import { PRODUCT } from '../../../host-shim/main';
import { startTestHost, type TestHost } from '../../support/test-host';
import { findChromium, startChromium } from './support/chromium';
import { addCookie } from './support/open-page';

const FOLDER = join(__dirname, '../../../docs/pictures');
const NOW = new Date('2026-11-20T09:30:00Z');
const LOGIN = 'admin';
const MAX_BYTES = 150_000;
const QUALITY = 82;
const TIMEOUT_MS = 120_000;

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly dark?: boolean;
  readonly height?: number;
  /** Waits until the page shows everything that belongs in the picture. */
  settle(page: Page): Promise<unknown>;
}

const showsDashboard = (page: Page) => page.locator('#dashboard[data-waiting="0"]').waitFor();
const showsTable = (page: Page) => page.locator('main table tbody tr').first().waitFor();

const PICTURES: readonly Picture[] = [
  {
    name: 'dashboard',
    path: 'dashboard?site=demo',
    height: 1000,
    settle: showsDashboard,
  },
  {
    name: 'dashboard-dark',
    path: 'dashboard?site=demo&period=90d&by=week&card=conversions',
    dark: true,
    settle: showsDashboard,
  },
  {
    name: 'funnels',
    path: 'funnels?site=demo',
    height: 660,
    settle: (page) => page.locator('#report[data-waiting="0"]').waitFor(),
  },
  {
    name: 'retention',
    path: 'retention?site=demo',
    height: 1000,
    settle: (page) => page.locator('#report[data-waiting="0"]').waitFor(),
  },
  {
    name: 'playground',
    path: 'playground',
    settle: async (page) => {
      // The Run button has no effect until its script has loaded.
      await page.locator('#example option').first().waitFor({ state: 'attached' });
      await page.locator('.cm-line', { hasText: 'tracking_id' }).waitFor();
      await page.getByRole('button', { name: 'Run' }).click();
      await page.locator('#panel-table tbody tr').first().waitFor();
    },
  },
  { name: 'application-passwords', path: 'application-passwords', height: 720, settle: showsTable },
  { name: 'imports', path: 'imports', height: 620, settle: showsTable },
];

async function take(browser: Browser, host: TestHost, picture: Picture): Promise<string> {
  const context = await browser.newContext({
    baseURL: host.url,
    colorScheme: picture.dark === true ? 'dark' : 'light',
    viewport: { width: 1280, height: picture.height ?? 800 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  try {
    context.setDefaultTimeout(TIMEOUT_MS);
    await addCookie(context, host, LOGIN);
    const page = await context.newPage();
    await page.clock.setFixedTime(NOW);
    await page.goto(`/wp-admin/${picture.path}`);
    await picture.settle(page);
    await page.mouse.move(0, 0);
    const { data } = await (await context.newCDPSession(page)).send('Page.captureScreenshot', {
      format: 'webp',
      quality: QUALITY,
    });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length > MAX_BYTES) throw new Error(`${picture.name} has ${bytes.length} bytes.`);
    await writeFile(join(FOLDER, `${picture.name}.webp`), bytes);
    return `${picture.name}.webp: ${Math.round(bytes.length / 1000)} kB\n`;
  } finally {
    await context.close();
  }
}

const FUNNEL = [
  { kind: 'page', op: 'prefix', value: '/products/' },
  { kind: 'page', op: 'is', value: '/cart/' },
  { kind: 'page', op: 'is', value: '/checkout/' },
  { kind: 'event', value: 'purchase' },
];

/** Makes the demo look like an installation that has been in use for a while. */
async function fillDemo(host: TestHost): Promise<void> {
  await loadDemo(host.database.write, { now: NOW, views: DEMO_VIEWS, onProgress: () => {} });
  await host.database.write.raw(
    'INSERT INTO analytics.funnel (site_id, name, steps) SELECT site_id, ?, ? FROM analytics.site',
    ['From product to order', JSON.stringify(FUNNEL)],
  );
  const { uuid } = await host.createApplicationPassword(LOGIN, 'agency', {
    expiresAt: new Date('2027-01-31T23:00:00Z'),
    sites: ['demo'],
    rateShare: 20,
  });
  const { write } = host.database;
  await write('host.application_passwords').where({ name: 'test' }).update({ name: 'monthly report' });
  await write('host.application_passwords')
    .whereNot({ uuid })
    .update({ last_used_at: new Date('2026-11-20T06:00:12Z'), last_ip: '192.0.2.7' });
}

async function takeAll(): Promise<void> {
  const executable = findChromium();
  if (executable === undefined) throw new Error('Chromium was not found: set CHROMIUM_PATH.');
  await bundleBrowserModules();
  await mkdir(FOLDER, { recursive: true });
  const users = [{ login: LOGIN, role: 'administrator' }] as const;
  const host = await startTestHost({ name: PRODUCT.name, users, clock: () => NOW });
  try {
    await fillDemo(host);
    const browser = await startChromium(executable);
    try {
      for (const picture of PICTURES) process.stdout.write(await take(browser, host, picture));
    } finally {
      await browser.close();
    }
  } finally {
    await host.stop();
  }
}

void takeAll();
