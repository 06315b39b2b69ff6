// Opens a page on a test host, and fails on errors, policy violations and requests to other origins. Usage: await
// withPage(browser, host, { as: 'ann' }, async (page) => { ... }).
import type { Browser, BrowserContext, BrowserContextOptions, Page, Response } from 'playwright-core';
import { sessionCookie } from '../../../support/page-client';
import type { TestHost } from '../../../support/test-host';

export interface PageOptions {
  /** The login of a user who is already logged in. */
  readonly as?: string;
  readonly dark?: boolean;
  readonly width?: number;
  readonly script?: boolean;
  readonly timezone?: string;
  readonly clipboard?: boolean;
  /** Other origins that the test visits intentionally. */
  readonly alsoTo?: readonly string[];
}

/** Console errors about the statuses of pages and requests, which the tests check themselves. */
const STATUS_ERROR = /^Failed to load resource: the server responded with a status of/;
const TIMEOUT_MS = 120_000;
const VIEWPORT = { width: 1280, height: 900 };

function brokenPart(response: Response): string | undefined {
  const kind = response.request().resourceType();
  const isPart = ['script', 'stylesheet', 'image', 'font'].includes(kind);
  return isPart && response.status() >= 400 ? `${response.status()} for ${response.url()}` : undefined;
}

/** Collects everything that pages do but must not. Policy violations are logged in the console. */
function watch(page: Page, origins: readonly string[], problems: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error' && !STATUS_ERROR.test(message.text()))
      problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => void problems.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && !origins.includes(origin))
      problems.push(`request to ${request.url()}`);
  });
  page.on('response', (response) => {
    const broken = brokenPart(response);
    if (broken !== undefined) problems.push(broken);
  });
}

/** Logs a user in, and adds the session cookie to the context. */
export async function addCookie(context: BrowserContext, host: TestHost, login: string): Promise<void> {
  const [name = '', ...value] = (await sessionCookie(host, login)).split('=');
  await context.addCookies([
    { name, value: value.join('='), url: host.url, httpOnly: true, sameSite: 'Lax' },
  ]);
}

interface OpenContext {
  readonly context: BrowserContext;
  /** This page stays open, so that the next page gets a warm browser process. */
  readonly keeper: Page;
}

/** Contexts that are not in use, by browser and settings. Creating a context takes longer than most tests. */
const idleContexts = new WeakMap<Browser, Map<string, OpenContext[]>>();

async function openContext(browser: Browser, settings: BrowserContextOptions): Promise<OpenContext> {
  const context = await browser.newContext(settings);
  context.setDefaultTimeout(TIMEOUT_MS);
  const keeper = await context.newPage();
  await keeper.goto('/readyz');
  return { context, keeper };
}

/** Removes everything that a test left behind, except the HTTP cache. */
async function reset({ context, keeper }: OpenContext): Promise<void> {
  context.removeAllListeners('page');
  await Promise.all(context.pages().map((page) => (page === keeper ? undefined : page.close())));
  await Promise.all([context.clearCookies(), context.clearPermissions()]);
  await keeper.evaluate('localStorage.clear()');
}

/** Runs `act` on a new page without cookies or storage, and fails if the page did anything that pages must not do. */
export async function withPage(
  browser: Browser,
  host: TestHost,
  { as, dark = false, width = VIEWPORT.width, alsoTo = [], ...others }: PageOptions,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const settings = {
    baseURL: host.url,
    viewport: VIEWPORT,
    javaScriptEnabled: others.script ?? true,
    timezoneId: others.timezone ?? 'UTC',
    locale: 'en-GB',
  };
  const bySettings = idleContexts.get(browser) ?? new Map<string, OpenContext[]>();
  idleContexts.set(browser, bySettings);
  const key = JSON.stringify(settings);
  const idle = bySettings.get(key) ?? [];
  bySettings.set(key, idle);
  const opened = idle.pop() ?? (await openContext(browser, settings));
  const { context } = opened;
  try {
    if (as !== undefined) await addCookie(context, host, as);
    // All other permissions are denied.
    await context.grantPermissions(others.clipboard === true ? ['clipboard-read', 'clipboard-write'] : []);
    const problems: string[] = [];
    context.on('page', (page) => watch(page, [host.url, ...alsoTo], problems));
    const page = await context.newPage();
    if (width !== VIEWPORT.width) await page.setViewportSize({ ...VIEWPORT, width });
    if (dark) await page.emulateMedia({ colorScheme: 'dark' });
    await act(page);
    expect(problems).toEqual([]);
  } finally {
    await reset(opened);
    idle.push(opened);
  }
}

/** The number of pixels by which the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** The first elements that overflow the window, for the error message. */
export const stickingOut = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`[...document.body.querySelectorAll('*')]
    .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .filter((one) => !one.parentElement.closest('.scroll, .figures, pre, .cm-editor, .row-words'))
    .slice(0, 5).map((one) => one.outerHTML.slice(0, 160))`);
