// Forms that delete, remove or undo something, sent again by a double click or after going back: the list that opens next reports
// that this has already been done.
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

let host: TestHost;
let admin: PageClient;
beforeAll(async () => {
  const goal = { id: 1, name: 'Thanks', type: 'url_match', condition: 'thanks' };
  host = await startTestHost({
    sites: [
      {
        tracking_id: 'shop',
        domain: 'a.example',
        name: 'Shop',
        timezone: 'UTC',
        default: true,
        goals: [goal],
      },
      { tracking_id: 'old', domain: 'b.example', name: 'Old', timezone: 'UTC' },
    ],
    users: [{ login: 'admin', role: 'administrator' }],
  });
  admin = await logInAs(host, 'admin');
});
afterAll(() => host.stop());

const newest = async (table: string, id: string): Promise<number> => {
  const [row] = await host.database.write(table).max({ id });
  return row?.id;
};

async function addFunnel(): Promise<string> {
  const steps = { kind_1: 'page prefix', value_1: '/a', kind_2: 'page contains', value_2: 'cart' };
  await admin.post('/wp-admin/funnels/shop/add', { name: 'Cart', ...steps });
  return `funnels/shop/${await newest('analytics.funnel', 'funnel_id')}/delete`;
}

async function addUser(): Promise<string> {
  const { id } = await host.createUser({ login: 'ana', role: 'analyst', sites: ['shop'] });
  return `users/${id}/delete`;
}

async function addReport(): Promise<string> {
  await host.database.write.raw(
    `INSERT INTO analytics.report (site_id, user_id, login, frequency, recipient, token, covered, next_at)
     SELECT site_id, user_id, login, 'weekly', 'ana@a.example', 'token', now(), now() + interval '1 week'
       FROM analytics.site, host.users WHERE tracking_id = 'shop' AND login = 'admin'`,
  );
  return `reports/${await newest('analytics.report', 'report_id')}/delete`;
}

async function addImport(): Promise<string> {
  const view = { url: 'https://a.example/', access_time: '2026-05-01T10:00:00Z' };
  await host.importRows('allpv', 'shop', [view]);
  return `imports/${await newest('analytics.import_run', 'import_id')}/undo`;
}

async function addDays(): Promise<string> {
  await addImport();
  return 'sites/remove/shop?what=days&from=2026-05-01&to=2026-05-01';
}

test.each([
  ['a goal', async () => 'goals/shop/1/remove', 'goals/shop', /Site shop has no such goal; it may already/],
  ['a funnel', addFunnel, 'funnels?site=shop', /The site has no such funnel; it may already/],
  ['an account', addUser, 'users', /There is no such account; it may already have been deleted\./],
  [
    'a report',
    addReport,
    'reports',
    /There is no such report; it may already have been deleted or stopped\./,
  ],
  ['an import', addImport, 'imports', /Import \d+ was already undone on .* by admin\./],
  ['days', addDays, 'sites', /There was nothing left to remove\./],
  ['a site', async () => 'sites/remove/old?what=site', 'sites', /There is no site old; it may already/],
])('%s', async (_what, add, list, sentence) => {
  const address = `/wp-admin/${await add()}`;
  const { text } = await admin.get(address);
  const [, mark = ''] = /name="mark" value="([^"]+)"/.exec(text) ?? [];
  const submit = () => admin.post(address, mark === '' ? {} : { mark });
  const answers = await Promise.all([submit(), submit()]);
  answers.push(await submit());
  for (const { status, headers } of answers)
    expect([status, headers.location]).toEqual([303, `/wp-admin/${list}`]);
  const shown = await admin.get(`/wp-admin/${list}`);
  expect([shown.status, shown.text]).toEqual([200, expect.stringMatching(sentence)]);
});
