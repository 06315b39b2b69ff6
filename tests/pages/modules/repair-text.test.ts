// A repair changes only what its edits affect, and the changed part can be selected.
import fc from 'fast-check';
import { remove, rename, withEdits, write } from '../../../extension/language/types/repair';
import { changedRange, repairText } from '../../../extension/pages/browser/playground/repair-text';
import type { QueryEdit } from '../../../extension/pages/shared-types/query-check';

test.each<readonly [string, string, readonly QueryEdit[], string]>([
  [
    'replacing a value in a list keeps the layout and the notation of the numbers around it',
    '{ "limit":1.0,\n\t"keep" : ["url" , "allpv.title"]  }',
    [write(['keep', 0], 'allpv.url')],
    '{ "limit":1.0,\n\t"keep" : ["allpv.url" , "allpv.title"]  }',
  ],
  [
    'a renamed key keeps its position',
    '{"make": {"a b": {"x": 1.50}, "c": 2}}',
    [rename(['make', 'a b'], 'a_b')],
    '{"make": {"a_b": {"x": 1.50}, "c": 2}}',
  ],
  ['a key is removed', '{"a": 1e2, "b": 2}', [remove(['b'])], '{"a": 1e2}'],
  ['items are removed from the end', '{"a": [1, 2, 3]}', [remove(['a', 0]), remove(['a', 2])], '{"a": [2]}'],
  ['the wrapper is kept', '{"qal":{"a":1}}', [write(['a'], 2)], '{"qal":{"a":2}}'],
  ['a new value has the same indentation', '{\n  "a": 1\n}', [write(['b'], 2)], '{\n  "a": 1,\n  "b": 2\n}'],
  ['an existing key is not overwritten', '{"a": 1, "b": 2}', [rename(['a'], 'b')], '{"a": 1, "b": 2}'],
  ['text that is not JSON is not changed', '{"a": ', [write(['a'], 1)], '{"a": '],
])('%s', (_, text, edits, expected) => {
  expect(repairText(text, edits)).toBe(expected);
});

test("for any query, the result is the same as the server's", () => {
  const key = fc.constantFrom('a', 'b c', '"', '__proto__', 'd');
  const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null));
  const member = fc.oneof(leaf, fc.array(leaf), fc.dictionary(key, leaf));
  const path = fc.oneof(fc.tuple(key), fc.tuple(key, fc.oneof(key, fc.nat(3))));
  const edit = fc.oneof(
    fc.tuple(key, member).map(([name, value]) => write([name], value)),
    path.map((keys) => remove(keys)),
    fc.tuple(path, key).map(([keys, name]) => rename(keys, name)),
  );
  fc.assert(
    fc.property(fc.dictionary(key, member), fc.array(edit, { maxLength: 1 }), (query, edits) => {
      const text = JSON.stringify(query);
      expect(JSON.parse(repairText(text, edits))).toEqual(
        JSON.parse(JSON.stringify(withEdits(JSON.parse(text), edits))),
      );
    }),
    { numRuns: 300 },
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
