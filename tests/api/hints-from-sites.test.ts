// Hints that depend on the user's sites and on the time of the query.
import type { TestHost } from '../support/test-host';
import { QUERY, ROWS, startContractHost } from './contracts/contract-host';

/** 23:30 in Tokyo. */
const CLOCK = () => new Date('2026-03-02T14:30:00Z');

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost({ clock: CLOCK });
});
afterAll(() => host.stop());

/** Returns the query's error, which a check must also report. */
async function faultOf(query: object, login = 'ann') {
  const ask = (search: string) =>
    host.request('POST', QUERY + search, { user: host.credentials(login), body: query });
  const { error } = (await ask('')).body;
  const { faults } = (await ask('?check=1')).body.check;
  expect(faults).toContainEqual(error);
  return error;
}

const without = (key: keyof typeof ROWS) =>
  Object.fromEntries(Object.entries(ROWS).filter(([name]) => name !== key));
const timed = (changes: object) => ({ ...ROWS, time: { ...ROWS.time, ...changes } });

test.each([
  ['shop', 'Asia/Tokyo'],
  ['blog', 'Europe/Berlin'],
  ['all', 'Asia/Tokyo'],
])('if the zone is missing, the time zone of site %s is suggested', async (trackingId, zone) => {
  const { start, end } = ROWS.time;
  const error = await faultOf({ ...ROWS, tracking_id: trackingId, time: { start, end } });
  expect(error).toMatchObject({ code: 'E_TIME_REQUIRED', at: 'time.tz', hint: `Write "tz": "${zone}".` });
});

test.each([
  [undefined, '2026-02-01', '2026-03-01'],
  ['7d', '2026-02-23', '2026-03-02'],
  ['some day', '2026-02-01', '2026-03-01'],
])("for the time %j, days in the site's zone are suggested", async (time, first, last) => {
  const error = await faultOf({ ...without('time'), ...(time !== undefined && { time }) });
  expect(error).toMatchObject({
    code: 'E_TIME_REQUIRED',
    at: 'time',
    hint: `Write "time": {"start": "${first}T00:00:00", "end": "${last}T00:00:00", "tz": "Asia/Tokyo"}.`,
  });
});

test("if the zone is unknown, the site's zone is suggested", async () => {
  expect((await faultOf({ ...timed({ tz: 'local' }), tracking_id: 'blog' })).hint).toBe(
    'Write "tz": "Europe/Berlin".',
  );
  expect((await faultOf(timed({ tz: 'Asia/Tokio' }))).hint).toBe('Write "tz": "Asia/Tokyo".');
});

test('an absolute start is kept if only the end is relative', async () => {
  const { hint } = await faultOf(timed({ start: '2026-01-15T00:00:00', end: 'today' }));
  expect(hint).toContain('write "start": "2026-01-15T00:00:00", "end": "2026-03-03T00:00:00".');
});

test.each(['time.start', 'time.end'])(
  "with an unknown zone, %s is computed in the site's zone",
  async (at) => {
    const { start, end } =
      at === 'time.start' ? { start: '7d', end: 'today' } : { start: undefined, end: 'today' };
    const error = await faultOf({
      ...ROWS,
      time: { start: start ?? '2026-01-15T00:00:00', end, tz: 'local' },
    });
    const first = start === undefined ? '2026-01-15' : '2026-02-23';
    expect(error).toMatchObject({
      code: 'E_INVALID_TIME_RANGE',
      at,
      hint: `Write "time": {"start": "${first}T00:00:00", "end": "2026-03-03T00:00:00", "tz": "Asia/Tokyo"}.`,
    });
  },
);

test.each([
  ['ann', 'Write "tracking_id": "shop".'],
  ['bob', 'Write "tracking_id": "shop".'],
  ['nil', 'Add "tracking_id": a site from the guide.'],
])(
  'if the site is missing, the hint for %s names a site that this user may query, if there is one',
  async (login, hint) => {
    expect(await faultOf(without('tracking_id'), login)).toMatchObject({ code: 'E_MISSING_FIELD', hint });
  },
);

const WITHOUT_TODAY = 'Only complete days, weeks and months are included, so today is not.';
const WITH_TODAY = 'This includes today, which is not over.';

test.each([
  [{ start: '7d' }, '2026-02-23', '2026-03-02', WITHOUT_TODAY],
  [{ start: 'last_month', end: 'last_month' }, '2026-02-01', '2026-03-01', WITHOUT_TODAY],
  [{ start: '30daysAgo', end: 'yesterday' }, '2026-01-31', '2026-03-02', WITHOUT_TODAY],
  [{ start: '30daysAgo', end: 'today' }, '2026-01-31', '2026-03-03', WITH_TODAY],
  [{ start: 'now-7d', end: 'now' }, '2026-02-23', '2026-03-03', WITH_TODAY],
  [{ start: '7d', tz: 'JST' }, '2026-02-23', '2026-03-02', WITHOUT_TODAY],
  [{ end: 'today' }, '2026-03-02', '2026-03-03', WITH_TODAY],
  [{ start: 'yesterday', end: 'today', tz: 'Pacific/Kiritimati' }, '2026-03-02', '2026-03-04', WITH_TODAY],
])("%j is computed in the query's zone", async (time, start, end, today) => {
  const { hint, at } = await faultOf(timed(time));
  expect(hint).toBe(
    `Relative times are not supported: write "start": "${start}T00:00:00", "end": "${end}T00:00:00". ${today}`,
  );
  expect(at).toBe('start' in time ? 'time.start' : 'time.end');
});
