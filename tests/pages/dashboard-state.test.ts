// Data that changes while a dashboard is being read: in the end, all parts are from the same version, which is reported.
import { dashboardLines, type Reading } from '../../extension/pages/dashboard/dashboard-lines';
import type { HostUser } from '../../host-shim/extension-api';
import { allOf } from '../support/all-of';
import { startTestHost, type TestHost } from '../support/test-host';

const ROUTE = '/qa-platform-pages/dashboard';
const DAY = {
  site: 'shop',
  period: 'custom',
  from: '2026-11-01',
  to: '2026-11-01',
  compare: 'none',
} as const;

let host: TestHost;
let ann: HostUser;
let imported = 0;
const importView = () => {
  imported += 1;
  return host.importRows('allpv', 'shop', [
    {
      pv_id: imported,
      session_id: imported,
      reader_id: imported,
      pv: 1,
      is_last: 1,
      access_time: '2026-11-01T12:00:00Z',
      url: 'https://shop.example/',
    },
  ]);
};
beforeEach(async () => {
  imported = 0;
  host = await startTestHost({
    clock: () => new Date('2026-11-20T20:00:00Z'),
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    // Reading the file occupies the only slot.
    settings: { queriesPerUser: 1 },
  });
  ann = await host.createUser({ login: 'ann', role: 'administrator' });
  await importView();
});
afterEach(() => host.stop());

const ask = async (address: string, body: object) => {
  const { pieces } = await host.rest.dispatch({
    method: 'POST',
    address,
    user: ann,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  if (pieces === undefined) throw new Error('The response has no pieces.');
  return pieces[Symbol.asyncIterator]();
};

const askDashboard = async (...ids: string[]) => {
  const pieces = await ask(ROUTE, { ...DAY, filters: [], parts: ids.map((id) => ({ id })) });
  const next = async () => {
    const { done, value } = await pieces.next();
    return done === true ? undefined : JSON.parse(Buffer.from(value).toString('utf8'));
  };
  const rest = async () => {
    const lines = [];
    for (let line = await next(); line !== undefined; line = await next()) lines.push(line);
    return lines;
  };
  return { next, rest };
};

/** Occupies the user's only slot until the rest of the response is read. */
const takeSlot = async () => {
  const pieces = await ask('/qa-platform/query?format=csv', {
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-11-01T00:00:00', end: '2026-11-02T00:00:00', tz: 'UTC' },
    make: { v: { from: ['allpv'], keep: ['allpv.pv_id'] } },
    result: { use: 'v' },
  });
  return async () => {
    while ((await pieces.next()).done !== true);
  };
};

test('if the data does not change, it is sent once, with its version', async () => {
  const [head, ...parts] = await (await askDashboard('total visits', 'total visitors')).rest();
  expect(parts.map(({ id }) => id).sort()).toEqual(['total visitors', 'total visits']);
  const paged = await ask(ROUTE, { ...DAY, filters: [], parts: [{ id: 'page', offset: 0 }] });
  await paged.next();
  const { value } = await paged.next();
  expect(JSON.parse(Buffer.from(value).toString('utf8')).version).toBe(head.version);
});

test('after an import between two parts, both are sent again with the new version', async () => {
  await (await askDashboard('total visits')).rest();
  const releaseSlot = await takeSlot();
  // The first part is cached, and the second part waits for a slot.
  const { next, rest } = await askDashboard('total visits', 'total visitors');
  const before = await next();
  expect(await next()).toMatchObject({ id: 'total visits', rows: [[1, 1, 1, 0]] });
  await importView();
  await releaseSlot();
  const [head, ...parts] = await rest();
  expect(head).toMatchObject({ version: expect.any(String), range: before.range });
  expect(head.version).not.toBe(before.version);
  expect(Object.fromEntries(parts.map(({ id, rows }) => [id, rows[0][0]]))).toEqual({
    'total visits': 2,
    'total visitors': 2,
  });
});

describe('the lines', () => {
  const headOf = (version: string) => ({ version }) as Reading['head'];
  const part = (id: string, rows: number) => ({ id, query: {}, unfiltered: [], rows: [[rows]] });
  const readingOf = (version: number): Reading => ({
    head: headOf(`v${version}`),
    parts: ['a', 'b'].map((id) => Promise.resolve(part(id, version))),
  });
  const linesOf = async (versions: readonly number[]) => {
    const remaining = versions.map((version) => `v${version}`);
    let count = 0;
    const lines = dashboardLines(readingOf(0), {
      versionNow: async () => remaining.shift() ?? '',
      readAgain: async () => {
        count += 1;
        return readingOf(count);
      },
    });
    return (await allOf(lines)).map((line) => JSON.parse(Buffer.from(line).toString('utf8')));
  };

  test('the last part waits until the version has been checked again', async () => {
    expect(await linesOf([0])).toEqual([headOf('v0'), part('a', 0), part('b', 0)]);
    expect(await linesOf([1, 1])).toEqual([
      headOf('v0'),
      part('a', 0),
      headOf('v1'),
      part('a', 1),
      part('b', 1),
    ]);
  });

  test('if the data keeps changing, this is reported, and versions are not mixed', async () => {
    const lines = await linesOf([1, 2, 3, 4, 5, 6]);
    expect(lines).toHaveLength(5 * 2 + 3);
    expect(lines.slice(-2)).toEqual(
      ['a', 'b'].map((id) => ({
        id,
        query: {},
        unfiltered: [],
        error: expect.objectContaining({ code: 'data_changing' }),
      })),
    );
  });

  test('end when a part fails', async () => {
    const failed = Promise.reject(new Error('no'));
    failed.catch(() => undefined);
    const failing: Reading = { head: headOf('v0'), parts: [failed] };
    const site = { versionNow: async () => 'v0', readAgain: async () => failing };
    await expect(allOf(dashboardLines(failing, site))).rejects.toThrow('no');
  });
});
