// How the parameters of a route are read: from address, query and body, by type.
import type { RouteArgument } from '../../host-shim/extension-api';
import { readValues, refuseValues, type Said } from '../../host-shim/rest/read-values';

const argument = (type: RouteArgument['type'], more: Partial<RouteArgument> = {}): RouteArgument => ({
  type,
  description: 'A.',
  required: false,
  ...more,
});

function read(args: Record<string, RouteArgument>, said: Partial<Said>): unknown {
  const outcome = readValues({ args }, { params: {}, query: {}, body: { text: '' }, ...said });
  if (!outcome.ok) return outcome.answer.body;
  return refuseValues(outcome)?.body ?? outcome.values;
}

const json = (value: unknown): Partial<Said> => ({ body: { text: JSON.stringify(value) } });

const taken: readonly (readonly [string, RouteArgument, Partial<Said>, unknown])[] = [
  ['a text', argument('string'), json({ a: 'x' }), 'x'],
  ['an empty text that must be said', argument('string', { required: true }), json({ a: '' }), ''],
  [
    'a number beyond all that are told apart',
    argument('integer'),
    { query: { a: '9'.repeat(400) } },
    2 ** 53 - 1,
  ],
  ['a whole number', argument('integer'), json({ a: 7 }), 7],
  ['a whole number as text', argument('integer'), { query: { a: '-7' } }, -7],
  ['yes', argument('boolean'), json({ a: true }), true],
  ['yes as text', argument('boolean'), { query: { a: '1' } }, true],
  ['no as text', argument('boolean'), { query: { a: 'false' } }, false],
  ['an object', argument('object'), json({ a: { b: 1 } }), { b: 1 }],
  ['a list', argument('array'), json({ a: ['x', 'y z'] }), ['x', 'y z']],
  ['a list with commas', argument('array'), { query: { a: 'x, y' } }, ['x', 'y']],
  ['a list of items', argument('array'), { query: { a: ['x', 'y z'] } }, ['x', 'y z']],
  ['a list of numbers', argument('array', { items: { type: 'integer' } }), { query: { a: '3,7' } }, [3, 7]],
  ['text beyond the first plane', argument('string'), json({ a: '\u{1f600}' }), '\u{1f600}'],
  ['a list in a form', argument('array'), { body: { text: 'a[]=x&a[]=y', form: true } }, ['x', 'y']],
  ['what is usual', argument('integer', { default: 3 }), {}, 3],
  ['null for what is usual', argument('integer', { default: 3 }), json({ a: null }), 3],
  ['one of a choice', argument('string', { enum: ['x', 'y'] }), json({ a: 'y' }), 'y'],
  ['the least', argument('integer', { minimum: 1 }), json({ a: 1 }), 1],
  ['a form', argument('string'), { body: { text: 'a=x+%C3%A4', form: true } }, 'x ä'],
  ['the address before the body', argument('string'), { ...json({ a: 'b' }), params: { a: 'p' } }, 'p'],
  ['the body before the query', argument('string'), { ...json({ a: 'b' }), query: { a: 'q' } }, 'b'],
];

test.each(taken)('%s', (_label, arg, said, value) => {
  expect(read({ a: arg }, said)).toEqual({ a: value });
});

const refused: readonly (readonly [string, RouteArgument, Partial<Said>, string, string])[] = [
  [
    'a number for a text',
    argument('string'),
    json({ a: 1 }),
    'rest_invalid_type',
    'a is not of type string.',
  ],
  ['a fraction', argument('integer'), json({ a: 1.5 }), 'rest_invalid_type', 'a is not of type integer.'],
  ['no number', argument('integer'), { query: { a: 'x' } }, 'rest_invalid_type', 'a is not of type integer.'],
  [
    'a list for a text',
    argument('string'),
    { query: { a: ['x'] } },
    'rest_invalid_type',
    'a is not of type string.',
  ],
  [
    'a word in a list of numbers',
    argument('array', { items: { type: 'integer' } }),
    { query: { a: '3,x' } },
    'rest_invalid_type',
    'a[1] is not of type integer.',
  ],
  ...[
    json({ a: 'x\ud800y' }),
    json({ a: '\udc00\ud800' }),
    { body: { text: 'a=%ff%fe', form: true as const } },
    { query: { a: 'x\ufffd' } },
  ].map((said, place): (typeof refused)[number] => [
    `no Unicode, ${place}`,
    argument('string'),
    said,
    'rest_invalid_param',
    'a is not text in Unicode.',
  ]),
  [
    'no Unicode in a list',
    argument('array'),
    json({ a: ['x', '\ud800'] }),
    'rest_invalid_param',
    'a[1] is not text in Unicode.',
  ],
  ['a word', argument('boolean'), json({ a: 'yes' }), 'rest_invalid_type', 'a is not of type boolean.'],
  [
    'a list for an object',
    argument('object'),
    json({ a: [] }),
    'rest_invalid_type',
    'a is not of type object.',
  ],
  [
    'an object for a list',
    argument('array'),
    json({ a: {} }),
    'rest_invalid_type',
    'a is not of type array.',
  ],
  [
    'a number in a list',
    argument('array'),
    json({ a: ['x', 1] }),
    'rest_invalid_type',
    'a[1] is not of type string.',
  ],
  [
    'none of the choice',
    argument('string', { enum: ['x', 'y', 'z'] }),
    json({ a: 'w' }),
    'rest_not_in_enum',
    'a is not one of x, y, and z.',
  ],
  [
    'too little',
    argument('integer', { minimum: 1 }),
    json({ a: 0 }),
    'rest_out_of_bounds',
    'a must be greater than or equal to 1',
  ],
  [
    'too much',
    argument('integer', { maximum: 9 }),
    json({ a: 10 }),
    'rest_out_of_bounds',
    'a must be less than or equal to 9',
  ],
  [
    'outside',
    argument('integer', { minimum: 1, maximum: 9 }),
    json({ a: 10 }),
    'rest_out_of_bounds',
    'a must be between 1 (inclusive) and 9 (inclusive)',
  ],
];

test.each(refused)('%s', (_label, arg, said, code, message) => {
  expect(read({ a: arg }, said)).toMatchObject({
    code: 'rest_invalid_param',
    message: 'Invalid parameter(s): a',
    data: { status: 400, params: { a: message }, details: { a: { code, message } } },
  });
});

test('what is missing and what is wrong is told in one answer', () => {
  const required = argument('string', { required: true });
  expect(read({ a: required, b: required, c: argument('integer') }, json({ c: 'x' }))).toEqual({
    code: 'rest_missing_callback_param',
    message: 'Missing parameter(s): a, b',
    data: {
      status: 400,
      params: ['a', 'b'],
      details: {
        c: { code: 'rest_invalid_type', message: 'c is not of type integer.', data: { param: 'c' } },
      },
    },
  });
});

describe('an empty text is nothing said, of each type that may be left out', () => {
  test.each(['string', 'integer', 'boolean', 'object', 'array'] as const)('%s', (type) => {
    const form = { body: { text: 'a=', form: true as const } };
    for (const said of [form, json({ a: '' }), { query: { a: '' } }]) {
      expect(read({ a: argument(type) }, said)).toEqual({});
    }
  });

  test('what is usual stands in its place', () => {
    expect(read({ a: argument('integer', { default: 3 }) }, { query: { a: '' } })).toEqual({ a: 3 });
  });
});

describe('an empty text that the route refuses', () => {
  const route = { args: { a: argument('array'), b: argument('integer') }, refuseEmpty: ['a', 'b'] };
  const readOf = (said: Partial<Said>) => {
    const outcome = readValues(route, { params: {}, query: {}, body: { text: '' }, ...said });
    return outcome.ok ? [outcome.values, Object.keys(outcome.faults)] : outcome.answer;
  };

  test.each([
    ['in a form', { body: { text: 'a=&b=', form: true as const } }],
    ['in JSON', json({ a: '', b: '' })],
    ['in the query', { query: { a: '', b: '' } }],
    ['in the body, before what the query says', { ...json({ a: '', b: '' }), query: { a: 'x', b: '7' } }],
  ])('%s', (_label, said) => {
    expect(readOf(said)).toEqual([{}, ['a', 'b']]);
  });

  test('what is left out or null is nothing said', () => {
    expect(readOf(json({ a: null }))).toEqual([{}, []]);
  });
});

test('names that nobody knows are refused where the route says so', () => {
  const outcome = readValues(
    { args: { a: argument('string'), b: argument('string') }, refuseUnknown: { except: ['shown'] } },
    {
      params: { id: '7' },
      query: { _fields: 'a', id: '8', ip: 'x' },
      body: { text: '{"expiry": 1, "shown": 2, "a": "x"}' },
    },
  );
  expect(outcome).toMatchObject({ values: { id: '7', a: 'x' } });
  const faults = outcome.ok ? outcome.faults : {};
  expect(Object.keys(faults)).toEqual(['ip', 'expiry']);
  expect(faults.expiry?.message).toBe('expiry is not a parameter here; these are: a and b.');
});

test('only what the route names is taken, and names of the language are names', () => {
  const said = { body: { text: '{"__proto__": "x", "constructor": "y", "other": 1}' } };
  expect(read({}, said)).toEqual({});
  const values = read({ constructor: argument('string') }, said);
  expect(values).toEqual({ constructor: 'y' });
  expect(read({ toString: argument('string', { required: true }) }, {})).toMatchObject({
    code: 'rest_missing_callback_param',
  });
});

test('names of the address are there without an argument', () => {
  expect(read({}, { params: { uuid: 'x' } })).toEqual({ uuid: 'x' });
});
