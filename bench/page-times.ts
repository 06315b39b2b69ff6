// Owns how long the pages take on the demo: each page of the menu by HTTP, and the dashboard in Chromium to its last panel.
// A running host in -> milliseconds. Pages are asked with the cookie of a session, one after the other.
import { findChromium, startChromium } from '../tests/browser/support/chromium';
import { logInAs, type PageClient } from '../tests/support/page-client';
import { median } from './request-cost';

export interface PageTime {
  readonly address: string;
  readonly firstMs: number;
  readonly usualMs: number;
}

const ROUNDS = 20;

/** The first time, and the median of those after it. */
async function timesOf(address: string, ask: () => Promise<void>): Promise<PageTime> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const started = performance.now();
    await ask();
    times.push(performance.now() - started);
  }
  return { address, firstMs: times[0] ?? 0, usualMs: median(times.slice(1)) };
}

async function menuOf(client: PageClient): Promise<readonly string[]> {
  const { text } = await client.get('/wp-admin/dashboard');
  const menu = text.slice(text.indexOf('<nav'), text.indexOf('</nav>'));
  return [...menu.matchAll(/href="([^"]+)"/g)].map(([, address = '']) => address);
}

/** Every page of the menu of this administrator. */
export async function measurePages(
  url: string,
  login: string,
  password: string,
): Promise<readonly PageTime[]> {
  const client = await logInAs({ url }, login, { password });
  const times: PageTime[] = [];
  for (const address of await menuOf(client)) {
    times.push(
      await timesOf(address, async () => {
        const answer = await client.get(address);
        const { status } = answer.status === 303 ? await client.follow(answer) : answer;
        if (status !== 200) throw new Error(`${address} answers ${status}.`);
      }),
    );
  }
  return times;
}

/** The dashboard from the click to its last panel; undefined without a Chromium. */
export async function measureDashboard(
  url: string,
  login: string,
  password: string,
): Promise<PageTime | undefined> {
  const executable = findChromium();
  if (executable === undefined) return undefined;
  const { cookie } = await logInAs({ url }, login, { password });
  const browser = await startChromium(executable);
  try {
    const context = await browser.newContext({ baseURL: url });
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    return await timesOf('/wp-admin/dashboard, to the last panel', async () => {
      await page.goto('/wp-admin/dashboard', { waitUntil: 'commit' });
      await page.locator('#dashboard[data-waiting="0"]').waitFor();
      const failed = await page.locator('[data-state="failed"]').count();
      if (failed > 0) throw new Error(`${failed} panels of the dashboard failed.`);
    });
  } finally {
    await browser.close();
  }
}
