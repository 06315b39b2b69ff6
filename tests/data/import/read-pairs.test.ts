import { readPairs, writePairs } from '../../../extension/data/import/read-pairs';

test('pairs are read in order', () => {
  expect([...readPairs('created_at=access_time, a=b=url')]).toEqual([
    ['created_at', 'access_time'],
    ['a=b', 'url'],
  ]);
});

test('a name may occur twice, but only with the same value', () => {
  expect([...readPairs('a=-,a=-')]).toEqual([['a', '-']]);
  expect(() => readPairs('a=url, a=title')).toThrow('takes one value for a, not url and title.');
});

test.each([
  ['pairs', Array.from({ length: 2_001 }, (_unused, at) => `a${at}=url`).join(), 'takes at most 2000 pairs.'],
  ['characters', `a=${'x'.repeat(65_535)}`, 'takes at most 65536 characters.'],
])('the number of %s is limited', (_what, text, reason) => {
  expect(() => readPairs(text)).toThrow(reason);
});

test.each(['', ' Time ', '   ', ' ,', 'Duration, s', 'a=b', 'a\\', 'a\\,b', ',', '\tTab\t', 'two words'])(
  'a column named %j is read as written, before or after another one',
  (name) => {
    const pairs = [
      [name, 'url'],
      ['Mood', '-'],
    ] as const;
    expect([...readPairs(writePairs(pairs))]).toEqual(pairs);
    expect([...readPairs(writePairs([...pairs].reverse()))]).toEqual([...pairs].reverse());
  },
);
