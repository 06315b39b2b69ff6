// qal features list and set on a real database, and their effect on query and explain.
import { useCaseDatabase } from '../language/query-setup';
import { runCommand } from '../support/run-command';

const { database } = useCaseDatabase();
let now = new Date('2026-05-01T10:00:00Z');

beforeEach(() => database.write('analytics.feature_switch').delete());

const qal = (args: readonly string[], input?: string) =>
  runCommand({ database, clock: () => now }, args, input);

const listed = async (name: string) =>
  (await qal(['features', 'list'])).out.split('\n').find((line) => line.startsWith(`${name} `));

test('list shows every feature with its date and description', async () => {
  const { code, out, err } = await qal(['features', 'list']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^feature +state +since +switched off +about\n-+/);
  expect(await listed('filter')).toMatch(/^filter +on +2025-10-20 +The filter clause of a view\.$/);
  expect(await listed('sample')).toMatch(/^sample +off +Answers from a sample of the rows\.$/);
});

test('a feature that is switched off is listed with the date, and can be switched on again', async () => {
  now = new Date('2026-05-01T10:00:00Z');
  expect(await qal(['features', 'set', 'filter', 'off'])).toEqual({
    code: 0,
    out: '',
    err: 'filter is off.\n',
  });
  now = new Date('2026-05-02T10:00:00Z');
  // It is already off, so the date does not change.
  await qal(['features', 'set', 'filter', 'off']);
  expect(await listed('filter')).toMatch(/^filter +off +2025-10-20 +2026-05-01 +The filter/);
  expect(await qal(['features', 'set', 'filter', 'on'])).toMatchObject({ code: 0, err: 'filter is on.\n' });
  expect(await listed('filter')).toMatch(/^filter +on +2025-10-20 +The filter/);
});

test('a feature that this version does not have can be switched off in advance, but not on', async () => {
  expect(await qal(['features', 'set', 'sample', 'on'])).toEqual({
    code: 1,
    out: '',
    err: 'sample cannot be switched on: this version does not have it.\n',
  });
  expect(await qal(['features', 'set', 'sample', 'off'])).toMatchObject({ code: 0 });
});

test.each([
  [['filtr', 'off'], 1, 'There is no feature filtr. Did you mean filter?\n'],
  [['nonsense', 'on'], 1, 'There is no feature nonsense. "qal features list" lists all features.\n'],
])('set %s', async (args, code, err) => {
  expect(await qal(['features', 'set', ...args])).toEqual({ code, out: '', err });
  expect(await database.write('analytics.feature_switch')).toEqual([]);
});

test('set accepts only on and off', async () => {
  expect(await qal(['features', 'set', 'filter', 'maybe'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/Allowed choices are on, off/),
  });
});

test('list marks a switch for an unknown feature as unknown', async () => {
  await database.write('analytics.feature_switch').insert([
    { feature: 'flying', enabled: false, changed_at: now },
    { feature: 'swimming', enabled: true, changed_at: now },
  ]);
  expect(await listed('flying')).toMatch(/^flying +unknown +2026-05-02 +Not a feature of this version/);
  expect(await listed('swimming')).toMatch(/^swimming +unknown +Not a feature of this version/);
});

test.each(['query', 'explain'])('%s takes the switches into account', async (command) => {
  const body = JSON.stringify({
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
    make: { v: { from: ['allpv'], keep: ['allpv.url'], filter: { url: '/a' } } },
    result: { use: 'v' },
  });
  expect(await qal([command, '-'], body)).toMatchObject({ code: 0, err: '' });
  await qal(['features', 'set', 'filter', 'off']);
  expect(await qal([command, '-'], body)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^E_FEATURE_DISABLED at make\.v\.filter: /),
  });
});
