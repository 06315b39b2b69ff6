// The features that all pages share: permissions, the menu, notices, error pages, the user's time zone, and colors.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimezone } from '../../host-shim/accounts/users';
import { type AdminRequest, PageError } from '../../host-shim/extension-api';
import { logInAs, type PageClient } from '../support/page-client';
import { pageExtension, testPage } from '../support/page-extension';
import { startTestHost, type TestHost } from '../support/test-host';
import { until } from '../support/until';

const FAULT_VIEW = 'host-shim/admin/views/fault';

let host: TestHost;
let ann: PageClient;
let bob: PageClient;
const seen: AdminRequest[] = [];

const testPages = [
  testPage('echo', async (request) => {
    seen.push(request);
    return { kind: 'page', view: FAULT_VIEW, data: { message: 'echoed' } };
  }),
  testPage('breaks', async () => {
    throw new Error('an internal secret');
  }),
  testPage('conflict', async () => {
    throw new PageError(409, 'Somebody else was <faster>.');
  }),
  testPage('gone', async () => {
    throw new PageError(404, 'Somebody was <faster>.', '/wp-admin/echo');
  }),
  testPage('refuses', async ({ query }) => ({
    kind: 'page',
    view: FAULT_VIEW,
    data: { message: '' },
    status: Number(query.status),
  })),
  {
    ...testPage('plain', async () => ({ kind: 'page', view: FAULT_VIEW, data: { message: '' } })),
    takes: {},
  },
  testPage('styled', async () => ({
    kind: 'page',
    view: FAULT_VIEW,
    data: { message: '' },
    styles: ['extension/extension'],
  })),
  testPage('notices', async () => ({ kind: 'redirect', to: '/wp-admin/echo', notice: 'Kept <once>.' })),
  testPage('leaves', async ({ query }) => ({ kind: 'redirect', to: query.to ?? '' })),
  testPage('policy', async ({ query }) => ({
    kind: 'page',
    view: FAULT_VIEW,
    data: { message: '' },
    formTargets: [query.target ?? ''],
  })),
];

beforeAll(async () => {
  host = await startTestHost({
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst' },
    ],
    extensions: [pageExtension(testPages)],
  });
  ann = await logInAs(host, 'ann');
  bob = await logInAs(host, 'bob');
});
afterAll(() => host.stop());

const menuOf = (text: string): string[] =>
  [
    ...((text.split('<nav class="menu"')[1] ?? '')
      .split('</nav>')[0]
      ?.matchAll(/href="\/wp-admin\/([^"]*)"/g) ?? []),
  ].map(([, slug = '']) => slug);

describe('the menu', () => {
  test('shows the permitted pages, and marks the current one', async () => {
    const annSees = await ann.get('/wp-admin/profile');
    const bobSees = await bob.get('/wp-admin/profile');
    expect(menuOf(annSees.text)).toEqual([
      'users',
      'extensions',
      'health',
      'system',
      'profile',
      'application-passwords',
      'links',
    ]);
    expect(menuOf(bobSees.text)).toEqual(['profile', 'application-passwords', 'links']);
    const current = '<a href="/wp-admin/profile" aria-current="page">';
    expect(bobSees.text.split(current)).toHaveLength(2);
  });

  test('the start page is the first page in the menu', async () => {
    expect((await ann.get('/wp-admin/')).headers.location).toBe('/wp-admin/users');
    expect((await bob.get('/wp-admin')).headers.location).toBe('/wp-admin/profile');
  });

  test('a request without permission is rejected', async () => {
    const { status, text } = await bob.get('/wp-admin/users');
    expect(status).toBe(403);
    expect(text).toContain('Your account does not have permission to see this page.');
  });
});

describe('errors are shown as pages with a menu', () => {
  test.each([
    ['/wp-admin/nowhere', 404, 'There is no such page.'],
    ['/wp-admin/%ff', 404, 'There is no such page.'],
    ['/wp-admin/conflict', 409, 'Somebody else was &lt;faster&gt;.'],
    ['/wp-admin/gone', 404, 'Somebody was &lt;faster&gt;.'],
  ])('%s is %i', async (path, status, words) => {
    const response = await ann.get(path);
    expect(response.status).toBe(status);
    expect(response.text).toContain(words);
    expect(menuOf(response.text)).toContain('profile');
    expect(response.headers['content-security-policy']).toContain("default-src 'none'");
  });

  test('after a form that was not sent by a script, an error can be the notice of another page', async () => {
    const answer = await ann.post('/wp-admin/gone', {});
    expect([answer.status, answer.headers.location]).toEqual([303, '/wp-admin/echo']);
    expect((await ann.follow(answer)).text).toContain('role="status">Somebody was &lt;faster&gt;.</p>');
    const script = await ann.send('/wp-admin/gone', {
      fields: { _wpnonce: ann.nonce },
      headers: { Accept: '*/*' },
    });
    expect([script.status, script.text]).toEqual([
      404,
      expect.stringContaining('Somebody was &lt;faster&gt;.'),
    ]);
  });

  test('an internal error shows only the request id; the log has the rest', async () => {
    const { status, text, headers } = await ann.get('/wp-admin/breaks');
    expect(status).toBe(500);
    expect(text).toContain(`request id ${headers['x-request-id']}`);
    expect(text).not.toContain('an internal secret');
    const line = host.logged.find(({ msg }) => msg === 'A page failed on the server.');
    expect(line).toMatchObject({
      requestId: headers['x-request-id'],
      err: { message: 'an internal secret' },
    });
  });
});

test('a page receives the path segments, the query and the form', async () => {
  await ann.get('/wp-admin/echo/de%2Fmo/%E3%81%82?q=%E3%81%84&q=2&x');
  await ann.post('/wp-admin/echo', { many: ['1', '2'], text: 'Größe あ & + %' });
  const [read, sent] = seen.slice(-2);
  expect(read).toMatchObject({
    method: 'GET',
    words: ['de/mo', 'あ'],
    query: { q: '2', x: '' },
    home: host.url,
  });
  expect(read?.user).toMatchObject({ login: 'ann', key: null });
  expect(sent?.method).toBe('POST');
  expect(sent?.form.getAll('many')).toEqual(['1', '2']);
  expect(sent?.form.get('text')).toBe('Größe あ & + %');
});

test('the signal of a page is aborted if its client disconnects while the session is being read', async () => {
  const called = seen.length;
  await host.database.write.transaction(async (transaction) => {
    await transaction.raw('LOCK TABLE host.session IN ACCESS EXCLUSIVE MODE');
    const sending = request(`${host.url}/wp-admin/echo`, { headers: { Cookie: ann.cookie }, agent: false });
    sending.on('error', () => undefined).end();
    await until(async () => {
      const { rows } = await transaction.raw(
        "SELECT FROM pg_locks WHERE relation = 'host.session'::regclass AND NOT granted",
      );
      return rows.length > 0;
    });
    sending.destroy();
    // A later connection is answered after the server has seen the end of this one.
    await host.request('GET', '/wp-json/');
  });
  await until(() => seen.length > called);
  expect(seen.at(-1)?.signal.aborted).toBe(true);
});

test('a page is not called for path segments or a form that it does not accept', async () => {
  for (const slug of ['plain', 'system', 'connection', 'profile']) {
    const { status, text } = await ann.get(`/wp-admin/${slug}/x`);
    expect([slug, status]).toEqual([slug, 404]);
    expect(text).toContain('There is no such page.');
  }
  for (const slug of ['plain', 'system', 'connection']) {
    const { status, text } = await ann.post(`/wp-admin/${slug}`, { a: 'b' });
    expect([slug, status]).toEqual([slug, 400]);
    expect(text).toContain('This page does not accept forms; nothing was changed.');
  }
});

test.each([
  [200, '<title>Page refuses · '],
  [400, '<title>Error: Page refuses · '],
  [409, '<title>Error: Page refuses · '],
])('the title of a page with status %i begins with "Error" if a form was rejected', async (status, title) => {
  expect((await ann.get(`/wp-admin/refuses?status=${status}`)).text).toContain(title);
});

test("an extension's stylesheet is linked on the pages that name it, after the common one", async () => {
  const stylesheetsOf = async (slug: string) => {
    const { text } = await ann.get(`/wp-admin/${slug}`);
    return [...text.matchAll(/<link rel="stylesheet" href="([^"]*)">/g)].map(([, href = '']) => href);
  };
  const [common = '', ...others] = await stylesheetsOf('styled');
  expect(others).toHaveLength(1);
  expect(await stylesheetsOf('echo')).toEqual([common]);
  const [commonText, extensionText] = [await ann.get(common), await ann.get(others[0] ?? '')];
  expect(commonText.headers['content-type']).toContain('text/css');
  for (const word of ['.chart', '.line-chart', '.editor']) {
    expect([word, commonText.text.includes(word)]).toEqual([word, false]);
    expect([word, extensionText.text.includes(word)]).toEqual([word, true]);
  }
});

test('HEAD is answered like GET, but without a body; other methods return 404', async () => {
  const head = await ann.send('/wp-admin/profile', { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  const put = await host.request('PUT', '/wp-admin/profile', { headers: { Cookie: ann.cookie } });
  expect(put.status).toBe(404);
});

test('a notice is shown only once', async () => {
  const response = await ann.get('/wp-admin/notices');
  expect([response.status, response.headers.location]).toEqual([303, '/wp-admin/echo']);
  const shown = '<p class="notice" role="status">Kept &lt;once&gt;.</p>';
  expect((await ann.follow(response)).text).toContain(shown);
  expect((await ann.follow(response)).text).not.toContain('class="notice"');
});

test('a script that fetches a page leaves the notice to the page that shows it', async () => {
  const response = await ann.get('/wp-admin/notices');
  const fetched = await ann.send('/wp-admin/echo', { headers: { Accept: '*/*' } });
  expect([fetched.status, fetched.text.includes('class="notice"')]).toEqual([200, false]);
  expect((await ann.follow(response)).text).toContain('Kept &lt;once&gt;.');
});

describe("times are shown in the user's language and time zone, and to the second on hover", () => {
  const timeOf = (text: string) =>
    /Account created<\/dt><dd><time datetime="([^"]*)" lang="([^"]*)" title="([^"]*)">([^<]*)</
      .exec(text)
      ?.slice(1)
      .map((part) => part.replace(/\s/g, ' '));
  let kei: PageClient;
  let id: number;
  const profile = async (language = 'en-GB') =>
    (await kei.send('/wp-admin/profile', { headers: { 'Accept-Language': language } })).text;
  beforeAll(async () => {
    ({ id } = await host.createUser({ login: 'kei', role: 'analyst' }));
    const at = new Date('2026-11-21T20:30:12Z');
    await host.database.write('host.users').where('user_id', id).update({ created_at: at });
    kei = await logInAs(host, 'kei');
  });

  test.each([
    ['de-DE,de;q=0.9', 'de-DE', '21.11.2026, 20:30'],
    ['en-US', 'en-US', 'Nov 21, 2026, 8:30 PM'],
    ['ja', 'ja', '2026/11/21 20:30'],
    ['tlh, fr;q=0.5', 'fr', '21 nov. 2026, 20:30'],
    ['*', 'en-GB', '21 Nov 2026, 20:30'],
    ['a_b-"><i>', 'en-GB', '21 Nov 2026, 20:30'],
  ])('with the header %s: %s, %s', async (header, language, shown) => {
    const exact = '2026-11-21 20:30:12 UTC';
    expect(timeOf(await profile(header))).toEqual(['2026-11-21T20:30:12.000Z', language, exact, shown]);
  });

  test("a page with times shows the time zone: the profile's, or UTC if it is unknown", async () => {
    await setTimezone(host.database.write, id, 'Asia/Tokyo');
    const tokyo = await profile();
    expect(timeOf(tokyo)?.slice(2)).toEqual(['2026-11-22 05:30:12 Asia/Tokyo', '22 Nov 2026, 05:30']);
    expect(tokyo).toContain('Times are shown in Asia/Tokyo');
    const meta = JSON.stringify({ timezone: 'Mars/Olympus' });
    await host.database.write('host.users').where('user_id', id).update({ meta });
    expect(await profile()).toContain('Times are shown in UTC');
    expect((await kei.get('/wp-admin/connection')).text).not.toContain('Times are shown in');
  });
});

describe('redirect targets', () => {
  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', ''])(
    'a page cannot redirect the browser to %j',
    async (to) => {
      const { status, headers } = await ann.get(`/wp-admin/leaves?to=${encodeURIComponent(to)}`);
      expect([status, headers.location]).toEqual([500, undefined]);
    },
  );

  test('form targets can be origins and schemes, and the policy contains nothing else', async () => {
    const policyOf = async (target: string) => {
      const { status, headers } = await ann.get(`/wp-admin/policy?target=${encodeURIComponent(target)}`);
      return status === 200 ? headers['content-security-policy'] : status;
    };
    expect(await policyOf('https://app.example:8443')).toContain(
      "form-action 'self' https://app.example:8443;",
    );
    expect(await policyOf('myapp:')).toContain("form-action 'self' myapp:;");
    for (const target of [
      'https://x;script-src',
      'https://x https://y',
      '*',
      "'unsafe-inline'",
      'https://x/a',
      '',
    ])
      expect([target, await policyOf(target)]).toEqual([target, 500]);
  });
});

describe('colors', () => {
  const style = readFileSync('host-shim/admin/style/admin.css', 'utf8');
  const light: Record<string, string> = {};
  const dark: Record<string, string> = {};
  for (const [, name = '', one = '', other = one] of style.matchAll(
    /(--[\w-]+): (?:light-dark\()?(#[0-9a-f]{6})(?:, (#[0-9a-f]{6})\))?;/g,
  )) {
    light[name] = one;
    dark[name] = other;
  }

  const luminance = (color: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one = '', other = ''): number => {
    const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };

  const TEXT: readonly (readonly [ink: string, grounds: readonly string[]])[] = [
    ['--ink', ['--paper', '--surface', '--sunken', '--input', '--good-soft', '--bad-soft', '--warn-soft']],
    ['--quiet', ['--paper', '--surface', '--sunken', '--input']],
    ['--accent-ink', ['--paper', '--surface', '--sunken', '--accent-soft']],
    ['--on-accent', ['--accent']],
    ['--good', ['--surface', '--good-soft']],
    ['--bad', ['--paper', '--surface', '--bad-soft']],
    ['--warn', ['--surface', '--warn-soft']],
    ['--on-top', ['--top']],
    ['--on-top-quiet', ['--top']],
  ];
  /** The colors of chart lines and of keywords in queries. */
  const SERIES = [1, 2, 3, 4, 5, 6].map((number) => `--series-${number}`);
  /** The colors of field borders and focus rings. */
  const MARKS = ['--edge', '--accent'];

  test.each([
    ['light', light],
    ['dark', dark],
  ])('are distinguishable in the %s theme', (_theme, colors) => {
    const tooClose = [
      ...TEXT.flatMap(([ink, grounds]) => grounds.map((ground) => [ink, ground, 4.5] as const)),
      ...SERIES.map((color) => [color, '--surface', 4.5] as const),
      ...MARKS.map((mark) => [mark, '--surface', 3] as const),
    ].filter(([ink, ground, min]) => !(contrast(colors[ink], colors[ground]) >= min));
    expect(tooClose).toEqual([]);
  });

  test('differ between the themes', () => {
    expect(Object.keys(dark)).toEqual(Object.keys(light));
    expect(dark['--ink']).not.toBe(light['--ink']);
  });
});
