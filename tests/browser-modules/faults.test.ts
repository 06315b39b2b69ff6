// What the editor marks: each fault at the text that it is about.
import { Validator } from '@cfworker/json-schema';
import { complete } from '../../extension/admin/browser/playground/completion';
import { faultsOf, type ServerError, serverFault } from '../../extension/admin/browser/playground/faults';
import { laidOut } from '../../extension/admin/browser/playground/laid-out';
import { siteIn } from '../../extension/admin/browser/playground/site-in-text';
import { SITE_CATALOGUE, SITES, servedSchema } from './site-catalogue';

const schema = servedSchema();
const checker = { schema, validator: new Validator(JSON.parse(JSON.stringify(schema)), '2020-12', false) };

/** The marked texts with what is said of each. */
const marked = (text: string) =>
  faultsOf(text, checker).map(({ from, to, message }) => [text.slice(from, to), message]);

const query = (changes: object = {}) =>
  JSON.stringify({
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-10-01T00:00:00', end: '2026-11-01T00:00:00', tz: 'Europe/Berlin' },
    make: { v: { from: ['allpv'], keep: ['allpv.url'] } },
    result: { use: 'v' },
    ...changes,
  });
const view = (changes: object) =>
  query({ make: { v: { from: ['allpv'], keep: ['allpv.url'], ...changes } } });

test('a right query has no faults, wrapped or not', () => {
  expect(marked(query())).toEqual([]);
  expect(marked(`{"qal": ${query()}}`)).toEqual([]);
  expect(marked(view({ filter: { a: 1, b: [1, 'x'], c: { eq: null }, d: { between: [1, 2] } } }))).toEqual(
    [],
  );
  expect(marked(query({ result: { use: 'v', count_only: true, limit: 'ignored' } }))).toEqual([]);
});

describe('syntax comes first, and alone', () => {
  test.each([
    ['', [['', 'There is no query.']]],
    ['{"a": }', [['}', 'A value is missing here.']]],
    ['{"a": 1 "b": 2}', [['"b"', 'A comma is missing here.']]],
    ['{"a": 1, "a": 2}', [['"a"', 'The key "a" is here twice.']]],
    [
      '{"qal": {}, "x": 1, "qal": {}}',
      [
        ['"qal"', 'The key "qal" is here twice.'],
        ['"x"', 'There is no key "x" beside "qal".'],
      ],
    ],
    ['{"a" 1}', [['1', 'A colon is missing here.']]],
    [
      '{"a": [1',
      [
        [expect.anything(), 'A closing ] is missing here.'],
        [expect.anything(), 'A closing } is missing here.'],
      ],
    ],
  ])('%s', (text, expected) => {
    expect(marked(text)).toEqual(expected);
  });
});

describe('what is nested too deeply', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const ofLevels = (levels: number) => `{"a": ${nested(levels - 1)}}`;

  test('is one fault at the first bracket of too many, however deep it goes on', () => {
    expect(faultsOf(ofLevels(32), undefined)).toEqual([]);
    for (const levels of [33, 100_000]) {
      const at = 6 + 31;
      const message = 'The query is nested too deeply: at most 32 levels are read.';
      expect(faultsOf(ofLevels(levels), checker)).toEqual([{ from: at, to: at + 1, message }]);
    }
    expect(faultsOf('['.repeat(100_000), checker)).toHaveLength(1);
  });

  test('brackets in texts and those that are closed do not count', () => {
    expect(faultsOf(`{"a": "${'['.repeat(40)}", "b": [${'[],'.repeat(40)}[]]}`, undefined)).toEqual([]);
  });

  test('is neither laid out, nor completed, nor repaired', () => {
    const text = ofLevels(50_000);
    expect(laidOut(text)).toBe(text);
    expect(complete(text, 8, { schema, catalogue: SITE_CATALOGUE, sites: SITES })).toBeNull();
    expect(siteIn(text)).toBeUndefined();
    expect(serverFault(text, { code: 'E', message: 'M', at: 'a[0]' })).toBeNull();
  });
});

test('a key that is half of a pair is left to the server', () => {
  expect(faultsOf('{"a\\ud800": 1}', checker)).toEqual([]);
});

describe('the schema', () => {
  test.each([
    [
      'a missing key',
      '{"tracking_id": "shop"}',
      '{',
      'The key "materials" is missing. What the views read from.',
    ],
    [
      'an unknown key',
      view({ wher: 1 }),
      '"wher":1',
      'There is no key "wher" here; the keys are from, keep, filter, join, calc, add, sort.',
    ],
    [
      'a wrong type',
      view({ from: 'allpv' }),
      '"from":"allpv"',
      'This must be a list in [ ]. One material of the query, or one earlier view.',
    ],
    [
      'a wrong form',
      view({ keep: ['url'] }),
      '"url"',
      'This does not have the right form. Columns as material.column. With calc they are the groups; without, the output.',
    ],
    [
      'a word that is none',
      view({ sort: { by: 'url', order: 'up' } }),
      '"order":"up"',
      'This is none of the known words. Rows without a value come last in both orders.',
    ],
    [
      'a time zone',
      query({ time: { start: '2026-10-01T00:00:00', end: '2026-11-01T00:00:00', tz: 'JST' } }),
      '"tz":"JST"',
      'This is none of the known words. Full IANA name of a time zone, as Asia/Tokyo.',
    ],
    [
      'an operator',
      view({ filter: { url: { like: 'x' } } }),
      '"like":"x"',
      'There is no key "like" here; the keys are eq, neq, gt, gte, lt, lte, contains, prefix, in, between.',
    ],
    [
      'a value of an operator',
      view({ filter: { url: { eq: [1] } } }),
      '"eq"',
      'This must be a text in quotes, a number, true or false or null. Equal. {eq: null} finds rows without a value.',
    ],
    [
      'a name of a view',
      query({ make: { 'a b': { from: ['allpv'], keep: ['allpv.url'] } } }),
      '"a b"',
      'This does not have the right form. The views by name. A view may read from an earlier one.',
    ],
    [
      'a limit',
      query({ result: { use: 'v', limit: 99_999 } }),
      '"limit":99999',
      '99999 is greater than 50000. The most rows of the answer; ignored with count_only.',
    ],
    [
      'one entry too many',
      view({ from: ['allpv', 'gsc'] }),
      '"gsc"',
      'This entry is one too many. One material of the query, or one earlier view.',
    ],
  ])('%s', (_, text, at, message) => {
    expect(marked(text)).toContainEqual([at, message]);
  });

  test('tells one fault of a value that has several alternatives', () => {
    expect(marked(view({ filter: { url: { like: 'x' } } }))).toHaveLength(1);
    expect(marked(view({ filter: { url: {} } }))).toEqual([
      ['"url"', expect.stringContaining('There are too few entries here.')],
    ]);
  });

  test('finds the place behind keys with every kind of letter', () => {
    expect(marked(view({ filter: { 'ä/b~c %41': { between: [1] } } }))).toEqual([
      ['"between"', expect.stringContaining('There are too few entries here.')],
    ]);
  });

  test('without the schema only the syntax is looked at', () => {
    expect(faultsOf('{"nothing": 1}', undefined)).toEqual([]);
  });
});

describe('an error of the server', () => {
  const error = (at: string): ServerError => ({ code: 'E_X', message: 'Wrong.', hint: 'Do so.', at });
  const text = `{ "qal": {
    "time": { "tz": "JST" },
    "make": { "top": {
      "from": ["allpv"],
      "filter": { "a.b": 1, "a": { "b": 2 } },
      "join": { "with": "x", "on": [{ "left": "allpv.url", "right": "x.url" }], "if not match": "maybe" } } } } }`;

  test.each([
    ['time.tz', '"tz": "JST"'],
    ['time.start', '"time"'],
    ['make.top.from', '"from"'],
    ['make.top.from[0]', '"allpv"'],
    ['make.top.join.on[0].left', '"left": "allpv.url"'],
    ['make.top.join.on[7].left', '"on"'],
    ['make.top.join.if not match', '"if not match": "maybe"'],
    ['make.top.filter.a.b', '"a.b": 1'],
    ['make.top.filter.a', '"a"'],
  ])('%s', (at, expected) => {
    const fault = serverFault(text, error(at));
    expect(fault && [text.slice(fault.from, fault.to), fault.message]).toEqual([expected, 'Wrong. Do so.']);
  });

  test.each(['version', 'result.use'])('%s is no place of this text', (at) => {
    expect(serverFault(text, error(at))).toBeNull();
  });

  test('without a place marks nothing', () => {
    expect(serverFault(text, { code: 'E_TIMEOUT', message: 'Too long.' })).toBeNull();
  });

  test.each([
    ['x', '"x": 1'],
    ['qal', '"qal"'],
  ])('beside the query: %s', (at, expected) => {
    const wrapped = '{"qal": {"make": {}}, "x": 1}';
    const fault = serverFault(wrapped, error(at));
    expect(fault && wrapped.slice(fault.from, fault.to)).toBe(expected);
  });
});
