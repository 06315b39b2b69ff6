// Parameters are stored exactly as written, or rejected if parsing would change them.
import { Readable } from 'node:stream';
import { jsonLoss, parseKeepingDigits } from '../../../extension/data/import/exact-json';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import type { RejectedRow } from '../../../extension/data/import/rejected-rows';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite } from './import-setup';
import { readText } from './read-format';

const database = useTestDatabase();

const AT = 1_770_000_000;
const lossOf = (text: string): string | undefined => jsonLoss(text, JSON.parse(text), 'outside');

test.each([
  '0',
  '-0.0',
  '0e999',
  '0.1',
  '49.90',
  '1e300',
  '1E-300',
  '-12.5e+3',
  '9007199254740991',
  '9007199254740992',
  '9007199254740994',
  '10000000000000000000000',
  '49.900000000000006',
  '0.10000000000000001',
  '0.1000000000000000055511151231257827',
  '5e-324',
  '1.7976931348623157e308',
])('the number %s is stored exactly', (number) => {
  expect(lossOf(`{"a":${number}}`)).toBeUndefined();
});

test.each([
  ['9007199254740993', '9007199254740992'],
  ['-9007199254740993.0', '-9007199254740992'],
  ['12345678901234567890', '12345678901234567000'],
  ['0.12345678901234567890123', '0.12345678901234568'],
  ['1e400', 'Infinity'],
  ['-1e400', '-Infinity'],
  ['1e-400', '0'],
  ['9.007199254740993e15', '9007199254740992'],
  ['1.23456789e-320', '1.2347e-320'],
])('the number %s is rejected', (number, storedAs) => {
  const words = `contains the number ${number}, which would be stored as ${storedAs}; write it as text`;
  expect(lossOf(`{"a":${number}}`)).toBe(words);
  expect(lossOf(`{"a":["x", {"b" : ${number} }]}`)).toBe(words);
});

test.each([
  ['{"a":1,"a":1}', '"a"'],
  ['{"b":{"c":1 , "a" : 2},"a":[{"x":1},{"x":1,"y":2,"x":3}]}', '"x"'],
  ['{"a":[0],"a":[1]}', '"a"'],
  ['{"a":1,"\\u0061":2}', '"\\u0061"'],
  ['{"__proto__":1,"__proto__":2}', '"__proto__"'],
])('%s has a repeated key', (text, key) => {
  expect(lossOf(text)).toBe(`has the key ${key} twice`);
});

test.each([
  '{"a":"9007199254740993 1e400","1e400":1}',
  '{"a":":","b":"\\":","c":{"a":{"a":1}},"d":[{"a":1},{"a":1}]}',
  '{"a\\\\":1,"a":"\\\\\\":1","":{"":""}}',
  '[]',
  '{ }',
])('nothing is lost from %s', (text) => {
  expect(lossOf(text)).toBeUndefined();
});

test("numbers that would lose digits become text in other tools' records, at any depth", () => {
  const text =
    '{"id": 12345678901234567890,"a":[1.5, -9007199254740993,{"b":1e400}],"c":"12345678901234567890","d":9007199254740992,"e":-0.0}';
  expect(parseKeepingDigits(text)).toEqual({
    id: '12345678901234567890',
    a: [1.5, '-9007199254740993', { b: '1e400' }],
    c: '12345678901234567890',
    d: 9007199254740992,
    e: -0,
  });
  expect(() => parseKeepingDigits('{"a":12345678901234567890')).toThrow(SyntaxError);
});

test('an event from another tool keeps a parameter with too many digits', async () => {
  const event = {
    event_timestamp: '1772439302000000',
    event_name: 'buy',
    user_pseudo_id: 'u',
    event_params: [{ key: 'order', value: { int_value: 0 } }],
  };
  const text = JSON.stringify(event).replace('"int_value":0', '"int_value":12345678901234567890');
  const { rows, wrong } = await readText(text, 'datalayer_event', { format: 'ga4' });
  expect(wrong).toEqual([]);
  expect(rows).toMatchObject([{ event_name: 'buy', params: { order: '12345678901234567890' } }]);
});

test('deeply nested JSON and long strings are checked too', () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  expect(lossOf(deep)).toBeUndefined();
  expect(lossOf(`{"a":"${'\\"x\\":'.repeat(150_000)}","b":1,"b":2}`)).toBe('has the key "b" twice');
});

const load = (site: string, text: string, format: 'ndjson' | 'csv', rejected: RejectedRow[]) =>
  importFile({
    write: database.write,
    manifest,
    material: 'datalayer_event',
    site,
    input: Readable.from([Buffer.from(text)]),
    format,
    source: 'test',
    onError: 'skip',
    clock: () => new Date(0),
    onRejected: (row) => void rejected.push(row),
  });

test('rows that parsing would change are rejected, and the others are stored exactly', async () => {
  const site = await newSite(database.write);
  const url = 'https://example.com/';
  await importRows(database.write, manifest, {
    material: 'allpv',
    site,
    rows: [{ pv_id: 1, url, access_time: AT }],
  });
  const rejected: RejectedRow[] = [];
  const line = (params: string, more = '') =>
    `{"pv_id":1,"access_time":${AT}.12345678901234567890,"event_name":"e","params":${params}${more}}\n`;
  const ndjson = [
    line('{"order":9007199254740993}'),
    line('{"order":9007199254740992}'),
    line('{"order":"9007199254740993"}'),
    line('"{\\"order\\":9007199254740993}"'),
    line('{"a":1,"a":2}'),
    line('{}', ',"pv_id":1'),
  ];
  expect(await load(site, ndjson.join(''), 'ndjson', rejected)).toMatchObject({ added: 2, rejected: 4 });
  const csv = `pv_id,access_time,event_name,params\n1,${AT},c,"{""o"":9007199254740993}"\n1,${AT},c,"{""o"":1,""o"":1}"\n`;
  expect(await load(site, csv, 'csv', rejected)).toMatchObject({ added: 0, rejected: 2 });
  const number =
    'contains the number 9007199254740993, which would be stored as 9007199254740992; write it as text';
  expect(rejected.map((row) => [row.line, row.reason])).toEqual([
    [1, number],
    [4, number],
    [5, 'has the key "a" twice'],
    [6, 'has the key "pv_id" twice'],
    [2, number],
    [3, 'has the key "o" twice'],
  ]);
  expect(rejected[0]?.row).toBe(ndjson[0]?.trim());
  const stored = await database.write.raw(
    `SELECT params::text FROM analytics.event JOIN analytics.site USING (site_id) WHERE tracking_id = ? ORDER BY event_id`,
    [site],
  );
  expect(stored.rows).toEqual([
    { params: '{"order": 9007199254740992}' },
    { params: '{"order": "9007199254740993"}' },
  ]);
});
