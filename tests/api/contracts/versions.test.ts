// How the contract for a request is chosen. Both contracts support every form of URL and body that old clients send.
import type { TestHost } from '../../support/test-host';
import { ask, GUIDE, QUERY, ROWS, startContractHost, VERSIONS } from './contract-host';

let host: TestHost;

beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

const [INITIAL, HEAD] = VERSIONS;
const user = () => host.credentials('ann');

/** Determines the contract from the shape of the response. */
const contractOf = (body: { version?: string; data?: unknown }) =>
  body.version ?? (body.data === undefined ? 'none' : INITIAL);

/** Requests the guide, and sends the query both bare and wrapped; expects responses in this contract's format. */
async function expectContract(addressOf: (route: string) => string, expected: string): Promise<void> {
  const guide = await host.request('GET', addressOf('guide'), { user: user() });
  expect({ status: guide.status, version: guide.body.version }).toEqual({ status: 200, version: expected });
  for (const body of [ROWS, { qal: ROWS }]) {
    const answer = await host.request('POST', addressOf('query'), { user: user(), body });
    expect({ status: answer.status, contract: contractOf(answer.body) }).toEqual({
      status: 200,
      contract: expected,
    });
  }
}

test.each([
  ['latest', HEAD],
  ['oldest', INITIAL],
  [INITIAL, INITIAL],
  [HEAD, HEAD],
  [undefined, HEAD],
  // conformance: guide.version, query.version-guide, query.query-under-qal, version.versions-2025-10
  // conformance: contracts.request-runs-under, contracts.version, request.qal
])('version=%s selects %s', (version, expected) => {
  const parameter = version === undefined ? '' : `?version=${version}`;
  return expectContract((route) => `/wp-json/qa-platform/${route}${parameter}`, expected);
});

describe('the version is read from every form of URL', () => {
  const parameter = `version=${INITIAL}`;

  test.each([
    // conformance: host.prefix-wp-json, host.wp-json-qa
    ['pretty', (route: string) => `/wp-json/qa-platform/${route}?${parameter}`],
    // conformance: host.wp-json-qa
    ['with a trailing slash', (route: string) => `/wp-json/qa-platform/${route}/?${parameter}`],
    // conformance: host.rest-route-index
    ['with the route in a parameter', (route: string) => `/?rest_route=/qa-platform/${route}&${parameter}`],
    [
      'with the route in a parameter, and a trailing slash',
      (route: string) => `/?rest_route=/qa-platform/${route}/&${parameter}`,
    ],
    // conformance: host.rest-route-index
    ['with index.php', (route: string) => `/index.php?rest_route=/qa-platform/${route}&${parameter}`],
    [
      'concatenated, with a second question mark',
      (route: string) => `/?rest_route=/qa-platform/${route}?${parameter}`,
    ],
  ])('%s', (_, addressOf) => expectContract(addressOf, INITIAL));
});

// conformance: contracts.any-other-version
describe('an invalid version', () => {
  const message = 'This server has no version "2024-01-01".';
  const details = { available_versions: VERSIONS };

  test.each([
    ['GET', GUIDE],
    ['POST', QUERY],
    // conformance: guide.version, guide.unknown-version-404, error.invalid-version, version.versions-2025-10
    // conformance: contracts.any-other-version, code.invalid-version-404
  ] as const)('is rejected in a format that fits both contracts: %s %s', async (method, address) => {
    const answer = await host.request(method, `${address}?version=2024-01-01`, { user: user() });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      ok: false,
      error: {
        code: 'invalid_version',
        message,
        at: 'version',
        hint: 'Use version=latest, version=oldest or one of these: 2025-10-20 and 2026-05-11.',
        details,
      },
      code: 'invalid_version',
      message,
      data: { status: 404, ...details },
    });
  });

  test.each(['constructor', 'toString', '__proto__', '', '2025-10-20 ', 'LATEST'])(
    '"%s"',
    async (version) => {
      const answer = await ask(host, encodeURIComponent(version), ROWS);
      expect({ status: answer.status, code: answer.body.code }).toEqual({
        status: 404,
        code: 'invalid_version',
      });
    },
  );

  // conformance: host.list-where-text
  test.each(['version[]=latest', `version[0]=${HEAD}`, 'version=latest&version[]=latest'])(
    'a list: %s',
    async (list) => {
      for (const address of [GUIDE, QUERY]) {
        const method = address === GUIDE ? 'GET' : 'POST';
        const answer = await host.request(method, `${address}?${list}`, { user: user() });
        expect({ status: answer.status, code: answer.body.code }).toEqual({
          status: 404,
          code: 'invalid_version',
        });
      }
    },
  );
});

describe('QAL_DEFAULT_VERSION', () => {
  test.each([
    ['oldest', INITIAL],
    [INITIAL, INITIAL],
    ['latest', HEAD],
    // conformance: version.default-version, contracts.what-missing-version
  ])('%s: a request without a version runs under %s', async (defaultVersion, expected) => {
    const other = await startContractHost({ settings: { defaultVersion } });
    try {
      const guide = await other.request('GET', GUIDE, { user: other.credentials('ann') });
      expect(guide.body.version).toBe(expected);
      const refused = await other.request('GET', GUIDE);
      expect({ status: refused.status, ok: Object.hasOwn(refused.body, 'ok') }).toEqual({
        status: 401,
        ok: expected === HEAD,
      });
    } finally {
      await other.stop();
    }
  });
});
