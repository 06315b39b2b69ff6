// The rows that each built-in format produces from a file: every mapped column, and every skipped record. Nothing is stored.
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { readInput } from '../../../extension/data/import/formats/read-input';
import { readSample, readStream, readText, sample } from './read-format';

// conformance: beyond.logs-exports-other
test('Umami', async () => {
  const { format, rows, skipped } = await readSample('umami.csv', 'allpv');
  expect(format).toBe('umami');
  expect(skipped).toMatchObject({ 'links, pixels and speed measurements': 1 });
  expect(rows).toEqual([
    {
      pv_id: 'e1',
      session_id: 'v1',
      reader_id: 's1',
      original_id: 'u-1',
      access_time: '2026-03-02 08:15:02',
      url: 'https://t.example/tea?utm_source=news',
      title: 'Tea',
      'view.referrer': 'https://bing.com/search?q=tea',
      'view.source_domain': 'bing.com',
      'view.utm_source': 'news',
      'view.utm_medium': 'mail',
      'view.utm_campaign': 'spring',
      'view.utm_term': 'green',
      'view.utm_content': 'top',
      os: 'Windows',
      browser: 'Chrome',
      device_type: 'PC',
      country_code: 'GB',
      language: 'en-GB',
    },
    {
      pv_id: 'e2',
      session_id: 'v1',
      reader_id: 's1',
      original_id: 'u-1',
      access_time: '2026-03-02 08:16:40',
      url: 'https://t.example/cup',
      title: 'Cups',
      os: 'Windows',
      browser: 'Chrome',
      device_type: 'PC',
      country_code: 'GB',
      language: 'en-GB',
    },
    {
      pv_id: 'e4',
      session_id: 'v2',
      reader_id: 's2',
      access_time: '2026-03-02 08:20:00',
      url: 'https://t.example/',
      os: 'iOS',
      browser: 'Safari',
      device_type: 'SP',
    },
  ]);
});

// conformance: beyond.logs-exports-other
test('GoatCounter', async () => {
  const { format, rows, skipped } = await readSample('goatcounter.csv', 'allpv');
  expect(format).toBe('goatcounter');
  expect(skipped).toMatchObject({ bots: 1 });
  expect(rows).toEqual([
    {
      reader_id: '1a-3c',
      access_time: '2026-03-02T08:15:02Z',
      url: 'https://t.example/tea',
      title: 'Tea',
      'view.referrer': 'Google',
      browser: 'Firefox',
      os: 'Linux',
      country_code: 'DE',
    },
    {
      reader_id: '1a-3c',
      access_time: '2026-03-02T08:16:40Z',
      url: 'https://t.example/cup',
      title: 'Cups',
      'view.referrer': 'https://news.example/a',
      'view.source_domain': 'news.example',
      browser: 'Firefox',
      os: 'Linux',
      country_code: 'DE',
    },
    {
      reader_id: '9f-01',
      access_time: '2026-03-02T08:20:00Z',
      url: 'https://t.example/tea',
      title: 'Tea',
      'view.utm_source': 'spring',
      browser: 'Safari',
      os: 'iOS',
      country_code: 'US',
    },
  ]);
});

// conformance: beyond.logs-exports-other
test('Matomo, no matter how the document is split', async () => {
  const { format, rows } = await readSample('matomo.json', 'allpv');
  expect(format).toBe('matomo');
  expect(rows).toEqual([
    {
      pv_id: '901',
      session_id: '71',
      reader_id: 'ab12cd34ef56ab78',
      original_id: 'ann',
      access_time: 1_772_439_302,
      url: 'https://t.example/tea',
      title: 'Tea, "green" [new]',
      browse_sec: '38',
      speed_msec: 413,
      is_newuser: 1,
      utm_campaign: 'news',
      utm_term: 'green tea',
      utm_source: 'mailing',
      utm_medium: 'email',
      utm_content: 'top',
      device_type: 'SP',
      os: 'macOS',
      browser: 'Safari',
      language: 'de-de',
      country_code: 'DE',
    },
    expect.objectContaining({ pv_id: '903', url: 'https://t.example/cup', utm_campaign: 'news' }),
    {
      pv_id: '904',
      session_id: '72',
      reader_id: '0000cd34ef56ab78',
      access_time: 1_772_439_400,
      url: 'https://t.example/',
      title: 'Home',
      browse_sec: 0,
      is_newuser: 0,
      referrer: 'https://www.bing.com/',
      source_domain: 'bing.com',
      os: 'Linux',
      browser: 'Firefox',
      language: 'en',
    },
  ]);
  const chunks: Buffer[] = [];
  for await (const chunk of sample('matomo.json')) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  const bytes = Readable.from([...whole].map((byte) => Buffer.from([byte])));
  expect((await readStream(bytes, 'allpv', { format: 'matomo' })).rows).toEqual(rows);
  await expect(readText(whole.subarray(0, -9), 'allpv', { format: 'matomo' })).rejects.toThrow('is cut off');
});

describe('Matomo times, which are local times written as if they were UTC', () => {
  const seconds = (text: string) => Date.parse(`${text}Z`) / 1000;
  const visit = (locals: readonly string[], times: object) =>
    JSON.stringify([
      {
        idVisit: '71',
        visitorId: 'ab',
        truncatedActionsCount: 0,
        ...times,
        actionDetails: locals.map((local, index) => ({
          type: 'action',
          url: `https://t.example/${index}`,
          pageId: `${index}`,
          timestamp: seconds(local),
        })),
      },
    ]);
  const times = async (locals: readonly string[], from: object) =>
    (await readText(visit(locals, from), 'allpv', { format: 'matomo' })).rows.map((row) => row.access_time);

  test('the actions in a real response from Paris are stored two hours earlier than written', async () => {
    const local = new Date(1_720_118_585_000).toISOString().slice(0, 19);
    expect(
      await times([local], { firstActionTimestamp: 1_720_111_385, lastActionTimestamp: 1_720_111_400 }),
    ).toEqual([1_720_111_385]);
  });

  const first = (text: string) => ({ firstActionTimestamp: seconds(text) });
  test.each([
    {
      what: 'the last instant determines the offset if the first belongs to no action',
      locals: ['2026-07-01T12:00:05', '2026-07-01T12:03:00'],
      from: { ...first('2026-07-01T09:59:58'), lastActionTimestamp: seconds('2026-07-01T10:03:00') },
      expected: ['2026-07-01T10:00:05', '2026-07-01T10:03:00'],
    },
    {
      what: 'the clock is set forward during the visit',
      locals: ['2026-03-29T01:58:00', '2026-03-29T03:01:00', '2026-03-29T03:02:00'],
      from: { ...first('2026-03-29T00:58:00'), lastActionTimestamp: seconds('2026-03-29T01:02:00') },
      expected: ['2026-03-29T00:58:00', '2026-03-29T01:01:00', '2026-03-29T01:02:00'],
    },
    {
      what: 'the clock is set back during the visit',
      locals: ['2026-10-25T02:58:00', '2026-10-25T02:01:00'],
      from: { ...first('2026-10-25T00:58:00'), lastActionTimestamp: seconds('2026-10-25T01:01:00') },
      expected: ['2026-10-25T00:58:00', '2026-10-25T01:01:00'],
    },
    {
      what: 'the zone is UTC',
      locals: ['2026-07-01T12:00:05'],
      from: { ...first('2026-07-01T12:00:05'), lastActionTimestamp: seconds('2026-07-01T12:00:05') },
      expected: ['2026-07-01T12:00:05'],
    },
  ])('$what', async ({ locals, from, expected }) => {
    expect(await times(locals, from)).toEqual(expected.map(seconds));
  });

  test.each([
    { what: 'no instants for the visit', from: {} },
    {
      what: 'instants that belong to no action',
      from: { ...first('2026-07-01T10:00:01'), lastActionTimestamp: seconds('2026-07-01T11:00:01') },
    },
  ])('with $what, times remain local, so a time zone is required', async ({ from }) => {
    expect(await times(['2026-07-01T12:00:05'], from)).toEqual(['2026-07-01T12:00:05']);
  });

  test('if the clock changed during a long visit, only unambiguous times become instants', async () => {
    const locals = ['2026-10-25T01:30:00', '2026-10-25T02:10:00', '2026-10-25T02:05:00'];
    const from = { ...first('2026-10-24T23:30:00'), lastActionTimestamp: seconds('2026-10-25T01:05:00') };
    expect(await times(locals, from)).toEqual([
      '2026-10-25T01:30:00',
      seconds('2026-10-25T00:10:00'),
      '2026-10-25T02:05:00',
    ]);
  });
});

// conformance: beyond.logs-exports-other
test('GA4', async () => {
  const { format, rows } = await readSample('ga4.ndjson', 'allpv');
  expect(format).toBe('ga4');
  expect(rows).toEqual([
    {
      session_id: '11.22.5.1772439300',
      reader_id: '11.22',
      original_id: 'ann',
      access_time: '1772439302000000',
      url: 'https://t.example/tea',
      title: 'Tea',
      is_newuser: 1,
      'view.referrer': 'https://www.bing.com/',
      'view.source_domain': 'bing.com',
      'view.utm_source': 'news',
      'view.utm_medium': 'email',
      'view.utm_campaign': 'spring',
      'view.utm_term': 'tea',
      'view.utm_content': 'top',
      'view.click_id_name': 'gclid',
      device_type: 'SP',
      os: 'iOS',
      browser: 'Safari',
      language: 'de-ch',
      country_code: 'CH',
      region: 'Zurich',
    },
    { access_time: '1772439402000000', url: 'https://t.example/cup' },
  ]);
});

// conformance: beyond.logs-exports-other
test('search data from the API and from the bulk export', async () => {
  const tea = { date: '2026-03-02', url: 'https://t.example/tea', keyword: 'green tea', search_type: 'web' };
  const api = await readSample('search-console-api.json', 'gsc');
  expect(api.format).toBe('search-console-api');
  expect(api.rows).toEqual([
    { ...tea, clicks: 2, impressions: 10, position: 2.5 },
    { ...tea, clicks: 0, impressions: 5, position: 7 },
  ]);
  const images = await readSample('search-console-api.json', 'gsc', {
    constants: new Map([['search_type', 'image']]),
  });
  expect(images.rows[0]?.search_type).toBe('image');
  const bulk = await readSample('search-console-bulk.csv', 'gsc');
  expect(bulk.format).toBe('search-console-bulk');
  expect(bulk.skipped).toEqual({
    'searches that Google keeps anonymous': 1,
    'news, Discover and other kinds of search': 1,
  });
  expect(bulk.rows).toEqual([
    { ...tea, clicks: '2', impressions: '10', position: 2.5 },
    {
      date: '2026-03-02',
      url: 'https://t.example/',
      keyword: 'cup',
      search_type: 'image',
      clicks: '0',
      impressions: '4',
      position: 3,
    },
  ]);
  const json = await readSample('search-console-bulk.ndjson', 'gsc');
  expect([json.format, json.rows[0]]).toEqual([
    'search-console-bulk-json',
    { ...tea, clicks: '2', impressions: '10', position: 2.5 },
  ]);
});

test.each([
  [
    'Queries.csv',
    'Top queries,Clicks,Impressions,CTR,Position\ntea,2,10,20%,2.5\n',
    'sums for the whole period',
  ],
  ['Suchanfragen.csv', 'Häufigste,Clicks,Impressions,CTR,Position\n', 'sums for the whole period'],
  [
    'imported_browsers_20260301_20260302.csv',
    '"date","browser","browser_version","visitors"\n',
    'sums by day and by one dimension',
  ],
  ['events.csv', 'x,y\n2026-03-02,5\n', 'totals'],
  ['x.csv', 'idSite,idVisit,visitIp,visitorId\n', 'as JSON'],
  [
    'x.csv',
    'data_date,query,search_type,impressions,clicks,sum_top_position\n',
    'Import searchdata_url_impression instead',
  ],
  // conformance: beyond.logs-exports-other
])('%s is rejected with the reason', async (fileName, text, reason) => {
  await expect(readText(text, 'allpv', { fileName })).rejects.toThrow(reason);
});

test('a zip file is rejected, with a hint for the tool that wrote it', async () => {
  const zip = (name: string) => {
    const head = Buffer.alloc(30);
    head.write('PK\u0003\u0004', 'latin1');
    head.writeUInt16LE(name.length, 26);
    return Buffer.concat([head, Buffer.from(`${name}rest`)]);
  };
  await expect(readText(zip('imported_visitors_1_2.csv'), 'allpv')).rejects.toThrow(
    'an export from Plausible',
  );
  await expect(readText(zip('Chart.csv'), 'allpv')).rejects.toThrow('Search Console');
  await expect(readText(zip('other.csv'), 'allpv')).rejects.toThrow('unpack it');
});

test('gzip files are decompressed, even with several members; a truncated one is an error', async () => {
  const member = (line: number) => gzipSync(`{"url":"/${line}","access_time":177000000${line}}\n`);
  const both = Buffer.concat([member(1), member(2)]);
  const bytes = Readable.from([...both].map((byte) => Buffer.from([byte])));
  for (const input of [Readable.from([both]), bytes])
    expect((await readStream(input, 'allpv')).rows.map(({ url }) => url)).toEqual([
      'https://t.example/1',
      'https://t.example/2',
    ]);
  await expect(readText(both.subarray(0, -5), 'allpv')).rejects.toThrow('truncated or damaged');
});

test('unreadable files are rejected with a suggestion', async () => {
  const text = Buffer.from('url,access_time\n');
  const packed = gzipSync(text);
  const refused: readonly (readonly [file: Buffer, message: string])[] = [
    [gzipSync(packed), 'The file is gzipped twice; decompress it once'],
    [
      gzipSync(Buffer.from('PK\u0003\u0004')),
      'The content of the file is a zip archive; unpack it and import its files, or save it as CSV if it is a spreadsheet',
    ],
    [
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('url\n', 'utf16le')]),
      'The file is not UTF-8 but UTF-16. Convert it first, for example with: iconv -f UTF-16 -t UTF-8 FILE',
    ],
    [Buffer.from('203.0.113.7 GET "/tea" 200\n'), 'The format of the file is not recognized; specify it: '],
    [Buffer.from('web1 nginx: "GET /tea HTTP/1.1"\n'), "or log: followed by the pattern of your log's lines"],
  ];
  for (const [file, message] of refused)
    await expect(readStream(Readable.from([file]), 'allpv')).rejects.toThrow(message);
});

// conformance: beyond.logs-exports-other
test('a gzip file is decompressed only as fast as its lines are consumed, and decompression ends when reading ends', async () => {
  const lines = `{"url":"/a","access_time":1770000000}\n`.repeat(30_000);
  const member = gzipSync(lines);
  let pulled = 0;
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  async function* endless() {
    try {
      for (;;) {
        pulled += 1;
        yield member;
      }
    } finally {
      close();
    }
  }
  const unpacked = readInput(endless(), () => undefined);
  let received = 0;
  while (received < 20 * lines.length) {
    const { value = Buffer.alloc(0) } = await unpacked.next();
    expect(value.length).toBeGreaterThan(0);
    expect(value.length).toBeLessThanOrEqual(256 * 1024);
    received += value.length;
  }
  expect(pulled).toBeLessThan(30);
  await unpacked.return(undefined);
  await closed;
});

test('column names can be mapped to ours, with constants and a different delimiter', async () => {
  const text = 'created_at;page;lang\n2026-03-02T08:15:02Z;/tea;de\n';
  const renamed = new Map([
    ['created_at', 'access_time'],
    ['page', 'url'],
    ['lang', 'language'],
  ]);
  const constants = new Map([['country_code', 'DE']]);
  const { rows } = await readText(text, 'allpv', { format: 'csv', delimiter: ';', renamed, constants });
  expect(rows).toEqual([
    { access_time: '2026-03-02T08:15:02Z', url: 'https://t.example/tea', language: 'de', country_code: 'DE' },
  ]);
  const json = '{"created_at":"2026-03-02T08:15:02Z","page":"/tea"}\n';
  expect((await readText(json, 'allpv', { renamed, constants })).rows).toEqual([
    { access_time: '2026-03-02T08:15:02Z', url: 'https://t.example/tea', country_code: 'DE' },
  ]);
  const wrong = readText('created;page\n', 'allpv', { format: 'csv', delimiter: ';', renamed });
  await expect(wrong).rejects.toThrow('the header has no created_at; the most similar name is created');
});

test('missing columns are derived for a file with our column names; existing ones are kept', async () => {
  const text = [
    'url,access_time,ip,user_agent,referrer,os,country_code',
    '/tea?utm_medium=mail,1772439302,203.0.113.7,Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0,https://www.bing.com/,Plan 9,AT',
  ].join('\n');
  const { rows } = await readText(text, 'allpv');
  expect(rows).toEqual([
    {
      url: 'https://t.example/tea?utm_medium=mail',
      access_time: 1_772_439_302,
      os: 'Plan 9',
      country_code: 'AT',
      browser: 'Firefox',
      device_type: 'PC',
      'view.reader_id': expect.any(Number),
      'view.referrer': 'https://www.bing.com/',
      'view.source_domain': 'bing.com',
      'view.utm_medium': 'mail',
    },
  ]);
});

test('the utm parameters of a URL are used if the file has no columns for the source of visits', async () => {
  const url = '/tea?utm_source=a%20b&utm_medium=c+d&utm_source=e&utm_term=%zz';
  const open = await readText(JSON.stringify({ url, access_time: 1_772_439_302 }), 'allpv');
  expect(open.rows[0]).toMatchObject({
    'view.utm_source': 'a b',
    'view.utm_medium': 'c d',
    'view.utm_term': '%zz',
  });
  const referred = await readText(
    JSON.stringify({ url, access_time: 1_772_439_302, referrer: 'https://www.bing.com/x' }),
    'allpv',
  );
  expect(referred.rows[0]).toMatchObject({ referrer: 'https://www.bing.com/x', source_domain: 'bing.com' });
  expect(referred.rows[0]).not.toHaveProperty('view.utm_source');
});

test('a file can be imported only as a material of its format', async () => {
  await expect(readSample('access.log', 'gsc')).rejects.toThrow(
    'contains no gsc; it can be imported as allpv',
  );
  await expect(readText('', 'allpv', { format: 'combine' })).rejects.toThrow(
    'combine is not a format; the formats are',
  );
});

test.each([
  [['green tea'], 'has no date'],
  [['2026-03-02', 'green tea'], 'has no page'],
  [['2026-03-02', 'https://t.example/'], 'has no query'],
  [['https://t.example/', '2026-03-02', 'tea'], 'has date in a different position'],
])('a Search Console response with the keys %j %s', async (keys, reason) => {
  const text = JSON.stringify({ rows: [{ keys, clicks: 1, impressions: 2, ctr: 0.5, position: 3 }] });
  await expect(readText(text, 'gsc')).rejects.toThrow(
    `The Search Console response ${reason} in its keys. Request it with "dimensions": ["date", "page", "query"], in this order`,
  );
});

test.each(['Dear Sir, I write to you because of tea.\nYours\n', 'once upon a time\nthere was tea\n'])(
  'text such as %j is not read as CSV',
  async (text) => {
    await expect(readText(text, 'allpv')).rejects.toThrow('The format of the file is not recognized');
  },
);
