import { z } from 'zod';
import { hostName, plainValue } from '../../../extension/data/storage/plain-text';

const host = (length: number) => `${'a.'.repeat(200).slice(0, length - 1)}z`;
const label = (length: number) => `${'a'.repeat(length)}.example`;

test.each([
  ['a host of 253 characters', host(253), undefined],
  ['a host of 254 characters', host(254), 'must be at most 253 characters long'],
  ['a label of 63 characters', label(63), undefined],
  [
    'a label of 64 characters',
    label(64),
    'must be a host name such as shop.example, without https:// and without a path',
  ],
])('%s', (_title, text, message) => {
  expect(hostName.safeParse(text).error?.issues.map((issue) => issue.message)[0]).toBe(message);
});

/** A value nested in this number of lists. */
const nested = (levels: number): unknown => (levels === 0 ? 'text' : [nested(levels - 1)]);

test.each([
  ['8 levels', nested(8), undefined],
  ['9 levels', nested(9), 'is nested too deeply; the maximum is 8 levels'],
  ['a string of 10 characters', { key: 'x'.repeat(10) }, undefined],
  ['a string of 11 characters', { key: 'x'.repeat(11) }, 'must be at most 10 characters long'],
  ['a key of 11 characters', { ['x'.repeat(11)]: 1 }, 'must be at most 10 characters long'],
])('a value with %s', (_title, value, message) => {
  const schema = z.unknown().superRefine(plainValue(10));
  expect(schema.safeParse(value).error?.issues.map((issue) => issue.message)[0]).toBe(message);
});
