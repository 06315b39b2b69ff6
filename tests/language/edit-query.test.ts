// An edit changes one place in a query and nothing else.
import { remove, rename, withEdit, write } from '../../extension/language/types/repair';

const QUERY = { make: { v: { from: 'allpv', keep: ['a', 'b', 'c'], filter: { x: 1, y: 2 } } }, result: {} };

const edited = (edit: Parameters<typeof withEdit>[1]) => JSON.stringify(withEdit(QUERY, edit));
const expected = (view: object) => JSON.stringify({ ...QUERY, make: { v: view } });
const { v } = QUERY.make;

test('a value is replaced in place', () => {
  expect(edited(write(['make', 'v', 'from'], ['allpv']))).toBe(expected({ ...v, from: ['allpv'] }));
  expect(edited(write(['make', 'v', 'keep', 1], 'B'))).toBe(expected({ ...v, keep: ['a', 'B', 'c'] }));
});

test('a new value is added last, together with its missing parents', () => {
  expect(edited(write(['make', 'v', 'calc', 'n'], 'COUNT(a.b)'))).toBe(
    expected({ ...v, calc: { n: 'COUNT(a.b)' } }),
  );
});

test('a value is removed', () => {
  expect(edited(remove(['make', 'v', 'keep', 0]))).toBe(expected({ ...v, keep: ['b', 'c'] }));
  expect(edited(remove(['make', 'v', 'filter', 'x']))).toBe(expected({ ...v, filter: { y: 2 } }));
});

test('a renamed key keeps its position', () => {
  expect(edited(rename(['make', 'v', 'filter', 'x'], 'z'))).toBe(expected({ ...v, filter: { z: 1, y: 2 } }));
});

test.each([
  ['renaming to an existing key', rename(['make', 'v', 'filter', 'x'], 'y')],
  ['removing a key that does not exist', remove(['version'])],
  ['renaming a key that does not exist', rename(['make', 'w'], 'x')],
  ['a position inside a string', remove(['make', 'v', 'from', 'x'])],
  ['a position past the end of a list', write(['make', 'v', 'keep', 7], 'd')],
  ['a property of the prototype', remove(['make', 'constructor'])],
])('%s changes nothing', (_name, edit) => {
  expect(edited(edit)).toBe(JSON.stringify(QUERY));
});
