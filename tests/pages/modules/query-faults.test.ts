// The marks in the editor: syntax errors, and errors from the server, at their positions. tests/language/parse tests the errors
// that the server finds with its schema, and tests/pages/playground.test.ts tests the request.
import { completeQuery } from '../../../extension/pages/browser/playground/complete-query';
import { formatQuery } from '../../../extension/pages/browser/playground/format-query';
import { faultOf, placeOf, syntaxFaults } from '../../../extension/pages/browser/playground/query-faults';
import { siteIn } from '../../../extension/pages/browser/playground/query-text';
import type { CheckedFault } from '../../../extension/pages/shared-types/query-check';
import { SITES, siteCatalogue } from './site-catalogue';

/** The marked parts of the text with their messages. */
const marked = (text: string) =>
  syntaxFaults(text).map(({ from, to, message }) => [text.slice(from, to), message]);

describe('text that is not JSON is marked', () => {
  test.each([
    ['', [['', 'The query is empty.']]],
    ['{"a": }', [['}', 'Expected a value.']]],
    ['{"a": 1 "b": 2}', [['"b"', 'Expected a comma.']]],
    ['{"a": 1, "a": 2}', []],
    ['{"a" 1}', [['1', 'Expected a colon.']]],
    [
      '{"a": [1',
      [
        [expect.anything(), 'Expected a closing ].'],
        [expect.anything(), 'Expected a closing }.'],
      ],
    ],
  ])('%s', (text, expected) => {
    expect(marked(text)).toEqual(expected);
  });
});

describe('text that is nested too deeply', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const ofLevels = (levels: number) => `{"a": ${nested(levels - 1)}}`;

  test('is left to the server and does not overflow the parser', () => {
    for (const levels of [32, 33, 100_000]) expect(syntaxFaults(ofLevels(levels))).toEqual([]);
  });

  test('brackets in strings and closed brackets do not count', () => {
    expect(syntaxFaults(`{"a": "${'['.repeat(40)}", "b": [${'[],'.repeat(40)}[]]}`)).toEqual([]);
  });

  test('is not formatted or completed, and positions are not looked up in it', () => {
    const text = ofLevels(50_000);
    expect(formatQuery(text)).toBe(text);
    expect(completeQuery(text, 8, { catalogue: siteCatalogue(), sites: SITES })).toBeNull();
    expect(siteIn(text)).toBeUndefined();
    expect(placeOf(text, { at: 'a[0]' })).toBeUndefined();
  });
});

describe('an error from the server', () => {
  const error = (at: string): CheckedFault => ({ code: 'E_X', message: 'Wrong.', hint: 'Do so.', at });
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
    const fault = faultOf(text, error(at));
    expect([text.slice(fault.from, fault.to), fault.message]).toEqual([expected, 'Wrong. Do so.']);
  });

  test.each(['version', 'result.use'])('%s is not a position in this text', (at) => {
    expect(placeOf(text, error(at))).toBeUndefined();
    expect(faultOf(text, error(at))).toMatchObject({ from: 0, to: 1 });
  });

  test('that does not name a position is not found in the text', () => {
    expect(placeOf(text, {})).toBeUndefined();
  });

  test.each([
    ['x', '"x": 1'],
    ['qal', '"qal"'],
  ])('next to the query: %s', (at, expected) => {
    const wrapped = '{"qal": {"make": {}}, "x": 1}';
    const fault = placeOf(wrapped, error(at));
    expect(fault && wrapped.slice(fault.from, fault.to)).toBe(expected);
  });

  test('includes its repair, with a label that shows whether it is certain', () => {
    const edits = [{ path: ['time', 'tz'], value: 'Asia/Tokyo' }];
    const named = (certain: boolean) =>
      faultOf(text, { ...error('time.tz'), repair: { certain, edits } }).repair;
    expect(named(true)).toEqual({ name: 'Apply the fix', edits });
    expect(named(false)).toEqual({ name: 'Try this fix', edits });
    expect(faultOf('', error('time.tz'))).toMatchObject({ from: 0, to: 0, repair: undefined });
  });
});
