// The hash of fingerprints is stored, so its values are pinned; and rows that differ get different ones.
import { hash128 } from '../../db/import/page-view/hash-128';

const hashOf = (numbers: readonly number[], seed: number): string => {
  const out = new Uint32Array(4);
  hash128(Uint32Array.from(numbers), numbers.length, seed, out);
  return [...out].map((word) => word.toString(16).padStart(8, '0')).join('');
};

test('its values never change', () => {
  expect(hashOf([], 0)).toBe('00000000000000000000000000000000');
  // As the published algorithm gives them for "abcdabcdabcdabcd" and for the numbers 1 to 4 with seed 5.
  expect([
    hashOf([0x64636261, 0x64636261, 0x64636261, 0x64636261], 0),
    hashOf([1, 2, 3, 4], 5),
  ]).toMatchInlineSnapshot(`
[
  "8de0d1071dd4aa4795754fe377bec981",
  "818e3a0b74922558c8a23fac8d25c0d7",
]
`);
});

test('no two of many near words agree', () => {
  const seen = new Set<string>();
  for (let a = 0; a < 100; a += 1) for (let b = 0; b < 100; b += 1) seen.add(hashOf([a, b, 0, 0], 0));
  for (let seed = 1; seed < 100; seed += 1) seen.add(hashOf([1, 1, 0, 0], seed));
  expect(seen.size).toBe(10_099);
});
