// A host with two sites. Names, titles and goals contain HTML, German and Japanese. The page views are recent, so
// that the dashboard shows data.
import type { TestHost, TestHostOptions } from '../../../support/test-host';
import { startBrowserHost } from './browser-host';

/** Runs a script if it is ever inserted into a page as HTML: see `WAS_HACKED`. */
export const HOSTILE = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'</textarea>`;
export const GERMAN = 'Größe, Maß & Übermut – „Straße“';
export const JAPANESE = '東京のお店:価格とサイズ';

/** An expression for page.evaluate: whether hostile text was executed. */
export const WAS_HACKED = 'window.hacked === 1';

const DAY = 86_400;
const TITLES = [HOSTILE, GERMAN, JAPANESE];

/** Five views a day for ten days. The latest view is a day old. */
function views(now: Date): readonly object[] {
  const end = Math.floor(now.getTime() / 1000) - DAY;
  return Array.from({ length: 50 }, (_unused, at) => ({
    access_time: end - at * (DAY / 5),
    session_id: Math.floor(at / 2) + 1,
    reader_id: Math.floor(at / 10) + 1,
    pv: (at % 2) + 1,
    url: `https://shop.example/${at % 3}/${encodeURIComponent(HOSTILE)}`,
    title: `${TITLES[at % 3]} ${at % 3}`,
    source_domain: at % 4 === 0 ? HOSTILE : null,
    country_code: at % 2 === 0 ? 'JP' : 'DE',
    device_type: at % 3 === 0 ? 'SP' : 'PC',
  }));
}

const FUNNEL = [
  { kind: 'page', op: 'contains', value: 'shop.example/' },
  { kind: 'page', op: 'prefix', value: '/2/' },
  { kind: 'goal', goal: 1 },
];

/** `ann` is an administrator. `bob` is an analyst who sees only the blog. */
export async function startShop(options: TestHostOptions = {}): Promise<TestHost> {
  const host = await startBrowserHost({
    sites: [
      {
        tracking_id: 'shop',
        domain: 'shop.example',
        name: `${JAPANESE} ${HOSTILE}`,
        timezone: 'Asia/Tokyo',
        default: true,
        goals: [{ id: 1, name: HOSTILE, type: 'url_match', condition: HOSTILE }],
      },
      { tracking_id: 'blog', domain: 'blog.example', name: GERMAN, timezone: 'Europe/Berlin' },
    ],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst', sites: ['blog'] },
    ],
    ...options,
  });
  await host.importRows('allpv', 'shop', views(new Date()));
  await host.database.write.raw(
    'INSERT INTO analytics.funnel (site_id, name, steps) SELECT site_id, ?, ? FROM analytics.site WHERE tracking_id = ?',
    [HOSTILE, JSON.stringify(FUNNEL), 'shop'],
  );
  return host;
}
