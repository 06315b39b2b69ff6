// A repair in the text that it repairs: only what differs is edited, and that is what is selected.
import fc from 'fast-check';
import { changedRange, repairedText } from '../../extension/admin/browser/playground/repaired-text';

const repair = (text: string, repaired: unknown) => {
  const found = repairedText(text, { code: 'E', message: 'M', details: { repaired } });
  return found && { text: found.text, changed: found.text.slice(found.changed.from, found.changed.to) };
};

test('an error without a repair repairs nothing', () => {
  expect(repairedText('{}', { code: 'E', message: 'M', details: {} })).toBeUndefined();
});

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
  ['a key is taken out', '{"a": 1e2, "b": 2}', { a: 100 }, '{"a": 1e2}', ''],
  [
    'a list of another length is written anew',
    '{"a": [1], "b": 1.0}',
    { a: [1, 2], b: 1 },
    '{"a": [1, 2], "b": 1.0}',
    ', 2',
  ],
  ['the wrapper stays', '{"qal":{"a":1}}', { a: 2 }, '{"qal":{"a":2}}', '2'],
  ['what stands beside the wrapper goes', '{"qal":{"a":1}, "x": 1}', { a: 1 }, '{"qal":{"a":1}}', ''],
])('%s', (_, text, repaired, expected, changed) => {
  expect(repair(text, repaired)).toEqual({ text: expected, changed });
});

test.each([
  ['between', '{\n  "a": 1.0,\n  "c": 3\n}', { a: 1, b: 2, c: 3 }, '{\n  "a": 1.0,\n  "b": 2,\n  "c": 3\n}'],
  ['first', '{ "c": 3.0 }', { b: 2, c: 3 }, '{ "b": 2, "c": 3.0 }'],
  ['alone', '{"a": {}}', { a: { b: 2 } }, '{"a": {"b": 2}}'],
])('a key is put in where the repair has it: %s', (_, text, repaired, expected) => {
  expect(repair(text, repaired)?.text).toBe(expected);
});

test('a text that is no JSON is replaced as a whole', () => {
  expect(repair('{"a": ', { a: 1 })?.text).toBe('{ "a": 1 }');
});

test('whatever the two are, the text says what the repair says', () => {
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
