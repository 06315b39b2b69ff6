// A hostile file cannot block the event loop, or make a reader buffer unlimited text or scan text repeatedly.
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { eventLoopTurns, type Turns } from '../../../extension/data/import/event-loop-turns';
import { lineReader } from '../../../extension/data/import/formats/read-lines';
import { type RecordSink, readText as readPieces } from '../../../extension/data/import/formats/read-text';
import { formatFileSchema } from '../../../manifests/reader/format-schema';
import type { ReadableFormat } from '../../../manifests/reader/formats';
import { readStream, readText } from './read-format';

const pieces = (count: number, text: (index: number) => string, first = '', last = '') =>
  Readable.from(
    (function* () {
      yield Buffer.from(first);
      for (let index = 0; index < count; index += 1) yield Buffer.from(text(index));
      yield Buffer.from(last);
    })(),
  );

/** The clock advances by a fifth of a millisecond each time it is read, so each turn consists of ten steps. */
function countedTurns(stopAt = Number.POSITIVE_INFINITY) {
  let steps = 0;
  let taken = 0;
  const turns: Turns = eventLoopTurns(
    () => {
      taken += 1;
      if (taken === stopAt) throw new Error('stopped');
    },
    () => {
      steps += 1;
      return steps / 5;
    },
  );
  return { turns, taken: () => taken };
}

const CSV_HEAD = 'url,access_time\n';
const MATOMO_ACTION = '{"type":"action","url":"https://t.example/","timestamp":1777629600}';
/** Each file has 2,000 valid or invalid rows or records. */
const FILES: readonly (readonly [name: string, format: string, text: string])[] = [
  ['invalid lines of NDJSON', 'ndjson', '{\n'.repeat(2000)],
  ['empty lines', 'ndjson', '\n'.repeat(2000)],
  ['valid rows of CSV', 'csv', CSV_HEAD + 'https://t.example/,2026-05-01T10:00:00Z\n'.repeat(2000)],
  ['invalid rows of CSV', 'csv', CSV_HEAD + '1\n'.repeat(2000)],
  ['stray quotes in CSV', 'csv', `${CSV_HEAD}${'a"\n'.repeat(2000)}`],
  ['a cell with many lines', 'csv', `${CSV_HEAD}"${'\n'.repeat(2000)}",1\n`],
  ['lines that match no log format', 'combined', 'x\n'.repeat(2000)],
  ['lines before the fields of a W3C log', 'w3c', 'x\n'.repeat(2000)],
  ['elements that are not visits', 'matomo', `[${'1,'.repeat(2000)}1]`],
  ['one visit with many actions', 'matomo', `[{"actionDetails":[${`${MATOMO_ACTION},`.repeat(2000)}1]}]`],
];

describe.each(FILES)('%s', (_name, format, text) => {
  test('the event loop gets a turn after ten steps', async () => {
    const { turns, taken } = countedTurns();
    await readStream(Readable.from([Buffer.from(text)]), 'allpv', { format }, turns);
    // A step is a record or a row, and a turn has ten steps.
    expect(taken()).toBeGreaterThanOrEqual(200);
  });

  test('nothing is read after the reader is stopped', async () => {
    const { turns, taken } = countedTurns(3);
    const reading = readStream(Readable.from([Buffer.from(text)]), 'allpv', { format }, turns);
    await expect(reading).rejects.toThrow('stopped');
    expect(taken()).toBe(3);
  });
});

// attack: endless-text-outside-list
test('long text outside the list in a JSON document is skipped', async () => {
  const text = 'x'.repeat(65_536);
  const input = pieces(
    1000,
    () => text,
    '{"other":"',
    '","rows":[{"keys":["2026-03-02","https://t.example/","tea"]}]}',
  );
  const { wrong, rows, skipped } = await readStream(input, 'gsc', { format: 'search-console-api' });
  expect([wrong.length + rows.length + Object.keys(skipped).length]).toEqual([1]);
});

test('a response of the Search Console API for a day without data has no rows, unlike an error', async () => {
  const empty = '{\n  "responseAggregationType": "byPage"\n}\n';
  for (const options of [{}, { format: 'search-console-api' }])
    expect(await readText(empty, 'gsc', options)).toMatchObject({
      format: 'search-console-api',
      rows: [],
      wrong: [],
    });
  const error = '{"error": {"code": 403}, "about": "responseAggregationType"}';
  await expect(readText(error, 'gsc', { format: 'search-console-api' })).rejects.toThrow(
    'the document has no list "rows"',
  );
});

test('an endless element is rejected at the limit', async () => {
  const input = pieces(100, () => 'x'.repeat(65_536), '[{"a":"');
  await expect(readStream(input, 'allpv', { format: 'matomo' })).rejects.toThrow(
    'an element is longer than 4000000 characters',
  );
});

// attack: quote-csv-never-closed
test('the lines of an endless CSV record are scanned only once', async () => {
  const input = pieces(500, () => '\n'.repeat(1_990), `${CSV_HEAD}"`);
  await expect(readStream(input, 'allpv', { format: 'csv' })).rejects.toThrow(
    'Line 2: is not CSV: a quote is never closed',
  );
});

test('a line that is too long does not disappear from a quoted cell', async () => {
  const text = `url,access_time,title\nhttps://t.example/,1777629600,"a\n${'x'.repeat(1_000_001)}\nb"\n`;
  await expect(readText(text, 'allpv', { format: 'csv' })).rejects.toThrow(
    'Line 2: is not CSV: a quote is never closed',
  );
});

test('a quoted cell keeps its line breaks, no matter where the pieces are split', async () => {
  const text = `${CSV_HEAD}"https://t.example/\r\na""b\n\n,c",2026-05-01T10:00:00Z\r\nhttps://t.example/d,2026-05-01T11:00:00Z\n`;
  for (const length of [1, 2, 3, 7, 100]) {
    const parts = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
    const { rows } = await readStream(Readable.from(parts.map((part) => Buffer.from(part))), 'allpv', {
      format: 'csv',
    });
    expect(rows).toMatchObject([
      { url: 'https://t.example/\r\na"b\n\n,c', access_time: '2026-05-01T10:00:00Z' },
      { url: 'https://t.example/d', access_time: '2026-05-01T11:00:00Z' },
    ]);
  }
});

test.each([
  ['values', `{"a":[${'1,'.repeat(60_000)}1]}`, 'has more than 50000 values'],
  ['lists', `{"a":[${'[],'.repeat(30_000)}1]}`, 'has more than 50000 values'],
  ['levels', `{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`, 'is nested more than 1000 levels deep'],
  // attack: record-sixty-thousand-values
])('a record with too many %s is not parsed', async (_name, record, reason) => {
  expect((await readText(`${record}\n`, 'allpv', { format: 'ndjson' })).wrong).toEqual([`1: ${reason}`]);
});

test('a record may be nested a thousand levels deep, not counting brackets in strings', async () => {
  const nested = (levels: number) =>
    `{"url":${'['.repeat(levels - 1)}"${'['.repeat(3_000)}\\"["${']'.repeat(levels - 1)}}`;
  const wrongOf = async (levels: number) =>
    (await readText(`${nested(levels)}\n`, 'allpv', { format: 'ndjson' })).wrong;
  expect(await wrongOf(1_000)).not.toEqual(['1: is nested more than 1000 levels deep']);
  expect(await wrongOf(1_001)).toEqual(['1: is nested more than 1000 levels deep']);
  expect(await wrongOf(45_000)).toEqual(['1: is nested more than 1000 levels deep']);
});

test('a record with too many keys is not parsed, no matter where they are', async () => {
  const keys = (count: number) => Array.from({ length: count }, (_unused, at) => `"k${at}":1`).join(',');
  const wrongOf = async (record: string, format = 'ndjson') =>
    (await readText(record, 'allpv', { format })).wrong;
  const tooMany = ['1: has an object with more than 2000 keys'];
  expect(await wrongOf(`{${keys(2_001)}}\n`)).toEqual(tooMany);
  expect(await wrongOf(`{"params":{${keys(2_001)}}}\n`)).toEqual(tooMany);
  expect(await wrongOf(`[{"idVisit":1,"more":{${keys(2_001)}}}]`, 'matomo')).toEqual(tooMany);
  expect(await wrongOf(`{${keys(2_000)}}\n`)).not.toEqual(tooMany);
  expect(
    await wrongOf(`{"a":[{${keys(1_500)}},{${keys(1_500)}}],"text":"${'a:'.repeat(3_000)}"}\n`),
  ).not.toEqual(tooMany);
});

const logLine = (agent: string, path = '/') =>
  `203.0.113.7 - - [01/May/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1 "-" "${agent}"\n`;

describe('a line of a log', () => {
  test.each([
    ['combined', (length: number) => logLine('\\\\'.repeat((length - 80) / 2))],
    [
      'w3c',
      (length: number) =>
        `#Fields: date time cs-method cs-uri-stem cs(User-Agent)\n2026-05-01 10:00:00 GET / ${'%41'.repeat(length / 3)}\n`,
    ],
  ])('is rejected if it is too long: %s', async (format, lines) => {
    const reason = 'the line is longer than 65536 characters; this format has one row per line';
    expect((await readText(lines(90_000), 'allpv', { format })).wrong).toEqual([
      `${format === 'w3c' ? 2 : 1}: ${reason}`,
    ]);
    expect((await readText(lines(60_000), 'allpv', { format })).wrong).toEqual([]);
  });

  test('is not scanned repeatedly to find the end of an unclosed value', async () => {
    const format = 'log:$remote_user [$time] $path';
    const line = (brackets: number) =>
      `${'x ['.repeat(brackets)}${'x'.repeat(10_000 - 3 * brackets)} [01/May/2026:10:00:00 +0000] /\n`;
    expect((await readText(line(300), 'allpv', { format })).wrong).toEqual([]);
    expect((await readText(line(1_000), 'allpv', { format })).wrong).toEqual([
      '1: does not match the pattern $remote_user [$time] $path',
    ]);
  });

  test('may have a long user agent, of which only the beginning is read', async () => {
    const agent =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36';
    const text = logLine(`${agent} ${'x '.repeat(1_000)} Googlebot/2.1`);
    const { rows } = await readText(text, 'allpv', { format: 'combined' });
    expect(rows).toMatchObject([{ browser: 'Chrome' }]);
  });
});

test('a CSV cell with more quotes than any column may contain is rejected', async () => {
  const text = (quotes: number) =>
    `url,access_time\n"${'""'.repeat(quotes)}",1\n"https://t.example/""",2026-05-01T10:00:00Z\n`;
  const read = async (quotes: number) => readText(text(quotes), 'allpv', { format: 'csv' });
  const { wrong, rows } = await read(65_537);
  expect(wrong).toEqual(['2: has a cell with more than 65536 quotes']);
  expect(rows).toHaveLength(1);
  expect((await read(65_536)).wrong).not.toEqual(wrong);
});

test('a file is rejected as soon as it exceeds the size limit during decompression', async () => {
  const input = () => Readable.from([gzipSync(Buffer.alloc(3 * 2 ** 20, '\n'))]);
  const options = { format: 'ndjson', limits: { unpackedBytes: 2 ** 21 } };
  await expect(readStream(input(), 'allpv', options)).rejects.toThrow(
    'The file is larger than 2 MB (QAL_IMPORT_MB) after decompression; import it in parts',
  );
  await readStream(input(), 'allpv', { ...options, limits: { unpackedBytes: 3 * 2 ** 20 } });
});

test('gzip members that decompress to nothing count toward the same limit', async () => {
  const nothing = gzipSync('');
  const options = { format: 'ndjson', limits: { unpackedBytes: 2 ** 16 } };
  const members = (count: number) => Readable.from(Array.from({ length: count }, () => nothing));
  await readStream(members(100), 'allpv', options);
  await expect(readStream(members(2 ** 16), 'allpv', options)).rejects.toThrow('(QAL_IMPORT_MB)');
});

describe('the regular expressions in a format', () => {
  const file = (matches: string) => ({
    about: 'lines in our format',
    layout: 'ndjson',
    materials: { allpv: { where: [{ from: 'kind', matches }], columns: { url: 'url' } } },
  });

  // attack: custom-format-expression-would
  test('take time proportional to the length of the text', async () => {
    const format = { name: 'ours', ...formatFileSchema.parse(file('^(a+)+$')) } as ReadableFormat;
    const { skipped } = await readText(`{"kind":"${'a'.repeat(100_000)}b"}\n`, 'allpv', { format });
    expect(skipped).toEqual({ 'other records': 1 });
  });

  test.each(['(a)\\1', 'a(?=b)', '('])('are rejected if they could take longer: %s', (matches) => {
    expect(formatFileSchema.safeParse(file(matches)).success).toBe(false);
  });
});

test.each([
  ['in one line', Array.from({ length: 2_001 }, (_unused, at) => `utm_sourc${at}`).join(',')],
  ['with quotes', Array.from({ length: 2_001 }, (_unused, at) => `"a\n${at}"`).join(',')],
])('the number of columns in a header is limited: %s', async (_label, header) => {
  await expect(readText(`${header}\n1\n`, 'allpv', { format: 'csv' })).rejects.toThrow(
    'has a header of 2001 columns; the maximum is 2000',
  );
});

test('a line that is kept does not keep the lines around it in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const sink = { full: () => false } as RecordSink;
  const kept: string[] = [];
  const take = (line: string) => {
    if (line.startsWith('kept')) kept.push(line);
    return [];
  };
  const chunk = `kept ${'x'.repeat(100)}\n${`skipped ${'x'.repeat(100)}\n`.repeat(1000)}`;
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  await readPieces(
    pieces(400, () => chunk),
    lineReader(sink, take, 1000),
    sink,
    eventLoopTurns(() => undefined),
  );
  collectGarbage();
  expect(kept).toHaveLength(400);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20 * chunk.length);
});
