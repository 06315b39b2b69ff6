// How the parameters of a route are read from the path, query and body, by type.
import { z } from 'zod';
import { type Received, readInput, refuseInput } from '../../host-shim/rest/read-input';

const text = z.string().optional();
const integer = z.int().optional();
const boolean = z.boolean().optional();
const object = z.record(z.string(), z.unknown()).optional();
const array = z.array(z.string()).optional();
const integers = z.array(z.int()).optional();

const NOTHING: Received = { params: {}, query: {}, body: { text: '' } };

function read(shape: z.core.$ZodLooseShape, sent: Partial<Received>): unknown {
  const outcome = readInput(z.object(shape), { ...NOTHING, ...sent });
  return refuseInput(outcome)?.body ?? { ...outcome.values };
}

const json = (value: unknown): Partial<Received> => ({ body: { text: JSON.stringify(value) } });

const accepted: readonly (readonly [string, z.ZodType, Partial<Received>, unknown])[] = [
  ['a string', text, json({ a: 'x' }), 'x'],
  ['a required empty string', z.string(), json({ a: '' }), ''],
  ['a number beyond the safe integer range', integer, { query: { a: '9'.repeat(400) } }, 2 ** 53 - 1],
  ['a whole number', integer, json({ a: 7 }), 7],
  ['a whole number as text', integer, { query: { a: '-7' } }, -7],
  ['a boolean', boolean, json({ a: true }), true],
  ['true as text', boolean, { query: { a: '1' } }, true],
  ['false as text', boolean, { query: { a: 'false' } }, false],
  ['an object', object, json({ a: { b: 1 } }), { b: 1 }],
  ['a list', array, json({ a: ['x', 'y z'] }), ['x', 'y z']],
  ['a comma-separated list', array, { query: { a: 'x, y' } }, ['x', 'y']],
  ['a list of items', array, { query: { a: ['x', 'y z'] } }, ['x', 'y z']],
  ['a list of numbers', integers, { query: { a: '3,7' } }, [3, 7]],
  ['a character beyond the basic multilingual plane', text, json({ a: '\u{1f600}' }), '\u{1f600}'],
  ['a list in a form', array, { body: { text: 'a[]=x&a[]=y', form: true } }, ['x', 'y']],
  ['a default', z.int().default(3), {}, 3],
  ['null, which selects the default', z.int().default(3), json({ a: null }), 3],
  ['one of several choices', z.enum(['x', 'y']).optional(), json({ a: 'y' }), 'y'],
  ['the minimum', z.int().min(1).optional(), json({ a: 1 }), 1],
  ['a form', text, { body: { text: 'a=x+%C3%A4', form: true } }, 'x ä'],
  ['the path takes precedence over the body', text, { ...json({ a: 'b' }), params: { a: 'p' } }, 'p'],
  ['the body takes precedence over the query', text, { ...json({ a: 'b' }), query: { a: 'q' } }, 'b'],
];

test.each(accepted)('%s', (_label, arg, sent, value) => {
  expect(read({ a: arg }, sent)).toEqual({ a: value });
});

const refused: readonly (readonly [string, z.ZodType, Partial<Received>, string, string])[] = [
  ['a number for a string', text, json({ a: 1 }), 'rest_invalid_type', 'a is not of type string.'],
  ['a fraction', integer, json({ a: 1.5 }), 'rest_invalid_type', 'a is not of type integer.'],
  ['not a number', integer, { query: { a: 'x' } }, 'rest_invalid_type', 'a is not of type integer.'],
  [
    'an object with a length for a string',
    z.string().max(9),
    json({ a: { length: { valueOf: 1, toString: 1 } } }),
    'rest_invalid_type',
    'a is not of type string.',
  ],
  [
    'an object with a length for a list',
    array.unwrap().min(1),
    json({ a: { length: { valueOf: 1, toString: 1 } } }),
    'rest_invalid_type',
    'a is not of type array.',
  ],
  ['a list for a string', text, { query: { a: ['x'] } }, 'rest_invalid_type', 'a is not of type string.'],
  [
    'a word in a list of numbers',
    integers,
    { query: { a: '3,x' } },
    'rest_invalid_type',
    'a[1] is not of type integer.',
  ],
  ...[
    json({ a: 'x\ud800y' }),
    json({ a: '\udc00\ud800' }),
    { body: { text: 'a=%ff%fe', form: true as const } },
    { query: { a: 'x\ufffd' } },
  ].map((sent, index): (typeof refused)[number] => [
    `invalid Unicode, ${index}`,
    text,
    sent,
    'rest_invalid_param',
    'a is not valid Unicode text.',
  ]),
  [
    'invalid Unicode in a list',
    array,
    json({ a: ['x', '\ud800'] }),
    'rest_invalid_param',
    'a[1] is not valid Unicode text.',
  ],
  [
    'a character that cannot be stored',
    text,
    json({ a: 'x\0' }),
    'rest_invalid_param',
    'a contains the character U+0000, which cannot be stored.',
  ],
  ['a word for a boolean', boolean, json({ a: 'yes' }), 'rest_invalid_type', 'a is not of type boolean.'],
  ['a list for an object', object, json({ a: [] }), 'rest_invalid_type', 'a is not of type object.'],
  ['an object for a list', array, json({ a: {} }), 'rest_invalid_type', 'a is not of type array.'],
  ['a number in a list', array, json({ a: ['x', 1] }), 'rest_invalid_type', 'a[1] is not of type string.'],
  [
    'not one of the choices',
    z.enum(['x', 'y', 'z']).optional(),
    json({ a: 'w' }),
    'rest_not_in_enum',
    'a is not one of x, y, and z.',
  ],
  [
    'not one of the choices in a list',
    z.array(z.enum(['x', 'y'])).optional(),
    { query: { a: 'x,w' } },
    'rest_not_in_enum',
    'a[1] is not one of x and y.',
  ],
  [
    'too small',
    z.int().min(1).optional(),
    json({ a: 0 }),
    'rest_out_of_bounds',
    'a must be greater than or equal to 1',
  ],
  [
    'too large',
    z.int().max(9).optional(),
    json({ a: 10 }),
    'rest_out_of_bounds',
    'a must be less than or equal to 9',
  ],
  [
    'outside the range',
    z.int().min(1).max(9).optional(),
    json({ a: 10 }),
    'rest_out_of_bounds',
    'a must be between 1 (inclusive) and 9 (inclusive)',
  ],
];

test.each(refused)('%s', (_label, arg, sent, code, message) => {
  expect(read({ a: arg }, sent)).toMatchObject({
    code: 'rest_invalid_param',
    message: 'Invalid parameter(s): a',
    data: { status: 400, params: { a: message }, details: { a: { code, message } } },
  });
});

test('missing and invalid parameters are reported in one response', () => {
  const required = z.string();
  expect(read({ a: required, b: required, c: integer }, json({ c: 'x' }))).toEqual({
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

describe('an empty string for an optional parameter is treated as not sent', () => {
  test.each(Object.entries({ text, integer, boolean, object, array }))('%s', (_type, schema) => {
    const form = { body: { text: 'a=', form: true as const } };
    for (const sent of [form, json({ a: '' }), { query: { a: '' } }]) {
      expect(read({ a: schema }, sent)).toEqual({});
    }
  });

  test('the default replaces it', () => {
    expect(read({ a: z.int().default(3) }, { query: { a: '' } })).toEqual({ a: 3 });
  });
});

describe('an empty string for a parameter with emptyIsSent is treated as sent', () => {
  const input = z.object({
    a: z.array(z.string()).min(1).optional().meta({ emptyIsSent: true }),
    b: integer.meta({ emptyIsSent: true }),
  });
  const readOf = (sent: Partial<Received>) => {
    const { values, faults } = readInput(input, { ...NOTHING, ...sent });
    return [values, Object.keys(faults)];
  };

  test.each([
    ['in a form', { body: { text: 'a=&b=', form: true as const } }],
    ['in JSON', json({ a: '', b: '' })],
    ['in the query', { query: { a: '', b: '' } }],
    ['in the body, overriding the query', { ...json({ a: '', b: '' }), query: { a: 'x', b: '7' } }],
  ])('%s', (_label, sent) => {
    expect(readOf(sent)).toEqual([{}, ['a', 'b']]);
  });

  test('a missing parameter and null are treated as not sent', () => {
    expect(readOf(json({ a: null }))).toEqual([{}, []]);
  });
});

test('a strict object rejects unknown names', () => {
  const shown = z.unknown().optional().readonly();
  const outcome = readInput(z.strictObject({ a: text, b: text, shown, id: z.int() }), {
    params: { id: '7' },
    query: { _fields: 'a', id: '8', ip: 'x' },
    body: { text: '{"expiry": 1, "shown": 2, "a": "x"}' },
  });
  expect(outcome).toMatchObject({ values: { id: 7, a: 'x' } });
  expect(Object.keys(outcome.faults)).toEqual(['ip', 'expiry']);
  expect(outcome.faults.expiry?.message).toBe(
    'expiry is not a parameter of this route; its parameters are: a, b, and id.',
  );
});

test('only parameters of the route are read, and toString is a name like any other', () => {
  const sent = { body: { text: '{"__proto__": "x", "constructor": "y", "other": 1}' } };
  expect(read({}, sent)).toEqual({});
  const values = read({ constructor: text }, sent);
  expect(values).toEqual({ constructor: 'y' });
  expect(read({ toString: z.string() }, {})).toMatchObject({
    code: 'rest_missing_callback_param',
  });
});
