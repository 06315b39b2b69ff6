// Web server logs: how they are recognised, what becomes a row, and what is left out. Nothing is stored here.
import { at, readSample, readText } from './read-format';

const FIREFOX = { os: 'Linux', browser: 'Firefox', device_type: 'PC' };
const IPHONE = { os: 'iOS', browser: 'Safari', device_type: 'SP' };

test('a combined log: pages are rows, and everything else is skipped with its reason', async () => {
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
    country_code: 'DE',
    reader_id: expect.any(Number),
  });
  expect(second).toEqual({
    ...FIREFOX,
    access_time: at('2026-03-02T08:15:42Z'),
    url: 'https://t.example/cup',
    country_code: 'DE',
    reader_id: first?.reader_id,
  });
  expect(third).toEqual({
    ...IPHONE,
    access_time: at('2026-03-02T08:17:00Z'),
    url: 'https://t.example/café?q=%22x%22',
    reader_id: expect.any(Number),
  });
  expect(third?.reader_id).not.toBe(first?.reader_id);
});

test('what a log leaves out can be asked for', async () => {
  const optIns = new Set(['bots', 'static', 'http-errors', 'http-redirects'] as const);
  const { rows, skipped } = await readSample('access.log', 'allpv', { optIns });
  expect(rows).toHaveLength(7);
  expect(skipped).toEqual({ 'no HTTP request': 1, 'not GET': 1 });
});

test.each([
  ['access-vhost.log', 'combined-vhost', { 'another host': 1 }],
  ['access-forwarded.log', 'combined-forwarded', {}],
])('%s is recognised as %s', async (file, name, left) => {
  const { format, rows, skipped } = await readSample(file, 'allpv');
  expect([format, skipped]).toEqual([name, left]);
  expect(rows).toEqual([
    {
      ...FIREFOX,
      access_time: at('2026-03-02T08:15:02Z'),
      url: 'https://t.example/tea',
      country_code: 'DE',
      reader_id: expect.any(Number),
    },
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
      reader_id: expect.any(Number),
    },
  ]);
});

test.each([' 0.003', ' "-" "203.0.113.9" 12', ' rt=0.003 "x \\" y"'])(
  'a combined log may have %j behind each line',
  async (more) => {
    const line = `203.0.113.7 - - [02/Mar/2026:09:15:02 +0100] "GET /tea HTTP/1.1" 200 5 "-" "curl"${more}\n`;
    const options = { format: 'combined', optIns: new Set(['bots'] as const) };
    const { rows, wrong } = await readText(line, 'allpv', options);
    expect(wrong).toEqual([]);
    expect(rows).toMatchObject([{ url: 'https://t.example/tea', access_time: at('2026-03-02T08:15:02Z') }]);
  },
);

test('a pattern of its own, as nginx writes it, reads other logs', async () => {
  const pattern =
    'log:$time_iso8601|$http_host|$request_method $request_uri|$status|$remote_addr|$http_user_agent';
  const line =
    '2026-03-02T09:15:02+01:00|t.example|GET /tea|200|203.0.113.7|Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const { rows, wrong } = await readText(`${line}\nother\n`, 'allpv', { format: pattern });
  expect(rows).toMatchObject([
    { url: 'https://t.example/tea', access_time: at('2026-03-02T08:15:02Z'), ...FIREFOX },
  ]);
  expect(wrong).toEqual([expect.stringContaining('2: does not fit the format combined: $time_iso8601')]);
  await expect(readText('', 'allpv', { format: 'log:$path' })).rejects.toThrow(
    'must have $time and $request',
  );
});

describe('a line that a stranger has a hand in', () => {
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
    ['brackets', ' ['.repeat(400_000)],
    ['quotes', ' [] "'.repeat(180_000)],
    ['escapes', ` [] "${'\\"'.repeat(400_000)}`],
  ])('of %s without end is rejected, and not tried in all ways', async (_what, text) => {
    const { rows, wrong } = await readText(`203.0.113.7 - ${text}\n`, 'allpv', options);
    expect(rows).toEqual([]);
    expect(wrong).toEqual([expect.stringContaining('1: does not fit the format combined')]);
  });

  test('nor does a pattern of many open names try all ways', async () => {
    const format = `log:${'$user '.repeat(40)}[$time] $path`;
    const { wrong } = await readText(`${'x '.repeat(400_000)}\n`, 'allpv', { format });
    expect(wrong).toEqual([expect.stringContaining('1: does not fit the format')]);
  });

  test('a pattern whose variables touch is refused', async () => {
    await expect(readText('', 'allpv', { format: 'log:$time $host$path' })).rejects.toThrow(
      'has nothing between $host and $path that tells where one ends and the other begins',
    );
  });
});

describe('an extended log of the W3C', () => {
  test('of IIS is read by its lines #Fields, in UTC', async () => {
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
        reader_id: expect.any(Number),
      },
      {
        access_time: at('2026-03-02T09:00:01Z'),
        url: 'https://t.example/cup',
        country_code: 'DE',
        reader_id: expect.any(Number),
      },
    ]);
  });

  test('of CloudFront has the host that the visitor asked for', async () => {
    const { format, rows, skipped } = await readSample('w3c-cloudfront.log', 'allpv');
    expect([format, skipped]).toEqual(['w3c', {}]);
    expect(rows).toMatchObject([
      { ...FIREFOX, url: 'https://t.example/tea?utm_source=news', country_code: 'DE' },
    ]);
  });

  test('is refused without the fields that rows need, and a line that does not fit is told', async () => {
    const read = (text: string) => readText(text, 'allpv', { format: 'w3c' });
    await expect(read('#Version: 1.0\n#Fields: date cs-method cs-uri-stem\n')).rejects.toThrow(
      'Line 2: the log must have the fields date, time, cs-method, cs-uri-stem; it lacks time',
    );
    const { rows, wrong } = await read(
      '2026-03-02 08:00:00\n#Fields: date time cs-method cs-uri-stem\n2026-03-02 08:00:00 GET\n2026-03-02 08:00:00 GET "/a ""b"""\n',
    );
    expect(rows).toMatchObject([{ url: 'https://t.example/a "b"' }]);
    expect(wrong).toEqual([
      '1: stands before the line #Fields: that says what it holds',
      '3: has 3 fields where the line #Fields: names 4',
    ]);
  });
});

test('JSON of nginx', async () => {
  const { format, rows, skipped } = await readSample('nginx.log', 'allpv');
  expect([format, skipped]).toEqual(['nginx-json', { 'static files': 1 }]);
  expect(rows).toEqual([
    {
      ...FIREFOX,
      access_time: at('2026-03-02T08:17:00Z'),
      url: 'https://t.example/cup',
      reader_id: expect.any(Number),
    },
  ]);
});

test('JSON of Caddy', async () => {
  const { format, rows, skipped } = await readSample('caddy.log', 'allpv');
  expect([format, skipped]).toEqual(['caddy', { 'not GET': 1 }]);
  expect(rows).toEqual([
    {
      ...FIREFOX,
      access_time: at('2026-03-02T08:18:00Z'),
      url: 'https://t.example/?utm_campaign=spring',
      language: 'de-CH',
      'view.referrer': 'https://www.bing.com/search?q=tea',
      'view.source_domain': 'bing.com',
      'view.utm_campaign': 'spring',
      reader_id: expect.any(Number),
    },
  ]);
});
