// Causes every error code over HTTP, under every contract in which that is possible. A code without an entry in code-requests.ts
// fails here, and so does a body that does not match the contract's schema.
import { ERRORS, type ErrorCode } from '../../../extension/language/errors/error-table';
import { createTestDatabase } from '../../support/database';
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy';
import { startOn, type TestAnswer, type TestHost } from '../../support/test-host';
import { type Cause, CODE_REQUESTS } from './code-requests';
import {
  ask,
  bodiesOf,
  GUIDE,
  QUERY,
  ROWS,
  startContractHost,
  VERSIONS,
  type Version,
  whileLocked,
} from './contract-host';

/** Hosts for the different causes of errors. */
interface Hosts {
  readonly regular: TestHost;
  readonly impatient: TestHost;
  readonly limited: TestHost;
  readonly broken: TestHost;
  readonly offline: TestHost;
}
let hosts: Hosts;
let proxy: DatabaseProxy;

beforeAll(async () => {
  proxy = await openDatabaseProxy();
  const [regular, impatient, limited, broken, offline] = await Promise.all([
    startContractHost(),
    startContractHost({ settings: { queryTimeoutSeconds: 0.05 } }),
    startContractHost({ rateLimits: { perHour: 1, perMinute: 0 } }),
    startContractHost(),
    startOn(await createTestDatabase(undefined, proxy), { users: [{ login: 'ann', role: 'administrator' }] }),
  ]);
  proxy.refuse();
  await broken.database.write.raw('ALTER TABLE analytics.page_view RENAME COLUMN page_id TO lost');
  await limited.request('GET', GUIDE, { user: limited.credentials('ann') });
  hosts = { regular, impatient, limited, broken, offline };
});
afterAll(async () => {
  await Promise.all(Object.values(hosts).map((host: TestHost) => host.stop()));
  await proxy.close();
});

function send(cause: Exclude<Cause, { never: string }>, version: Version): Promise<TestAnswer> {
  const { regular, impatient, limited, broken, offline } = hosts;
  if ('body' in cause) return ask(regular, version, cause.body);
  switch (cause.cause) {
    case 'version':
      return ask(regular, '2024-01-01', ROWS);
    case 'credentials':
      return regular.request('POST', `${QUERY}?version=${version}`, { body: ROWS });
    case 'parameter':
      return regular.request('GET', `${GUIDE}?version=${version}&parts=site`, {
        user: regular.credentials('ann'),
      });
    case 'large body':
      return ask(regular, version, ' '.repeat(300_000));
    case 'rate limit':
      return ask(limited, version, ROWS);
    case 'lock':
      return whileLocked(impatient.database.write, () => ask(impatient, version, ROWS));
    case 'no database':
      return ask(offline, version, ROWS);
    case 'broken table':
      return ask(broken, version, ROWS);
  }
}

const codes = Object.keys(ERRORS) as ErrorCode[];
const entries = VERSIONS.flatMap((version) =>
  codes.map((code) => ({ version, code, cause: CODE_REQUESTS[code]?.[version] })),
);

test('there is exactly one entry for each code and contract', () => {
  expect(Object.keys(CODE_REQUESTS).sort()).toEqual([...codes].sort());
  expect(entries.filter(({ cause }) => cause === undefined)).toEqual([]);
});

const possible = entries.flatMap(({ version, code, cause }) =>
  cause === undefined || 'never' in cause ? [] : [{ version, code, cause }],
);

// conformance: error.200-400-401, host.401-e-unauthorized, code.status-400-unless
// conformance: code.initial-level-specification
test.each(possible)('$version: $code', async ({ version, code, cause }) => {
  const answer = await send(cause, version);
  const { body } = answer;
  expect({ code: body.code ?? body.error?.code, status: answer.status }).toEqual({
    code,
    status: ERRORS[code].status,
  });
  expect(bodiesOf(version).error.safeParse(body).error).toBeUndefined();
  const isInitial = version === '2025-10-20';
  if (code !== 'invalid_version') expect(Object.hasOwn(body, 'ok')).toBe(!isInitial);
  if (isInitial) expect(body.data.status).toBe(answer.status);
});

test('every entry for a code that cannot occur gives a reason', () => {
  const reasons = entries.flatMap(({ cause }) =>
    cause !== undefined && 'never' in cause ? [cause.never] : [],
  );
  expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
});

test('a request that causes a code under one contract does not cause it under a contract where it cannot occur', async () => {
  for (const { code, version } of entries.filter(({ cause }) => cause !== undefined && 'never' in cause)) {
    const elsewhere = VERSIONS.flatMap((other) => (other === version ? [] : [CODE_REQUESTS[code][other]]));
    for (const cause of elsewhere) {
      if (!('body' in cause)) continue;
      const { body } = await ask(hosts.regular, version, cause.body);
      expect(body.code ?? body.error?.code).not.toBe(code);
    }
  }
});
