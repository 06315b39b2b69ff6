// Scheduled reports: the page, what is sent and when, and how a recipient stops a report. Real servers receive the e-mails and
// webhooks.

import { loadAnalytics } from '../../extension/api/analytics';
import { MAX_ATTEMPTS } from '../../extension/pages/reports/report-state';
import { reportsCheck } from '../../extension/pages/reports/reports-check';
import { sendDueReports } from '../../extension/pages/reports/send-reports';
import { MAX_REPORTS } from '../../extension/pages/reports/stored-reports';
import { createMessages } from '../../host-shim/alarms/messages';
import { signatureOf } from '../../host-shim/alarms/webhook';
import type { Messages } from '../../host-shim/extension-api';
import { configure } from '../../host-shim/server/config';
import { logInAs, type PageClient, sendPageRequest } from '../support/page-client';
import { type MailReceiver, receiveMail, receiveWebhooks, type WebhookReceiver } from '../support/receivers';
import { removalHost } from '../support/removal-host';
import { SETTINGS, startTestHost, type TestHost } from '../support/test-host';

const PAGE = '/wp-admin/reports';
const PUBLIC_URL = 'https://stats.shop.example';
const HOSTILE = '<img src=x onerror=alert(1)>';
const SECRET = 'a-secret-of-16-chars';
/** A Saturday. */
const START = '2026-11-21T10:00:00Z';

let now = new Date(START);
let mail: MailReceiver;
let hook: WebhookReceiver;
let host: TestHost;
let ann: PageClient;
let bob: PageClient;
let settings: Readonly<Record<string, string>>;
const signal = new AbortController().signal;

const view = (pvId: number, reader: number, time: string, url: string, source?: string) => ({
  pv_id: pvId,
  reader_id: reader,
  session_id: pvId,
  access_time: time,
  url: `https://shop.example${url}`,
  title: url === '/' ? HOSTILE : `Page ${url}`,
  ...(source !== undefined && { source_domain: source }),
});

beforeAll(async () => {
  mail = await receiveMail();
  hook = await receiveWebhooks();
  settings = {
    QAL_SMTP_URL: mail.url,
    QAL_MAIL_FROM: 'qal@shop.example',
    QAL_WEBHOOK_SECRET: SECRET,
    QAL_WEBHOOK_PRIVATE: 'on',
    QAL_PUBLIC_URL: PUBLIC_URL,
  };
  host = await startTestHost({
    clock: () => now,
    sites: [
      {
        tracking_id: 'shop',
        domain: 'shop.example',
        name: 'Shop & Co',
        timezone: 'Asia/Tokyo',
        default: true,
      },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst', sites: ['shop'] },
      { login: 'eve', role: 'analyst', sites: ['blog'] },
      { login: 'vic', role: 'viewer', sites: ['shop'] },
    ],
    hostSettings: settings,
  });
  await host.importRows('allpv', 'shop', [
    // Monday, November 9 in Tokyo, and the week after it.
    view(1, 1, '2026-11-08T16:00:00Z', '/'),
    view(2, 2, '2026-11-10T10:00:00Z', '/'),
    view(3, 1, '2026-11-15T15:00:00Z', '/', 'news.example'),
    view(4, 2, '2026-11-17T10:00:00Z', '/about'),
    view(5, 3, '2026-11-17T11:00:00Z', '/'),
    view(6, 4, '2026-11-22T14:59:59Z', '/'),
    // Monday, November 23.
    view(7, 5, '2026-11-22T15:00:00Z', '/'),
  ]);
  ann = await logInAs(host, 'ann');
  bob = await logInAs(host, 'bob');
});
afterAll(async () => {
  await host.stop();
  mail.close();
  hook.close();
});
beforeEach(async () => {
  now = new Date(START);
  mail.refuse(undefined);
  await stored().delete();
  await host.database.write('analytics.report_test').delete();
});

const stored = () => host.database.write('analytics.report').orderBy('report_id');
const add = (who: PageClient, recipients: string, more: object = {}) =>
  who.post(PAGE, { site: 'shop', frequency: 'weekly', recipients, ...more });

const clock = () => now;
const messagesOf = (hostSettings: Readonly<Record<string, string>>) =>
  createMessages(configure([], hostSettings).config, clock);

/** One of the installation's servers, with only what reports need. */
const startServer = (messages: Messages = messagesOf(settings)) =>
  loadAnalytics({ ...removalHost(host.database, clock), messages, publicUrl: PUBLIC_URL }, SETTINGS);

/** The e-mails that arrive while `act` runs. */
async function mailsOf(act: () => Promise<unknown>): Promise<readonly string[]> {
  const before = mail.mails().length;
  await act();
  return mail.mails().slice(before).map(decoded);
}

/** Decodes an email, whose parts are quoted-printable. */
function decoded(mail: string): string {
  const end = mail.indexOf('\r\n\r\n');
  const bytes = mail
    .slice(end)
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return mail.slice(0, end) + Buffer.from(bytes, 'latin1').toString();
}

const sendAt = async (time: string, server = startServer()) => {
  now = new Date(time);
  const analytics = await server;
  return mailsOf(() => sendDueReports(analytics, signal));
};

// conformance: beyond.reports
test("a weekly report contains the numbers for the site's last complete week and the change from the week before", async () => {
  const added = await add(bob, 'bob@shop.example');
  expect(added.status).toBe(303);
  expect((await bob.follow(added)).text).toContain('will be sent on Monday');
  // Monday at 7 in Tokyo.
  expect(await sendAt('2026-11-22T21:59:00Z')).toEqual([]);
  const [sent = '', ...others] = await sendAt('2026-11-22T22:00:00Z');
  expect(others).toEqual([]);
  expect(sent).toContain('To: bob@shop.example');
  expect(sent).toContain('Subject: Shop & Co: 16 to 22 November 2026');
  expect(sent).toMatch(/Visitors +4 +\+100%/);
  expect(sent).toMatch(/Page views +4 +\+100%/);
  expect(sent).toContain('Changes are compared with 9 to 15 November 2026.');
  expect(sent).toContain('Top pages (visitors, page views)');
  expect(sent).toContain('1, 1: Page /about https://shop.example/about');
  expect(sent).toContain('news.example');
  expect(sent).toContain(`${PUBLIC_URL}/wp-admin/dashboard?site=shop&from=2026-11-16&to=2026-11-22`);
  const html = sent.slice(sent.indexOf('<!doctype html>'));
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(html).not.toMatch(/<img|<script|<link|url\(|src=["']?http/);
  expect(await sendAt('2026-11-22T22:01:00Z')).toEqual([]);
  expect(await sendAt('2026-11-29T21:59:00Z')).toEqual([]);
  expect((await sendAt('2026-11-29T22:00:00Z')).length).toBe(1);
});

// conformance: beyond.reports
test('a monthly report compares whole months and shows the date of the newest data', async () => {
  await add(bob, 'bob@shop.example', { frequency: 'monthly' });
  expect(await sendAt('2026-11-30T21:59:00Z')).toEqual([]);
  const [sent] = await sendAt('2026-11-30T22:00:00Z');
  expect(sent).toContain('Subject: Shop & Co: November 2026');
  expect(sent).toContain(
    'There is no earlier data to compare with. The newest data is from 23 November 2026.',
  );
  expect(sent).toMatch(/Visitors +5\r\n/);
  expect((await stored())[0].next_at).toEqual(new Date('2026-12-31T22:00:00Z'));
});

// conformance: beyond.reports
test('only one of several servers sends a report, and a server that was off for weeks sends only the newest one', async () => {
  await add(bob, 'bob@shop.example, other@shop.example');
  // Times in the database are more precise than JavaScript dates.
  await host.database.write.raw(`UPDATE analytics.report SET next_at = next_at - interval '1 microsecond'`);
  const servers = await Promise.all(Array.from({ length: 3 }, () => startServer()));
  now = new Date('2026-12-09T00:00:00Z');
  const sent = await mailsOf(() => Promise.all(servers.map((server) => sendDueReports(server, signal))));
  expect(sent.map((text) => /^To: (.*)\r$/m.exec(text)?.[1]).sort()).toEqual([
    'bob@shop.example',
    'other@shop.example',
  ]);
  expect(sent[0]).toContain('from=2026-11-30&to=2026-12-06');
});

// conformance: beyond.reports
test("no week is repeated when the site's time zone changes", async () => {
  await add(bob, 'bob@shop.example');
  const zone = (timezone: string) =>
    host.database.write('analytics.site').where('tracking_id', 'shop').update({ timezone });
  await zone('America/Los_Angeles');
  try {
    expect(await sendAt('2026-11-22T22:00:00Z')).toEqual([]);
    expect((await sendAt('2026-11-23T15:00:00Z'))[0]).toContain('from=2026-11-16&to=2026-11-22');
  } finally {
    await zone('Asia/Tokyo');
  }
});

// conformance: beyond.reports
test('a report that fails is retried at increasing intervals; after the last attempt, it waits until the next period', async () => {
  await add(bob, 'bob@shop.example');
  const server = await startServer();
  mail.refuse('550 no such mailbox');
  let time = Date.parse('2026-11-22T22:00:00Z');
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    now = new Date(time);
    await sendDueReports(server, signal);
    const [{ next_at: next, attempts, fault }] = await stored();
    expect(fault).toContain('550 no such mailbox');
    expect(attempts).toBe(attempt % MAX_ATTEMPTS);
    pauses.push((next.getTime() - time) / 60_000);
    time = next.getTime();
  }
  expect(pauses.slice(0, -1)).toEqual([5, 10, 20, 40, 80, 160, 320]);
  expect(now.getTime() - Date.parse('2026-11-22T22:00:00Z')).toBeLessThan(11 * 3_600_000);
  expect(new Date(time)).toEqual(new Date('2026-11-29T22:00:00Z'));
  const check = reportsCheck(server);
  expect(await check.look()).toMatchObject({
    state: 'warning',
    brief: '1 report could not be sent',
    about: expect.stringContaining('The weekly report on shop to bob@shop.example, by bob:'),
  });
  expect((await bob.get(PAGE)).text).toContain('550 no such mailbox');
  mail.refuse(undefined);
  expect((await sendAt(new Date(time).toISOString(), Promise.resolve(server))).length).toBe(1);
  expect(await check.look()).toEqual({ state: 'fine', brief: 'no failed reports' });
});

// conformance: beyond.reports
test('an attempt whose server is stopped does not count as a failure, and is repeated', async () => {
  await add(bob, 'bob@shop.example');
  const stopped = new AbortController();
  const sendMail = async () => {
    stopped.abort();
    throw new Error('stopped');
  };
  now = new Date('2026-11-22T22:00:00Z');
  await sendDueReports(await startServer({ sendMail }), stopped.signal);
  expect((await stored())[0]).toMatchObject({ attempts: 1, fault: null, covered: '2026-11-09' });
  expect(await sendAt('2026-11-22T22:04:59Z')).toEqual([]);
  expect(await sendAt('2026-11-22T22:05:00Z')).toHaveLength(1);
});

describe('a report is not sent if its owner no longer has the necessary rights', () => {
  const asAccount = async (login: string, change: object, act: () => Promise<void>) => {
    const account = () => host.database.write('host.users').where({ login });
    const [{ role, disabled }] = await account();
    await account().update(change);
    try {
      await act();
    } finally {
      await account().update({ role, disabled });
    }
  };

  // conformance: beyond.reports
  test('a site that the owner may no longer see', async () => {
    await add(bob, 'bob@shop.example');
    const sites = () => host.database.write('host.user_sites').where('tracking_id', 'shop');
    const granted = await sites();
    await sites().delete();
    try {
      expect(await sendAt('2026-11-22T22:00:00Z')).toEqual([]);
      expect((await bob.get(PAGE)).text).toContain('The account bob may no longer send this report.');
    } finally {
      await host.database.write('host.user_sites').insert(granted);
    }
    expect((await sendAt('2026-11-22T22:05:00Z')).length).toBe(1);
  });

  test.each([
    ['an account that is disabled', { disabled: true }, 'The account bob is disabled.'],
    ['a viewer', { role: 'viewer' }, 'The account bob may no longer send this report.'],
  ])('%s', async (_title, change, fault) => {
    await add(bob, 'bob@shop.example');
    await asAccount('bob', change, async () => {
      expect(await sendAt('2026-11-22T22:00:00Z')).toEqual([]);
    });
    expect((await stored())[0].fault).toBe(fault);
  });

  test('a webhook from an account that is no longer an administrator', async () => {
    await add(ann, hook.url);
    await asAccount('ann', { role: 'analyst' }, async () => {
      await sendAt('2026-11-22T22:00:00Z');
    });
    expect(hook.received).toEqual([]);
    expect((await stored())[0].fault).toBe('The account ann may no longer send this report.');
  });
});

// conformance: beyond.reports
test('a webhook receives the same numbers as signed JSON', async () => {
  expect((await add(ann, hook.url)).status).toBe(303);
  await sendAt('2026-11-22T22:00:00Z');
  const [{ headers, body } = { headers: undefined, body: '' }] = hook.received;
  const { figures, lists, dashboard, ...head } = JSON.parse(body);
  expect(head).toEqual({
    report: 'weekly',
    site: { tracking_id: 'shop', name: 'Shop & Co', timezone: 'Asia/Tokyo' },
    period: { first: '2026-11-16', last: '2026-11-22' },
    before: { first: '2026-11-09', last: '2026-11-15' },
    newest_day: '2026-11-23',
    changed_while_read: false,
  });
  expect(figures).toMatchObject({ visitors: { value: 4, before: 2 }, views: { value: 4, before: 2 } });
  expect(lists.page[0]).toEqual({ title: HOSTILE, url: 'https://shop.example/', visitors: 3, views: 3 });
  expect(lists.source.map(({ visitors }: { visitors: number }) => visitors)).toEqual([3, 1]);
  expect(dashboard).toContain(`${PUBLIC_URL}/wp-admin/dashboard?site=shop`);
  expect(headers?.['x-qal-signature']).toBe(signatureOf(SECRET, now.getTime() / 1000, body));
  expect(body).not.toContain((await stored())[0].token);
});

// attack: webhook-private-address
test('a webhook on the local network is rejected unless the setting allows it', async () => {
  await add(ann, hook.url);
  const before = hook.received.length;
  await sendAt('2026-11-22T22:00:00Z', startServer(messagesOf({ ...settings, QAL_WEBHOOK_PRIVATE: 'off' })));
  expect(hook.received).toHaveLength(before);
  expect((await stored())[0].fault).toContain('QAL_WEBHOOK_PRIVATE=on');
});

describe('the page', () => {
  test('sends a test immediately, but at most once a minute, and does not change the schedule', async () => {
    await add(bob, 'bob@shop.example');
    const [{ report_id: id, next_at: next }] = await stored();
    const sent = await mailsOf(async () => {
      const tested = await bob.post(`${PAGE}/${id}/test`, {});
      expect((await bob.follow(tested)).text).toContain('The test was sent to bob@shop.example.');
    });
    expect(sent[0]).toContain('from=2026-11-09&to=2026-11-15');
    const again = await bob.post(`${PAGE}/${id}/test`, {});
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('less than a minute ago')]);
    await bob.post(`${PAGE}/${id}/delete`, {});
    await add(bob, 'BOB@shop.example');
    const [{ report_id: second }] = await stored();
    expect((await bob.post(`${PAGE}/${second}/test`, {})).status).toBe(409);
    now = new Date(now.getTime() + 60_000);
    mail.refuse('550 no such mailbox');
    const failed = await bob.post(`${PAGE}/${second}/test`, {});
    expect([failed.status, failed.text]).toEqual([409, expect.stringContaining('550 no such mailbox')]);
    expect((await stored())[0]).toMatchObject({ next_at: next, attempts: 0, covered: '2026-11-09' });
  });

  test('sends only one test per minute to a recipient, even if several accounts request it', async () => {
    await add(bob, 'cat@shop.example');
    await add(ann, 'Cat@shop.example');
    const [ofBob, ofAnn] = await stored();
    const responses = await Promise.all([
      bob.post(`${PAGE}/${ofBob.report_id}/test`, {}),
      ann.post(`${PAGE}/${ofAnn.report_id}/test`, {}),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([303, 409]);
    now = new Date(now.getTime() - 3_600_000);
    expect((await bob.post(`${PAGE}/${ofBob.report_id}/test`, {})).status).toBe(303);
  });

  test.each([
    ['a missing recipient', '', {}, 'Enter an e-mail address.'],
    ['text that is not an address', 'bob', {}, 'bob is not an e-mail address.'],
    ['a group', 'a:bob@shop.example', {}, 'is not an e-mail address.'],
    ['a script', '"<script>@x', {}, 'is not an e-mail address.'],
    ['a site that the user may not see', 'bob@shop.example', { site: 'blog' }, 'Choose one of your sites.'],
    ['an unknown frequency', 'bob@shop.example', { frequency: 'daily' }, 'Choose weekly or monthly.'],
    [
      'too many recipients',
      Array.from({ length: 21 }, (_, at) => `a${at}@b.example`).join(),
      {},
      'at most 20',
    ],
  ])('rejects %s', async (_title, recipients, more, message) => {
    const { status, text } = await add(bob, recipients, more);
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
    expect(await stored()).toEqual([]);
  });

  // attack: webhook-of-an-analyst
  test('rejects a webhook from an analyst', async () => {
    const { status, text } = await add(bob, 'https://hooks.example/');
    expect([status, text]).toEqual([400, expect.stringContaining('Only administrators can add webhooks.')]);
    expect(await stored()).toEqual([]);
  });

  test('rejects reports beyond the limit, even with concurrent requests', async () => {
    const list = (from: number) => Array.from({ length: 20 }, (_, at) => `a${from + at}@b.example`).join();
    for (let from = 0; from < MAX_REPORTS - 20; from += 20) await add(bob, list(from));
    const both = await Promise.all([add(bob, list(900)), add(bob, list(800))]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect([(await add(bob, list(0))).status, (await stored()).length]).toEqual([303, MAX_REPORTS]);
  });

  test('adds each recipient only once', async () => {
    await add(bob, 'bob@shop.example');
    expect((await add(bob, 'Bob@shop.example bob@shop.example')).status).toBe(303);
    expect(await stored()).toHaveLength(1);
  });

  test('shows users only their own reports; administrators see and can delete all of them', async () => {
    await add(bob, 'bob@shop.example');
    const [{ report_id: id }] = await stored();
    const eve = await logInAs(host, 'eve');
    expect((await eve.get(PAGE)).text).not.toContain('bob@shop.example');
    for (const action of ['test', 'delete'])
      expect((await eve.post(`${PAGE}/${id}/${action}`, {})).headers.location).toBe(PAGE);
    expect((await bob.get(`${PAGE}/${id}/delete`)).status).toBe(404);
    expect((await ann.get(PAGE)).text).toContain('bob@shop.example');
    expect((await ann.post(`${PAGE}/${id}/delete`, {})).status).toBe(303);
    expect(await stored()).toEqual([]);
  });

  test('cannot be opened by viewers', async () => {
    const vic = await logInAs(host, 'vic');
    expect((await vic.get(PAGE)).status).toBe(403);
    expect((await add(vic, 'vic@shop.example')).status).toBe(403);
  });
});

// attack: forged-host-of-report
test('a forged host name in a request does not appear in any email', async () => {
  const forged = { Host: 'evil.example', Origin: 'http://evil.example', 'X-Forwarded-Host': 'evil.example' };
  const send = (path: string, fields: object = {}) =>
    bob.send(path, { headers: forged, fields: { _wpnonce: bob.nonce, ...fields } });
  const recipients = 'cat@shop.example';
  expect((await send(PAGE, { site: 'shop', frequency: 'weekly', recipients })).status).toBe(303);
  const [{ report_id: id }] = await stored();
  const sent = [
    ...(await mailsOf(() => send(`${PAGE}/${id}/test`))),
    ...(await sendAt('2026-11-22T22:00:00Z')),
  ];
  expect(sent).toHaveLength(2);
  expect(sent.join()).not.toContain('evil.example');
});

test('without a public URL, a stored report is not sent, and the reason is stored', async () => {
  await add(bob, 'bob@shop.example');
  const messages = messagesOf(settings);
  const server = loadAnalytics({ ...removalHost(host.database, clock), messages }, SETTINGS);
  expect(await sendAt('2026-11-22T22:00:00Z', server)).toEqual([]);
  expect((await stored())[0].fault).toContain('QAL_PUBLIC_URL');
});

describe('the link in an email', () => {
  async function linkOf(): Promise<string> {
    await add(bob, 'bob@shop.example');
    const [sent = ''] = await sendAt('2026-11-22T22:00:00Z');
    const link = /^List-Unsubscribe: <([^>]+)>\r$/m.exec(sent.replace(/\r\n /g, ' '))?.[1] ?? '';
    expect(sent).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(sent.replace(/\s/g, '')).toContain(`Tostopit:${link}`);
    return link.slice(PUBLIC_URL.length);
  }

  // conformance: beyond.reports
  test('asks for confirmation, and then stops the report without a login', async () => {
    const link = await linkOf();
    const confirmation = await sendPageRequest(host, link);
    expect([confirmation.status, confirmation.text]).toEqual([
      200,
      expect.stringContaining('<button>Stop the report</button>'),
    ]);
    expect(await stored()).toHaveLength(1);
    const done = await sendPageRequest(host, link, { fields: {} });
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('You will not receive any')]);
    expect(await stored()).toEqual([]);
    const again = await sendPageRequest(host, link);
    expect([again.status, again.text]).toEqual([404, expect.stringContaining('The report was stopped')]);
    expect(JSON.stringify(host.logged)).not.toContain(new URL(link, host.url).searchParams.get('end'));
  });

  test('can be used by mail programs with one click', async () => {
    const link = await linkOf();
    const fields = { 'List-Unsubscribe': 'One-Click' };
    const headers = { Origin: 'https://mail.example', 'Sec-Fetch-Site': 'cross-site' };
    expect((await sendPageRequest(host, link, { fields, headers })).status).toBe(200);
    expect(await stored()).toEqual([]);
  });

  test.each(['', '?end=', '?end=x', '?end=%00'])('does not work with the query string %j', async (search) => {
    await add(bob, 'bob@shop.example');
    expect((await sendPageRequest(host, `/link/reports${search}`, { fields: {} })).status).toBe(404);
    expect(await stored()).toHaveLength(1);
  });
});

// conformance: beyond.reports
test('deleting a site or an account deletes its reports', async () => {
  const { id } = await host.createUser({ login: 'max', role: 'analyst', sites: ['shop', 'blog'] });
  const max = await logInAs(host, 'max');
  await add(max, 'max@shop.example');
  await add(ann, 'ann@shop.example');
  const heir = await host.database.write('host.users').where('login', 'ann').first('user_id');
  expect((await ann.post(`/wp-admin/users/${id}/delete`, { heir: String(heir?.user_id) })).status).toBe(303);
  expect((await stored()).map(({ login }) => login)).toEqual(['ann']);
  await host.database.write('analytics.site').where('tracking_id', 'shop').delete();
  expect(await stored()).toEqual([]);
});
