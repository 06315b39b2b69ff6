// Rows as objects: the names of columns are whatever a query calls them.
import { rowObjects } from '../../extension/contracts/response-parts';

test('each value stands under the name of its column, in the order of the columns', () => {
  const [first] = rowObjects(['b', 'a'], [[1, 'x']]);
  expect(JSON.stringify(first)).toBe('{"b":1,"a":"x"}');
});

test('what is missing is null', () => {
  expect(rowObjects(['a', 'b'], [[null]])).toEqual([{ a: null, b: null }]);
});

test('a name that JavaScript has a meaning for is a name like any other', () => {
  const [first] = rowObjects(['__proto__', 'constructor'], [[1, 2]]);
  expect(JSON.stringify(first)).toBe('{"__proto__":1,"constructor":2}');
});
