import { finish, type Steps } from '../../extension/language/types/steps';
import { jsonInSteps } from '../../extension/query/explained';

const textOf = (steps: Steps<readonly Uint8Array[]>): string => Buffer.concat(finish(steps)).toString();

const VALUES: readonly unknown[] = [
  null,
  'a',
  [],
  {},
  [1, 'a "quoted" ü\n\u2028', null, true, -0, 1e300],
  { b: { '': [] }, a: [{}, [[]]], '2': undefined, 'a"b': 1.5 },
  [undefined, [undefined], { a: undefined }],
  Object.freeze({ a: Object.freeze(['b']) }),
  Object.assign(Object.create(null), { constructor: 1 }),
  Array.from({ length: 200_000 }, (_, index) => index),
];

test.each(VALUES.map((value) => [JSON.stringify(value).slice(0, 40), value]))(
  'writes %s as JSON.stringify does',
  (_text, value) => {
    expect(textOf(jsonInSteps(value))).toBe(JSON.stringify(value));
  },
);

test('writes a deeply nested value', () => {
  let value: object = {};
  for (let level = 0; level < 20_000; level += 1) value = { a: value };
  expect(textOf(jsonInSteps(value))).toHaveLength(20_000 * '{"a":}'.length + 2);
});

test('omits members by name, at every level', () => {
  const value = { siteId: 1, a: [{ siteId: 2, b: 'siteId' }], c: { siteId: 3 } };
  expect(JSON.parse(textOf(jsonInSteps(value, new Set(['siteId']))))).toEqual({
    a: [{ b: 'siteId' }],
    c: {},
  });
});

test('writes a large value in many steps of similar size', () => {
  const steps = jsonInSteps(Array.from({ length: 50_000 }, (_, index) => ({ name: `row ${index}` })));
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  const lengths = step.value.map(({ length }) => length);
  expect(count).toBeGreaterThan(50);
  expect(Math.max(...lengths)).toBeLessThan(20_000);
});
