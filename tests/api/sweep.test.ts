// Calls every route, page and command of the extension once, and expects none to fail. Other tests check responses; this one also
// runs on a Citus cluster (`make test-citus`), which rejects some statements that a single PostgreSQL server accepts.
import { analyticsCommands } from '../../extension/commands/commands';
import { logInAs, type PageClient } from '../support/page-client';
import { SETTINGS, startTestHost, type TestHost } from '../support/test-host';
import {
  askRoutes,
  COMMANDS,
  FUNNEL,
  fillSites,
  openPages,
  PAGES,
  ROUTES,
  runCommands,
  sweepSite,
} from './sweep-requests';

let host: TestHost;
let ann: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    sites: ['shop', 'blog'].map(sweepSite),
    users: [{ login: 'ann', role: 'administrator' }],
  });
  await fillSites(host);
  ann = await logInAs(host, 'ann');
  await ann.post('/wp-admin/funnels/shop/add', FUNNEL);
});
afterAll(() => host.stop());

const EXTENSION = /^\/(qa-platform|qal-data)/;

test('every route responds as expected', async () => {
  expect(await askRoutes(host, ann)).toEqual([]);
  const { body: index } = await host.request('GET', '/wp-json/', { user: 'ann' });
  const isRequested = (method: string, pattern: string) =>
    ROUTES.some(([one, path]) => one === method && new RegExp(`^${pattern}$`).test(pathOf(path)));
  const published = Object.entries<{ methods: readonly string[] }>(index.routes).flatMap(
    ([path, { methods }]) =>
      EXTENSION.test(path) ? methods.map((method) => [method, path.replaceAll('(?P<', '(?<')] as const) : [],
  );
  expect(published.filter(([method, pattern]) => !isRequested(method, pattern))).toEqual([]);
});

const pathOf = (path: string): string => path.replace(/\?.*/, '').replace(/\{.*\}/, '1');

test('every page opens, and its forms work', async () => {
  expect(await openPages(ann)).toEqual([]);
  const { text } = await ann.get('/wp-admin/health');
  const listed = [...text.matchAll(/<a href="\/wp-admin\/([\w-]+)"/g)].map(([, slug]) => slug ?? '');
  const opened = PAGES.map(([path]) => path.replace(/\W.*/, ''));
  expect(listed.filter((slug) => !opened.includes(slug) && !HOST_PAGES.includes(slug))).toEqual([]);
});

/** These pages show no collected data. */
const HOST_PAGES = [
  'users',
  'extensions',
  'profile',
  'application-passwords',
  'links',
  'connection',
  'authorize-application',
];

test('every command runs', async () => {
  expect(await runCommands(host.database)).toEqual([]);
  expect(Object.keys(COMMANDS)).toEqual(analyticsCommands(SETTINGS).map(({ name }) => name));
});
