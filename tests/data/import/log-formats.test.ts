// Web server logs: how they are recognized, and which lines become rows or are skipped. Nothing is stored.
import { at, readSample, readText } from './read-format';

const FIREFOX = { os: 'Linux', browser: 'Firefox', device_type: 'PC' };
const IPHONE = { os: 'iOS', browser: 'Safari', device_type: 'SP' };

// conformance: beyond.logs-exports-other
test('a combined log: page requests become rows, and everything else is skipped with a reason', async () => {
  const { format, rows, skipped, wrong } = await readSample('access.log', 'allpv');
  expect(format).toBe('combined');
  expect(wrong).toEqual([]);
  expect(skipped).toEqual({
    'answered with an error': 1,
    bots: 1,
    'no HTTP request': 1,
    'not GET': 1,
    redirects: 1,
    'static files': 1,
  });
  const [first, second, third] = rows;
  expect(first).toEqual({
    ...FIREFOX,
    access_time: at('2026-03-02T08:15:02Z'),
    url: 'https://t.example/tea?utm_source=news',
    'view.referrer': 'https://www.bing.com/',
    'view.source_domain': 'bing.com',
    'view.utm_source': 'news',
    'view.click_id_name': 'fbclid',
    country_code: 'DE',
    'view.reader_id': expect.any(Number),
  });
  expect(second).toEqual({
    ...FIREFOX,
    access_time: at('2026-03-02T08:15:42Z'),
    url: 'https://t.example/cup',
    country_code: 'DE',
    'view.reader_id': first?.['view.reader_id'],
  });
  expect(third).toEqual({
    ...IPHONE,
    access_time: at('2026-03-02T08:17:00Z'),
    url: 'https://t.example/café?q=%22x%22',
    'view.reader_id': expect.any(Number),
  });
  expect(third?.['view.reader_id']).not.toBe(first?.['view.reader_id']);
});

test('entries that are skipped by default can be imported with a setting', async () => {
  const optIns = new Set(['bots', 'static', 'http-errors', 'http-redirects'] as const);
  const { rows, skipped } = await readSample('access.log', 'allpv', { optIns });
  expect(rows).toHaveLength(7);
  expect(skipped).toEqual({ 'no HTTP request': 1, 'not GET': 1 });
});

test.each([
  ['access-vhost.log', 'combined-vhost', { 'another host': 1 }],
  ['access-forwarded.log', 'combined-forwarded', {}],
])('%s is recognized as %s', async (file, name, expected) => {
  const { format, rows, skipped } = await readSample(file, 'allpv');
  expect([format, skipped]).toEqual([name, expected]);
  expect(rows).toEqual([
    {
      ...FIREFOX,
      access_time: at('2026-03-02T08:15:02Z'),
      url: 'https://t.example/tea',
      country_code: 'DE',
      'view.reader_id': expect.any(Number),
    },
  ]);
});

test('hosts in a non-ASCII domain are recognized in Unicode and Punycode, and their URLs are written as browsers do', async () => {
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const line = (host: string, path: string) =>
    `${host} 203.0.113.7 - - [02/Mar/2026:09:15:02 +0100] "GET ${path} HTTP/1.1" 200 5 "https://XN--MNCHEN-3YA.example/" "${agent}"\n`;
  const hosts = ['münchen.example', 'xn--mnchen-3ya.example', 'www.xn--mnchen-3ya.example:443'];
  const text = hosts.map((host, index) => line(host, `/${index}`)).join('') + line('other.example', '/');
  const { rows, skipped } = await readText(text, 'allpv', { domain: 'München.example' });
  expect(skipped).toEqual({ 'another host': 1 });
  expect(rows.map((row) => [row.url, row['view.referrer']])).toEqual([
    ['https://xn--mnchen-3ya.example/0', undefined],
    ['https://xn--mnchen-3ya.example/1', undefined],
    ['https://www.xn--mnchen-3ya.example/2', undefined],
  ]);
});

test('a common log has no user agent', async () => {
  const { format, rows } = await readSample('access-common.log', 'allpv');
  expect(format).toBe('common');
  expect(rows).toEqual([
    {
      access_time: at('2026-03-02T08:15:02Z'),
      url: 'https://t.example/tea',
      country_code: 'DE',
      'view.reader_id': expect.any(Number),
    },
  ]);
});

test.each([' 0.003', ' "-" "203.0.113.9" 12', ' rt=0.003 "x \\" y"'])(
  'a combined log may have %j at the end of each line',
  async (more) => {
    const line = `203.0.113.7 - - [02/Mar/2026:09:15:02 +0100] "GET /tea HTTP/1.1" 200 5 "-" "curl"${more}\n`;
    const options = { format: 'combined', optIns: new Set(['bots'] as const) };
    const { rows, wrong } = await readText(line, 'allpv', options);
    expect(wrong).toEqual([]);
    expect(rows).toMatchObject([{ url: 'https://t.example/tea', access_time: at('2026-03-02T08:15:02Z') }]);
  },
);

test('other logs can be read with a custom pattern in nginx syntax', async () => {
  const pattern =
    'log:$time_iso8601|$http_host|$request_method $request_uri|$status|$remote_addr|$http_user_agent';
  const line =
    '2026-03-02T09:15:02+01:00|t.example|GET /tea|200|203.0.113.7|Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const { rows, wrong } = await readText(`${line}\nother\n`, 'allpv', { format: pattern });
  expect(rows).toMatchObject([
    { url: 'https://t.example/tea', access_time: at('2026-03-02T08:15:02Z'), ...FIREFOX },
  ]);
  expect(wrong).toEqual([expect.stringContaining('2: does not match the pattern $time_iso8601')]);
  await expect(readText('', 'allpv', { format: 'log:$path' })).rejects.toThrow(
    'must have $time and $request',
  );
});

test('S3 entries without a request are skipped and counted', async () => {
  const start = 'owner bucket [02/Mar/2026:09:15:02 +0000] - - REQUEST1';
  const lines = [
    `${start} S3.EXPIRE.OBJECT tea.html "-" - - - - - - "-" "-" -`,
    `${start} BATCH.DELETE.OBJECT tea.html - 204 - - 1024 - - - - -`,
    'owner bucket [02/Mar/2026:09:15:02 +0000] 203.0.113.7 - REQUEST2 WEBSITE.GET.OBJECT tea "GET /tea HTTP/1.1" 200 - 5 5 9 8 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" -',
  ];
  for (const text of [lines.join('\n'), [...lines].reverse().join('\n')]) {
    const { format, rows, skipped, wrong } = await readText(text, 'allpv');
    expect([format, skipped, wrong]).toEqual(['aws-s3', { 'no HTTP request': 2 }, []]);
    expect(rows).toMatchObject([{ url: 'https://t.example/tea', ...FIREFOX }]);
  }
});

describe('prefixes of log lines', () => {
  const line = (path: string) =>
    `203.0.113.7 - - [02/Mar/2026:09:15:02 +0100] "GET /${path} HTTP/1.1" 200 5 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"\n`;

  test('zero bytes that a server left when a log was truncated are skipped', async () => {
    const hole = '\0'.repeat(1_100_000);
    const { rows, wrong } = await readText(hole + line('a') + hole + line('b') + line('c'), 'allpv');
    expect(wrong).toEqual([]);
    const plain = await readText(line('a') + line('b') + line('c'), 'allpv');
    expect(rows).toEqual(plain.rows);
    expect(rows).toMatchObject([{ country_code: 'DE' }, {}, {}]);
  });

  test.each([
    'Mar  2 09:15:02 web nginx: ',
    '<190>Mar 12 09:15:02 web nginx[12]: ',
    '2026-03-02T09:15:02.1+01:00 web apache2: ',
  ])("the syslog prefix %j is not read as part of the visitor's address", async (before) => {
    const { format, rows, wrong } = await readText(before + line('a'), 'allpv');
    expect([format, wrong]).toEqual(['combined', []]);
    expect(rows).toEqual((await readText(line('a'), 'allpv')).rows);
  });
});

describe('a line that an attacker can influence', () => {
  const line = (user: string) =>
    `203.0.113.7 - ${user} [02/Mar/2026:09:15:02 +0100] "GET /tea HTTP/1.1" 200 5 "-" "curl \\"x\\\\"\n`;
  const options = { format: 'combined', optIns: new Set(['bots'] as const) };

  test.each(['-', 'ann', 'ann lee', 'x [y', 'x [y] z', 'x [y] \\"GET /', '[', ' [ [02/Mar'])(
    'the name %j before the time does not change what is read',
    async (user) => {
      const { rows, wrong } = await readText(line(user), 'allpv', options);
      expect(wrong).toEqual([]);
      expect(rows).toMatchObject([{ url: 'https://t.example/tea', access_time: at('2026-03-02T08:15:02Z') }]);
    },
  );

  test.each([
    ['brackets', ' ['.repeat(30_000)],
    ['quotes', ' [] "'.repeat(12_000)],
    ['escapes', ` [] "${'\\"'.repeat(30_000)}`],
  ])('with endless %s is rejected without backtracking', async (_what, text) => {
    const { rows, wrong } = await readText(`203.0.113.7 - ${text}\n`, 'allpv', options);
    expect(rows).toEqual([]);
    expect(wrong).toEqual([expect.stringContaining('1: does not match the format combined')]);
  });

  test('a pattern with many variables does not backtrack either', async () => {
    const format = `log:${'$user '.repeat(40)}[$time] $path`;
    const { wrong } = await readText(`${'x '.repeat(30_000)}\n`, 'allpv', { format });
    expect(wrong).toEqual([expect.stringContaining('1: does not match the pattern')]);
  });

  test('a pattern with adjacent variables is rejected', async () => {
    await expect(readText('', 'allpv', { format: 'log:$time $host$path' })).rejects.toThrow(
      'has nothing between $host and $path to separate them',
    );
  });
});

describe('a W3C extended log', () => {
  // conformance: beyond.logs-exports-other
  test('from IIS is read according to its #Fields lines, in UTC', async () => {
    const { format, rows, skipped, wrong } = await readSample('w3c.log', 'allpv');
    expect([format, wrong]).toEqual(['w3c', []]);
    expect(skipped).toEqual({ 'answered with an error': 1, bots: 1, 'not GET': 1, 'static files': 1 });
    expect(rows).toEqual([
      {
        ...FIREFOX,
        access_time: at('2026-03-02T08:15:02Z'),
        url: 'https://t.example/tea?utm_source=news',
        'view.referrer': 'https://www.bing.com/search?q=green+tea',
        'view.source_domain': 'bing.com',
        'view.utm_source': 'news',
        country_code: 'DE',
        'view.reader_id': expect.any(Number),
      },
      {
        access_time: at('2026-03-02T09:00:01Z'),
        url: 'https://t.example/cup',
        country_code: 'DE',
        'view.reader_id': expect.any(Number),
      },
    ]);
  });

  // conformance: beyond.logs-exports-other
  test('from CloudFront contains the host that the visitor requested', async () => {
    const { format, rows, skipped } = await readSample('w3c-cloudfront.log', 'allpv');
    expect([format, skipped]).toEqual(['w3c', {}]);
    expect(rows).toMatchObject([
      { ...FIREFOX, url: 'https://t.example/tea?utm_source=news', country_code: 'DE' },
    ]);
  });

  test('keeps the query if the path contains a question mark', async () => {
    const { rows } = await readText(
      '#Fields: date time cs-method cs-uri-stem cs-uri-query\n2026-03-02 08:00:00 GET /why? page=2\n',
      'allpv',
      { format: 'w3c' },
    );
    expect(rows).toMatchObject([{ url: 'https://t.example/why??page=2' }]);
  });

  test('is rejected without the fields that rows need, and a line that does not match is reported', async () => {
    const read = (text: string) => readText(text, 'allpv', { format: 'w3c' });
    await expect(read('#Version: 1.0\n#Fields: date cs-method cs-uri-stem\n')).rejects.toThrow(
      'Line 2: the log must have the fields date, time, cs-method, cs-uri-stem; it lacks time',
    );
    const { rows, wrong } = await read(
      '2026-03-02 08:00:00\n#Fields: date time cs-method cs-uri-stem\n2026-03-02 08:00:00 GET\n2026-03-02 08:00:00 GET "/a ""b"""\n2026-03-02\n',
    );
    expect(rows).toMatchObject([{ url: 'https://t.example/a "b"' }]);
    expect(wrong).toEqual([
      '1: precedes the #Fields: line that names its fields',
      '3: has 3 fields, but the #Fields: line names 4',
      '5: has 1 field, but the #Fields: line names 4',
    ]);
  });
});

describe('logs from other servers', () => {
  const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const TIME = '02/Mar/2026:08:15:02 +0000';
  test.each([
    {
      format: 'common-vhost',
      line: `t.example 203.0.113.7 - - [${TIME}] "GET /tea HTTP/1.1" 200 5`,
      url: 'https://t.example/tea',
    },
    {
      format: 'gandi',
      line: `t.example 203.0.113.7 - - [${TIME}] (0 s) "GET /tea HTTP/1.1" 200 5 "-" "${AGENT}"`,
      url: 'https://t.example/tea',
    },
    {
      format: 'aws-alb',
      line: `https 2026-03-02T08:15:02.186641Z app/tea/50dc6c495c0c9188 203.0.113.7:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://t.example:443/tea HTTP/1.1" "${AGENT}" ECDHE TLSv1.2 arn:aws:x "Root=1"`,
      url: 'https://t.example/tea',
    },
    {
      format: 'aws-s3',
      line: `79a59df900b949e5 t-bucket [${TIME}] 203.0.113.7 - 3E57427F3EXAMPLE WEBSITE.GET.OBJECT tea "GET /tea HTTP/1.1" 200 - 113 113 7 6 "-" "${AGENT}" - s9lz SigV4`,
      url: 'https://t.example/tea',
    },
    {
      format: 'combined',
      line: `203.0.113.7 - - [${TIME}] "GET /tea HTTP/2.0" 200 5 "-" "${AGENT}" 42 "shop@docker" "http://10.0.0.2:80" 3ms`,
      url: 'https://t.example/tea',
    },
    {
      format: 'traefik',
      line: `{"ClientHost":"203.0.113.7","DownstreamStatus":200,"RequestHost":"t.example","RequestMethod":"GET","RequestPath":"/tea","StartUTC":"2026-03-02T08:15:02.1Z","request_User-Agent":"${AGENT}"}`,
      url: 'https://t.example/tea',
    },
    {
      format: 'nginx-json-request',
      line: `{"time_local":"${TIME}","remote_addr":"203.0.113.7","request":"GET /tea HTTP/1.1","status":"200","http_user_agent":"${AGENT}"}`,
      url: '/tea',
    },
  ])('are recognized: $format', async ({ format, line, url }) => {
    const read = await readText(`${line}\n`, 'allpv', { fileName: 'access.log' });
    expect(read).toMatchObject({ format, skipped: {}, wrong: [] });
    expect(read.rows).toMatchObject([
      { access_time: expect.anything(), url: expect.stringContaining(url), country_code: 'DE' },
    ]);
  });

  test('nginx JSON: invalid request lines, methods other than GET, and files are skipped', async () => {
    const line = (request: string) =>
      `${JSON.stringify({ time_local: TIME, remote_addr: '203.0.113.7', request, status: '200', http_user_agent: AGENT })}\n`;
    const text = [
      line('GET /tea HTTP/1.1'),
      line('\\x16\\x03'),
      line('POST /a HTTP/1.1'),
      line('GET /a.epub?x HTTP/1.1'),
    ];
    const { rows, skipped } = await readText(text.join(''), 'allpv');
    expect(rows).toHaveLength(1);
    expect(skipped).toEqual({ 'no HTTP request': 1, 'not GET': 1, 'static files': 1 });
  });

  test('a log whose first line is incomplete is recognized by its next line', async () => {
    const whole = `203.0.113.7 - - [${TIME}] "GET /tea HTTP/1.1" 200 5 "-" "${AGENT}"\n`;
    const { format, rows, wrong } = await readText(`${whole.slice(40)}${whole}${whole}`, 'allpv');
    expect([format, rows.length, wrong.length]).toEqual(['combined', 2, 1]);
  });

  test.each(['in24.inetnebr.com', '203.0.113.xxx', '203.0.113.*', '2001:db8::x'])(
    'a line may contain %s instead of an address',
    async (client) => {
      const line = (name: string) => `${name} - - [${TIME}] "GET /tea HTTP/1.1" 200 5\n`;
      const { format, rows, wrong } = await readText(line(client) + line('other.example'), 'allpv');
      expect([format, wrong]).toEqual(['common', []]);
      expect(rows).toMatchObject([
        { 'view.reader_id': expect.any(Number) },
        { 'view.reader_id': expect.any(Number) },
      ]);
      expect(rows[0]?.['view.reader_id']).not.toBe(rows[1]?.['view.reader_id']);
    },
  );

  test('CloudFront escapes user agents twice', async () => {
    const agent = AGENT.replaceAll(' ', '%2520');
    const text = `#Fields: date time cs-method cs-uri-stem sc-status c-ip cs(User-Agent)\n2026-03-02 08:15:02 GET /tea 200 203.0.113.7 ${agent}\n`;
    expect((await readText(text, 'allpv', { format: 'w3c' })).rows).toMatchObject([FIREFOX]);
  });
});

describe('fields in a pattern', () => {
  const line = 'u-17 2026-03-02T09:15:02Z "GET /tea HTTP/1.1"\n';
  const format = 'log:$client $time "$request"';

  test('can be mapped with --map, regardless of their names', async () => {
    const { rows } = await readText(line, 'allpv', { format, renamed: new Map([['client', 'original_id']]) });
    expect(rows).toMatchObject([{ original_id: 'u-17' }]);
  });

  test('that do not exist are rejected, with a list of those that do', async () => {
    const renamed = new Map([['clinet', 'original_id']]);
    await expect(readText(line, 'allpv', { format, renamed })).rejects.toThrow(
      /the log has no field clinet; its fields are .*client/,
    );
  });
});

test('an entry with an invalid request line is skipped', async () => {
  const { rows, skipped } = await readText(
    '203.0.113.7 - - [02/Mar/2026:09:15:02 +0100] "GET https:// /a HTTP/1.1" 200 5\n',
    'allpv',
    { format: 'common' },
  );
  expect([rows, skipped]).toEqual([[], { 'no HTTP request': 1 }]);
});

test('phones and browsers with unusual names are recognized', async () => {
  const line = (agent: string) =>
    `203.0.113.7 - - [02/Mar/2026:09:15:02 +0100] "GET /tea HTTP/1.1" 200 5 "-" "${agent}"\n`;
  const agents = [
    'Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A)',
    'ShopReader/3.1 (X11; Linux x86_64)',
  ];
  const options = { format: 'combined', optIns: new Set(['bots'] as const) };
  const { rows } = await readText(agents.map(line).join(''), 'allpv', options);
  expect(rows).toMatchObject([{ device_type: 'SP', os: 'Android' }, { browser: 'other' }]);
});

describe('odd requests', () => {
  const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const TIME = '02/Mar/2026:09:15:02 +0100';
  const line = (target: string, agent = AGENT) =>
    `203.0.113.7 - - [${TIME}] "GET ${target} HTTP/1.1" 200 5 "-" "${agent}"\n`;
  const json = (request: string, agent = AGENT) =>
    `${JSON.stringify({ time_local: TIME, remote_addr: '203.0.113.7', status: 200, request, http_user_agent: agent })}\n`;

  test('a path that begins with several slashes is on the site', async () => {
    const { rows } = await readText(line('//tea') + line('///a//b?c=//d'), 'allpv');
    expect(rows.map(({ url }) => url)).toEqual(['https://t.example/tea', 'https://t.example/a//b?c=//d']);
    const ofJson = await readText(json('GET //tea HTTP/1.1'), 'allpv');
    expect(ofJson.rows).toMatchObject([{ url: 'https://t.example/tea' }]);
  });

  test.each([
    ['combined', line],
    ['nginx-json-request', (target: string) => json(`GET ${target} HTTP/1.1`)],
  ])('%s: a request for a URL on another host is skipped', async (format, lineOf) => {
    const text = [
      'http://proxy-test.example/',
      'https://user@other.example:443',
      'http://www.t.example:80/tea',
    ]
      .map((target) => lineOf(target))
      .join('');
    const { rows, skipped, wrong } = await readText(text, 'allpv', { format });
    expect([skipped, wrong]).toEqual([{ 'another host': 2 }, []]);
    expect(rows).toMatchObject([{ url: 'http://www.t.example/tea' }]);
    const all = await readText(text, 'allpv', { format, optIns: new Set(['other-hosts']) });
    expect(all.rows).toHaveLength(3);
  });

  test.each([
    ['combined', line('/tea') + line('/cup', `${AGENT} \xff\xfe`)],
    ['nginx-json-request', json('GET /tea HTTP/1.1') + json('GET /cup HTTP/1.1', `${AGENT} \xff\xfe`)],
    [
      'w3c',
      `#Fields: date time cs-method cs-uri-stem cs(User-Agent)\n2026-03-02 08:15:02 GET /tea ${AGENT.replaceAll(' ', '+')}\n2026-03-02 08:15:02 GET /cup ${AGENT.replaceAll(' ', '+')}\xff\xfe\n`,
    ],
  ])('%s: bytes that are not UTF-8 do not stop the import', async (name, text) => {
    const bytes = Buffer.from(text, 'latin1');
    for (const options of [{}, { format: name }]) {
      const { format, rows, wrong } = await readText(bytes, 'allpv', options);
      expect([format, wrong]).toEqual([name, []]);
      expect(rows).toMatchObject([
        { url: 'https://t.example/tea', browser: 'Firefox' },
        { url: 'https://t.example/cup', browser: 'Firefox' },
      ]);
    }
  });

  test('a request that CloudFront records as abandoned by the client is skipped', async () => {
    const text = `#Fields: date time cs-method cs-uri-stem sc-status\n2026-03-02 08:15:02 GET /tea 000\n2026-03-02 08:15:02 GET /cup 200\n`;
    const { rows, skipped } = await readText(text, 'allpv', { format: 'w3c' });
    expect(skipped).toEqual({ 'abandoned by the client': 1 });
    expect(rows).toHaveLength(1);
  });

  test('a log may end within a character', async () => {
    const bytes = Buffer.concat([Buffer.from(line('/tea')), Buffer.from('x\u00e9').subarray(0, 2)]);
    const { rows, wrong } = await readText(bytes, 'allpv', { format: 'combined' });
    expect(rows).toHaveLength(1);
    expect(wrong).toEqual([expect.stringMatching(/^2: does not match/)]);
  });

  test('private addresses of proxies in IPv6 notation identify no visitor', async () => {
    const from = (xff: string) =>
      `10.0.0.1 - - [${TIME}] "GET /tea HTTP/1.1" 200 5 "-" "${AGENT}" "${xff}"\n`;
    const lists = ['203.0.113.7, ::ffff:172.17.0.1', '203.0.113.7', '198.51.100.9, ::FFFF:172.17.0.1'];
    const { format, rows } = await readText(lists.map(from).join(''), 'allpv');
    expect(format).toBe('combined-forwarded');
    const [first, same, other] = rows.map((row) => row['view.reader_id']);
    expect(same).toBe(first);
    expect(other).not.toBe(first);
  });
});
