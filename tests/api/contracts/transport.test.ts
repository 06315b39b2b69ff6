// Errors outside the query itself, in each contract's error format: 401, 413, 429, 500, 504.
import type { TestAnswer, TestHost } from '../../support/test-host';
import { ask, QUERY, ROWS, startContractHost, VERSIONS, type Version, whileLocked } from './contract-host';

let host: TestHost;
let limited: TestHost;
let impatient: TestHost;
let broken: TestHost;

beforeAll(async () => {
  host = await startContractHost();
  limited = await startContractHost({ rateLimits: { perHour: 1, perMinute: 0 } });
  impatient = await startContractHost({ settings: { queryTimeoutSeconds: 0.05 } });
  broken = await startContractHost();
  await broken.database.write.raw('ALTER TABLE analytics.page_view RENAME COLUMN page_id TO lost');
});
afterAll(() => Promise.all([host, limited, impatient, broken].map((it) => it.stop())));

/** Each user has a separate request budget. */
const LIMITED_USERS = { '2025-10-20': 'ann', '2026-05-11': 'bob' } as const;

interface ExpectedError {
  readonly code: string;
  readonly message: unknown;
  readonly hint?: unknown;
  readonly details?: object;
}

/** The whole body of an error in the contract's format. */
function expectError(version: Version, answer: TestAnswer, status: number, expected: ExpectedError): void {
  const { code, message, hint, details } = expected;
  const hinted = hint === undefined ? {} : { hint };
  const initial = { code, message, data: { status, ...details, ...hinted } };
  const later = {
    ok: false,
    error: { code, message, ...hinted, ...(details === undefined ? {} : { details }) },
  };
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/json; charset=UTF-8');
  expect(answer.body).toEqual(version === '2025-10-20' ? initial : later);
}

describe.each(VERSIONS)('%s', (version) => {
  // conformance: code.e-unauthorized-401
  test('no credentials', async () => {
    const answer = await host.request('POST', `${QUERY}?version=${version}`, { body: ROWS });
    expectError(version, answer, 401, {
      code: 'E_UNAUTHORIZED',
      message: expect.any(String),
      hint: expect.stringContaining('Application passwords'),
    });
  });

  test('wrong credentials get the same response as unknown users', async () => {
    const { login, secret } = host.credentials('ann');
    const send = (user: { login: string; secret: string }) =>
      host.request('POST', `${QUERY}?version=${version}`, { user, body: ROWS });
    const wrong = await send({ login, secret: secret.split('').reverse().join('') });
    const nobody = await send({ login: 'nobody', secret });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual(nobody.body);
  });

  // conformance: code.e-body-too
  test('a body that is too large', async () => {
    const answer = await ask(host, version, ' '.repeat(300_000));
    expectError(version, answer, 413, {
      code: 'E_BODY_TOO_LARGE',
      message: 'The body is larger than 262144 bytes.',
      hint: 'Split the question into several queries.',
      details: { limit_bytes: 262_144 },
    });
  });

  // conformance: host.429-e-rate, code.e-rate-limited
  test('too many requests', async () => {
    expect((await ask(limited, version, ROWS, LIMITED_USERS[version])).status).toBe(200);
    const answer = await ask(limited, version, ROWS, LIMITED_USERS[version]);
    const seconds = Number(answer.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(answer.headers['x-ratelimit-limit']).toBe('1');
    expect(answer.headers['x-ratelimit-remaining']).toBe('0');
    expectError(version, answer, 429, {
      code: 'E_RATE_LIMITED',
      message: 'More than 1 request in 3600 seconds.',
      hint: `Try again in ${seconds} seconds.`,
      details: { limit: 1, window_seconds: 3600, retry_after_seconds: seconds },
    });
  });

  // conformance: limit.query-timeout-seconds, limit.too-many-rows, join.runaway-joins-end, host.timeout
  // conformance: code.e-timeout-504
  test('a query that takes too long', async () => {
    const answer = await whileLocked(impatient.database.write, () => ask(impatient, version, ROWS));
    expectError(version, answer, 504, {
      code: 'E_TIMEOUT',
      message: 'The query took longer than 0.05 seconds and was stopped.',
      hint: 'Ask for a shorter time range, or keep fewer columns.',
      details: { timeout_seconds: 0.05 },
    });
  });

  // conformance: host.faults-ours, code.e-executor-failed
  test('an internal error contains only the request id', async () => {
    const answer = await ask(broken, version, ROWS);
    const id = answer.headers['x-request-id'];
    expectError(version, answer, 500, {
      code: 'E_EXECUTOR_FAILED',
      message: `The server failed to run this query; the error is logged with the request id ${id}.`,
      details: { request_id: id },
    });
    const logged = broken.logged.map((entry) => JSON.stringify(entry));
    expect(logged.filter((line) => line.includes(String(id)) && line.includes('page_id'))).not.toEqual([]);
  });
});
