// How long the pages take on the demo site: each page of the menu over HTTP, and the dashboard in Chromium.
import { findChromium, startChromium } from '../tests/browser/support/chromium';
import { logInAs } from '../tests/support/page-client';
import { type NamedTimes, timeRounds } from './http-client';

const DASHBOARD = '/wp-admin/dashboard';
const ROUNDS = 20;

/** Every page in the menu of this administrator, one after the other. */
export async function measurePages(
  url: string,
  login: string,
  password: string,
): Promise<readonly NamedTimes[]> {
  const client = await logInAs({ url }, login, { password });
  const { text } = await client.get(DASHBOARD);
  const menu = text.slice(text.indexOf('<nav'), text.indexOf('</nav>'));
  const all: NamedTimes[] = [];
  for (const [, address = ''] of menu.matchAll(/href="([^"]+)"/g)) {
    const times = await timeRounds(ROUNDS, async () => {
      const answer = await client.get(address);
      const { status } = answer.status === 303 ? await client.follow(answer) : answer;
      if (status !== 200) throw new Error(`${address} answered ${status}.`);
    });
    all.push({ name: address, ...times });
  }
  return all;
}

/** The dashboard from the click to its last panel; undefined without a Chromium. */
export async function measureDashboard(
  url: string,
  login: string,
  password: string,
): Promise<NamedTimes | undefined> {
  const executable = findChromium();
  if (executable === undefined) return undefined;
  const { cookie } = await logInAs({ url }, login, { password });
  const browser = await startChromium(executable);
  try {
    const context = await browser.newContext({ baseURL: url });
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    const times = await timeRounds(ROUNDS, async () => {
      await page.goto(DASHBOARD, { waitUntil: 'commit' });
      await page.locator('#dashboard[data-waiting="0"]').waitFor();
      const failed = await page.locator('[data-state="failed"]').count();
      if (failed > 0) throw new Error(`${failed} panels of the dashboard failed.`);
    });
    return { name: `${DASHBOARD}, to the last panel`, ...times };
  } finally {
    await browser.close();
  }
}
