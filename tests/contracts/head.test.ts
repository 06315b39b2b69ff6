// Contract 2026-05-11 over HTTP: the exact bodies of answers, errors and the guide.

import { join } from 'node:path';
import type { Knex } from 'knex';
import { ERRORS } from '../../extension/errors/error-table';
import { readCases } from '../qal/case-file';
import { loadCaseData } from '../qal/query-setup';
import { startTestHost, type TestAnswer, type TestHost } from '../support/test-host';

const QUERY = '/wp-json/qa-platform/query';
const GUIDE = '/wp-json/qa-platform/guide';
const USERS = [
  { login: 'ann', role: 'administrator' },
  { login: 'bob', role: 'analyst', sites: ['shop'] },
  { login: 'nil', role: 'analyst' },
] as const;

const TOP = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: {
    top: {
      from: ['allpv'],
      keep: ['allpv.url'],
      calc: { views: 'COUNT(allpv.pv_id)' },
      sort: { by: 'views', order: 'desc' },
    },
  },
  result: { use: 'top', limit: 2 },
};

let host: TestHost;

beforeAll(async () => {
  host = await startTestHost({ users: USERS, clock: () => new Date('2026-11-21T00:00:00Z') });
  await loadCaseData(host.database.write);
});
afterAll(() => host.stop());

const query = (body: object | string, address = QUERY, login = 'ann'): Promise<TestAnswer> =>
  host.request('POST', address, { user: host.credentials(login), body });

describe('a table', () => {
  const table = {
    ok: true,
    version: '2026-05-11',
    query_time_ms: expect.any(Number),
    result: {
      view: 'top',
      columns: ['url', 'views'],
      rows: [
        ['/a', 2],
        ['/', 1],
      ],
      row_count: 2,
    },
    meta: { total_count: 5, returned_count: 2, limit: 2, truncated: true },
  };

  test('answers the wrapped query', async () => {
    const answer = await query({ qal: TOP });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=UTF-8');
    expect(answer.body).toEqual(table);
  });

  test.each(['latest', 'oldest', '2026-05-11'])(
    'answers the bare query under version=%s',
    async (version) => {
      const answer = await query(TOP, `${QUERY}?version=${version}`);
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: table });
    },
  );

  test('count_only', async () => {
    const answer = await query({ ...TOP, result: { use: 'top', count_only: true } });
    expect(answer.body).toEqual({
      ok: true,
      version: '2026-05-11',
      query_time_ms: expect.any(Number),
      result: { view: 'top', count: 5 },
    });
  });

  test('envelope=data: one object per row', async () => {
    const answer = await query(TOP, `${QUERY}?envelope=data`);
    expect(answer.body).toEqual({
      data: [
        { url: '/a', views: 2 },
        { url: '/', views: 1 },
      ],
      meta: { total_count: 5, returned_count: 2, limit: 2, truncated: true },
    });
  });

  test('envelope=data counts the rows of a cut list too', async () => {
    const rows = { rows: { from: ['allpv'], keep: ['allpv.pv_id', 'allpv.url'] } };
    const answer = await query(
      { ...TOP, make: rows, result: { use: 'rows', limit: 1 } },
      `${QUERY}?envelope=data`,
    );
    expect(answer.body).toEqual({
      data: [{ pv_id: 1, url: '/' }],
      meta: { total_count: 6, returned_count: 1, limit: 1, truncated: true },
    });
  });

  test('envelope=data of count_only', async () => {
    const answer = await query(
      { ...TOP, result: { use: 'top', count_only: true, limit: 10 } },
      `${QUERY}?envelope=data`,
    );
    expect(answer.body).toEqual({
      data: [{ count: 5 }],
      meta: { total_count: 1, returned_count: 1, limit: 1000, truncated: false },
    });
  });
});

describe('errors', () => {
  test('carry code, message, place, hint and details', async () => {
    const answer = await query({ ...TOP, tracking_id: 'shopp' });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      ok: false,
      error: {
        code: 'E_UNKNOWN_TRACKING_ID',
        message: 'There is no site "shopp" among your sites.',
        at: 'tracking_id',
        hint: 'Did you mean "shop"?',
        details: {
          tracking_id: 'shopp',
          available_sites: [
            { tracking_id: 'shop', domain: 'shop.example' },
            { tracking_id: 'blog', domain: 'blog.example' },
            { tracking_id: 'quiet', domain: 'quiet.example' },
          ],
        },
      },
    });
  });

  test.each([QUERY, GUIDE])('an unknown version satisfies both shapes: %s', async (address) => {
    const method = address === GUIDE ? 'GET' : 'POST';
    const answer = await host.request(method, `${address}?version=2024-01-01`, {
      user: host.credentials('ann'),
    });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      ok: false,
      error: {
        code: 'invalid_version',
        message: 'There is no version "2024-01-01" here.',
        at: 'version',
        hint: 'Use version=latest, version=oldest or one of 2026-05-11.',
        details: { available_versions: ['2026-05-11'] },
      },
      code: 'invalid_version',
      message: 'There is no version "2024-01-01" here.',
      data: { status: 404, available_versions: ['2026-05-11'] },
    });
  });

  test.each(['constructor', 'toString', '__proto__', ''])('version=%s is no version', async (version) => {
    const answer = await query(TOP, `${QUERY}?version=${version}`);
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 404,
      code: 'invalid_version',
    });
  });

  test('an unknown envelope', async () => {
    const answer = await query(TOP, `${QUERY}?envelope=table`);
    expect({ status: answer.status, at: answer.body.error.at }).toEqual({ status: 400, at: 'envelope' });
  });

  test('a sum that JSON could not hold', async () => {
    const make = { v: { from: ['allpv'], keep: [], calc: { n: 'SUM(allpv.pv_id)' } } };
    await host.database.write.raw(
      'UPDATE analytics.page_view SET pv_id = pv_id + 9007199254740000 WHERE site_id = 2',
    );
    const answer = await query({
      ...TOP,
      tracking_id: 'blog',
      time: { ...TOP.time, end: '2027-01-01T00:00:00' },
      make,
      result: { use: 'v' },
    });
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({
      status: 400,
      code: 'E_CALC_INVALID_EXPRESSION',
    });
  });

  test('no credentials', async () => {
    const answer = await host.request('POST', QUERY, { body: TOP });
    expect({ status: answer.status, ok: answer.body.ok, code: answer.body.error.code }).toEqual({
      status: 401,
      ok: false,
      code: 'E_UNAUTHORIZED',
    });
  });

  test('a body that is too large', async () => {
    const answer = await query(' '.repeat(300_000));
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({
      status: 413,
      code: 'E_BODY_TOO_LARGE',
    });
  });

  test('a query that waits too long is stopped in the database', async () => {
    const slow = await startTestHost({ users: USERS, settings: { queryTimeoutSeconds: 0.05 } });
    try {
      await loadCaseData(slow.database.write);
      const answer = await whileLocked(slow.database.write, () =>
        slow.request('POST', QUERY, { user: slow.credentials('ann'), body: TOP }),
      );
      expect({ status: answer.status, code: answer.body.error.code }).toEqual({
        status: 504,
        code: 'E_TIMEOUT',
      });
    } finally {
      await slow.stop();
    }
  });

  test('a client that goes away cancels its query', async () => {
    await whileLocked(host.database.write, async () => {
      const client = new AbortController();
      const sent = fetch(`${host.url}${QUERY}`, {
        method: 'POST',
        signal: client.signal,
        headers: { 'Content-Type': 'application/json', Authorization: basic(host) },
        body: JSON.stringify(TOP),
      });
      await until(async () => (await waitingQueries(host.database.write)) === 1);
      client.abort();
      await expect(sent).rejects.toThrow();
      await until(async () => (await waitingQueries(host.database.write)) === 0);
    });
  });

  test('a fault of ours tells a request id and nothing else', async () => {
    const broken = await startTestHost({ users: USERS });
    try {
      await loadCaseData(broken.database.write);
      await broken.database.write.raw('ALTER TABLE analytics.page_view RENAME COLUMN page_id TO lost');
      const answer = await broken.request('POST', QUERY, { user: broken.credentials('ann'), body: TOP });
      const id = answer.headers['x-request-id'];
      expect(answer.status).toBe(500);
      expect(answer.body).toEqual({
        ok: false,
        error: {
          code: 'E_EXECUTOR_FAILED',
          message: `The server failed on this query; the fault is logged under request ${id}.`,
          details: { request_id: id },
        },
      });
      expect(JSON.stringify(broken.logged)).toContain('page_id');
    } finally {
      await broken.stop();
    }
  });

  test('too many requests', async () => {
    const limited = await startTestHost({ users: USERS, rateLimits: { perHour: 1, perMinute: 0 } });
    try {
      const ask = () => limited.request('GET', GUIDE, { user: limited.credentials('ann') });
      expect((await ask()).status).toBe(200);
      const answer = await ask();
      expect({ status: answer.status, code: answer.body.error.code }).toEqual({
        status: 429,
        code: 'E_RATE_LIMITED',
      });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    } finally {
      await limited.stop();
    }
  });

  test('every code of the error table is shown by a case or by a test of this file', () => {
    const inCases = readCases(join(__dirname, '..', 'qal', 'cases')).flatMap((it) => it.error?.code ?? []);
    const here = [
      'invalid_version',
      'E_UNAUTHORIZED',
      'E_BODY_TOO_LARGE',
      'E_TIMEOUT',
      'E_EXECUTOR_FAILED',
      'E_RATE_LIMITED',
    ];
    expect(new Set([...inCases, ...here])).toEqual(new Set(Object.keys(ERRORS)));
  });
});

describe('the guide', () => {
  const guide = async (login: string) =>
    (await host.request('GET', GUIDE, { user: host.credentials(login) })).body;

  test('tells version, clock, software and features', async () => {
    const body = await guide('ann');
    expect(body).toMatchObject({
      version: '2026-05-11',
      api_update: '2026-11-20',
      timestamp: '2026-11-21T00:00:00.000Z',
      plugin_version: '0.1.0',
      features: { filter: true, join: false, sample: false },
      features_detail: { filter: { enabled: true, since: '2025-10-20' }, sample: { enabled: false } },
    });
  });

  test("lists the user's sites, the default first, all last", async () => {
    const { sites } = await guide('ann');
    expect(sites.map((site: { tracking_id: string }) => site.tracking_id)).toEqual([
      'shop',
      'blog',
      'quiet',
      'all',
    ]);
    expect(sites[0]).toEqual({
      tracking_id: 'shop',
      domain: 'shop.example',
      name: 'Shop',
      default: true,
      data_available_from: '2026-05-01',
      timezone: 'Asia/Tokyo',
      goals: [],
    });
    expect(sites[2].data_available_from).toBeNull();
    expect(sites[3]).toMatchObject({
      tracking_id: 'all',
      default: false,
      data_available_from: '2026-04-30',
      goals: [],
    });
  });

  test('shows an analyst the granted sites only', async () => {
    const { sites } = await guide('bob');
    expect(sites.map((site: { tracking_id: string }) => site.tracking_id)).toEqual(['shop', 'all']);
    expect((await guide('nil')).sites).toEqual([]);
  });

  test('carries the instructions and both manifests', async () => {
    const { documentation } = await guide('ann');
    expect(documentation.source).toBe('https://docs.example/');
    expect(documentation.format).toBe('mixed');
    const sections = documentation.sections.map(({ content, ...rest }: { content: string }) => ({
      ...rest,
      length: Math.sign(content.length),
    }));
    expect(sections).toEqual([
      {
        category: 'instructions',
        file: 'README.md',
        title: 'Instructions for clients',
        format: 'markdown',
        length: 1,
      },
      { category: 'spec', file: 'materials.yaml', title: 'Materials and columns', format: 'yaml', length: 1 },
      { category: 'spec', file: 'qal-validation.yaml', title: 'Rules of a query', format: 'yaml', length: 1 },
    ]);
  });
});

const basic = ({ credentials }: TestHost): string => {
  const { login, secret } = credentials('ann');
  return `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`;
};

/** Holds every reader of page_view up while `act` runs. */
async function whileLocked<Result>(write: Knex, act: () => Promise<Result>): Promise<Result> {
  return write.transaction(async (transaction) => {
    await transaction.raw('LOCK TABLE analytics.page_view IN ACCESS EXCLUSIVE MODE');
    return act();
  });
}

async function waitingQueries(write: Knex): Promise<number> {
  const rows = await write
    .from('pg_stat_activity')
    .whereRaw("datname = current_database() and wait_event_type = 'Lock' and query like '%page_view%'");
  return rows.length;
}

/** Asks until it is so; each question is a round trip to the database, and the test's own timeout ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}
