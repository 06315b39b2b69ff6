// Web server logs with one JSON object per line.
import { unseenWarnings } from '../../../extension/data/import/formats/map-records';
import { at, readSample, readText } from './read-format';

const FIREFOX = { os: 'Linux', browser: 'Firefox', device_type: 'PC' };

describe('a JSON log with the method and the URL in separate fields', () => {
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const row = {
    ...FIREFOX,
    access_time: at('2026-03-02T08:15:02Z'),
    url: 'https://t.example/tea?a=1',
    'view.referrer': 'https://www.bing.com/',
    'view.source_domain': 'bing.com',
    country_code: 'DE',
    'view.reader_id': expect.any(Number),
  };
  const time = '2026-03-02T09:15:02+01:00';
  const referrer = 'https://www.bing.com/';

  test.each([
    [
      'nginx',
      {
        time_iso8601: time,
        remote_addr: '203.0.113.7',
        request_method: 'GET',
        request_uri: '/tea?a=1',
        status: '200',
        http_host: 't.example',
        http_referer: referrer,
        http_user_agent: agent,
        http_x_forwarded_for: '-',
      },
    ],
    [
      'nginx with a separate query, behind a proxy',
      {
        msec: '1772439302.000',
        remote_addr: '10.0.0.1',
        xff: '203.0.113.7',
        uri: '/tea',
        args: 'a=1',
        status: 200,
        host: 't.example',
        http_referrer: referrer,
        http_user_agent: agent,
      },
    ],
    [
      'Elastic',
      {
        '@timestamp': time,
        host: '10.0.0.5',
        http_host: 't.example',
        clientip: '203.0.113.7',
        size: 5,
        url: '/tea?a=1',
        xff: '-',
        referer: referrer,
        agent,
        status: '200',
      },
    ],
    [
      'Logstash',
      {
        timestamp: '02/Mar/2026:09:15:02 +0100',
        clientip: '203.0.113.7',
        verb: 'GET',
        response: '200',
        request: '/tea?a=1',
        referrer,
        agent,
        host: { name: 'web-1' },
      },
    ],
    [
      'the Elastic Common Schema',
      {
        '@timestamp': time,
        source: { address: '203.0.113.7' },
        host: { name: 'web-1' },
        http: { request: { method: 'GET', referrer }, response: { status_code: 200 } },
        url: { original: '/tea?a=1', domain: 't.example' },
        user_agent: { original: agent },
        agent: {},
      },
    ],
  ])('from %s', async (_what, record) => {
    const { format, rows, wrong } = await readText(JSON.stringify(record), 'allpv', { fileName: 'a.json' });
    expect([format, wrong, rows]).toEqual(['nginx-json-uri', [], [row]]);
  });

  test('skips requests that are not for pages, and reads what nginx writes without escape=json', async () => {
    const line = (more: object) =>
      JSON.stringify({
        time_iso8601: time,
        remote_addr: '203.0.113.7',
        request_method: 'GET',
        request_uri: '/',
        status: 200,
        http_user_agent: agent,
        ...more,
      });
    const lines = [
      { request_method: 'POST' },
      { status: 404 },
      { status: '301' },
      { request_uri: '/a.css?1' },
      { http_user_agent: '-' },
      { http_host: 'other.example' },
      { request_uri: '' },
    ].map(line);
    const hex = line({ request_uri: '/caf??', http_user_agent: `${agent} !x!` })
      .replace('??', '\\xC3\\xA9')
      .replace(/!/g, '\\x22');
    const { rows, skipped, wrong } = await readText([...lines, hex].join('\n'), 'allpv');
    expect(wrong).toEqual([]);
    expect(skipped).toEqual({
      'not GET': 1,
      'answered with an error': 1,
      redirects: 1,
      'static files': 1,
      bots: 1,
      'another host': 1,
      'no HTTP request': 1,
    });
    expect(rows).toMatchObject([{ url: 'https://t.example/café' }]);
  });
});

test('JSON from nginx', async () => {
  const { format, rows, skipped } = await readSample('nginx.log', 'allpv');
  expect([format, skipped]).toEqual(['nginx-json', { 'static files': 1 }]);
  expect(rows).toEqual([
    {
      ...FIREFOX,
      access_time: at('2026-03-02T08:17:00Z'),
      url: 'https://t.example/cup',
      'view.reader_id': expect.any(Number),
    },
  ]);
});

test('JSON from Caddy', async () => {
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
      'view.reader_id': expect.any(Number),
    },
  ]);
});

test('a field that --map leaves out is not imported', async () => {
  const text = JSON.stringify({
    ip: '203.0.113.7',
    host: 't.example',
    path: '/tea',
    status: 200,
    referrer: 'https://www.bing.com/',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    date: '2026-03-02T09:15:02+01:00',
    took: 3,
  });
  const renamed = new Map([
    ['took', '-'],
    ['referrer', '-'],
    ['absent', '-'],
  ]);
  const unseen = new Set(renamed.keys());
  const { rows } = await readText(text, 'allpv', { format: 'nginx-json', renamed, unseen });
  expect([unseenWarnings(unseen, renamed), rows]).toEqual([
    [],
    [
      {
        ...FIREFOX,
        access_time: at('2026-03-02T08:15:02Z'),
        url: 'https://t.example/tea',
        country_code: 'DE',
        'view.reader_id': expect.any(Number),
      },
    ],
  ]);
});
