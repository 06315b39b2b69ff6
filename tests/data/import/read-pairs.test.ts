import { readPairs } from '../../../extension/data/import/read-pairs';

test('pairs are read in their order', () => {
  expect([...readPairs('created_at=access_time, a=b=url')]).toEqual([
    ['created_at', 'access_time'],
    ['a=b', 'url'],
  ]);
});

test.each([
  ['pairs', Array.from({ length: 2_001 }, (_unused, at) => `a${at}=url`).join(), 'takes at most 2000 pairs.'],
  ['characters', `a=${'x'.repeat(65_535)}`, 'takes at most 65536 characters.'],
])('there is a bound of %s', (_what, text, reason) => {
  expect(() => readPairs(text)).toThrow(reason);
});
