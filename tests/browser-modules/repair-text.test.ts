// A repair only edits what differs, and selects it.
import fc from 'fast-check';
import { changedRange, repairText } from '../../extension/admin/browser/playground/repair-text';

const repair = (text: string, repaired: unknown) => {
  const found = repairText(text, repaired);
  return { text: found.text, changed: found.text.slice(found.changed.from, found.changed.to) };
};

test.each([
  [
    'a value in a list keeps the layout and the spelling of numbers around it',
    '{ "limit":1.0,\n\t"keep" : ["url" , "allpv.title"]  }',
    { limit: 1, keep: ['allpv.url', 'allpv.title'] },
    '{ "limit":1.0,\n\t"keep" : ["allpv.url" , "allpv.title"]  }',
    'allpv.',
  ],
  [
    'a key under another name stays where it stands',
    '{"make": {"a b": {"x": 1.50}, "c": 2}}',
    { make: { a_b: { x: 1.5 }, c: 2 } },
    '{"make": {"a_b": {"x": 1.50}, "c": 2}}',
    '_',
  ],
  ['a key is removed', '{"a": 1e2, "b": 2}', { a: 100 }, '{"a": 1e2}', ''],
  [
    'a list of another length is rewritten',
    '{"a": [1], "b": 1.0}',
    { a: [1, 2], b: 1 },
    '{"a": [1, 2], "b": 1.0}',
    ', 2',
  ],
  ['the wrapper stays', '{"qal":{"a":1}}', { a: 2 }, '{"qal":{"a":2}}', '2'],
  ['keys beside the wrapper are removed', '{"qal":{"a":1}, "x": 1}', { a: 1 }, '{"qal":{"a":1}}', ''],
])('%s', (_, text, repaired, expected, changed) => {
  expect(repair(text, repaired)).toEqual({ text: expected, changed });
});

test('a missing key is added by rewriting the object around it', () => {
  const text = '{"x": 1.0, "a": {\n    "b": 1.0,\n    "d": 3 } }';
  expect(repair(text, { x: 1, a: { b: 1, c: 2, d: 3 } }).text).toBe(
    '{"x": 1.0, "a": { "b": 1, "c": 2, "d": 3 } }',
  );
});

test('text that is not JSON is replaced as a whole', () => {
  expect(repair('{"a": ', { a: 1 })?.text).toBe('{ "a": 1 }');
});

test('for any two queries, the text becomes what the repair says', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), fc.dictionary(fc.string(), json), (one, other) => {
      const [before, after] = [{ make: one }, { make: other }].map((it) => JSON.parse(JSON.stringify(it)));
      expect(JSON.parse(repair(JSON.stringify(before), after)?.text ?? '')).toEqual(after);
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['abc', 'abXc', 'X'],
  ['aa', 'aaa', 'a'],
  ['abc', 'abc', ''],
  ['abc', 'ac', ''],
])('from %s to %s', (before, after, changed) => {
  const { from, to } = changedRange(before, after);
  expect(after.slice(from, to)).toBe(changed);
});
