// Large JSON responses: their size is limited, they arrive complete, and stalled clients hold up no other queries.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { basicHeader, type TestHost } from '../support/test-host';
import { ask, fillQuiet, QUERY, ROWS, startContractHost, VERSIONS } from './contracts/contract-host';

const LIMIT = 1_000_000;
/** Wide enough that the maximum number of rows under the older contract exceeds the size limit. */
const WIDE = [
  'pv_id',
  'url',
  'title',
  'access_time',
  'browser',
  'os',
  'device_type',
  'language',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'country_code',
  'is_last',
  'is_newuser',
];
const ROWS_OF_QUIET = 30_000;
/** Columns whose names are longer than their values. */
const NAMES = ['irritation_click_count', 'country_code', 'is_newuser', 'browse_sec'];

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost({ settings: { maxAnswerBytes: LIMIT } });
  await fillQuiet(host.database.write, ROWS_OF_QUIET);
});
afterAll(() => host.stop());

const wide = (names: readonly string[], limit = 50_000) => ({
  ...ROWS,
  tracking_id: 'quiet',
  make: { rows: { from: ['allpv'], keep: names.map((name) => `allpv.${name}`) } },
  result: { use: 'rows', limit },
});

// attack: small-query-answer-hundreds
test.each(VERSIONS)('%s: an answer that is too large is rejected before its first byte', async (version) => {
  const { status, body } = await ask(host, version, wide(WIDE));
  expect(status).toBe(400);
  const expected = {
    code: 'E_QUERY_TOO_LARGE',
    message: `The answer has more than ${LIMIT} bytes, the limit for JSON.`,
  };
  const hint = expect.stringMatching(/csv, ndjson or parquet/);
  const details = { max_answer_bytes: LIMIT };
  expect(body).toEqual(
    version === '2025-10-20'
      ? { ...expected, data: { status: 400, hint, ...details } }
      : { ok: false, error: { ...expected, hint, details } },
  );
});

test('other formats return the whole answer', async () => {
  const { status, text } = await host.request('POST', `${QUERY}?format=csv`, {
    user: 'ann',
    body: wide(WIDE),
  });
  expect([status, text.length > LIMIT, text.split('\r\n').length]).toEqual([200, true, ROWS_OF_QUIET + 2]);
});

test('the limit also applies to rows as objects', async () => {
  const envelope = (name: string) =>
    host.request('POST', `${QUERY}?envelope=${name}`, {
      user: 'ann',
      body: wide(NAMES),
    });
  const [lists, objects] = [await envelope('result'), await envelope('data')];
  expect([lists.status, lists.text.length < LIMIT]).toEqual([200, true]);
  expect(objects.body.error.code).toBe('E_QUERY_TOO_LARGE');
});

test.each([
  ['result', (body: { result: { rows: unknown } }) => body.result.rows],
  ['data', (body: { data: { pv_id: number }[] }) => body.data.map(({ pv_id }) => [pv_id])],
])('a large answer is complete, both from the database and from the cache: %s', async (envelope, rowsOf) => {
  const rows = Array.from({ length: ROWS_OF_QUIET }, (_, index) => [index + 1]);
  for (const cached of [false, true]) {
    const { body } = await host.request('POST', `${QUERY}?envelope=${envelope}`, {
      user: 'ann',
      body: wide(['pv_id']),
    });
    expect(body.meta).toMatchObject({ returned_count: ROWS_OF_QUIET, cached });
    expect(rowsOf(body)).toEqual(rows);
  }
});

test('selected fields of a large answer can be requested, even inside an envelope', async () => {
  const search = `${QUERY}?envelope=data&_fields=data.pv_id&_envelope`;
  const { body } = await host.request('POST', search, { user: 'ann', body: wide(['pv_id', 'url']) });
  expect(body).toMatchObject({ status: 200, body: { data: expect.any(Array) } });
  expect(body.body.data).toHaveLength(ROWS_OF_QUIET);
  expect(Object.keys(body.body.data[0])).toEqual(['pv_id']);
});

/** Sends a query without reading the response. */
async function begin(body: object): Promise<IncomingMessage> {
  const sending = request(new URL(host.url + QUERY), {
    method: 'POST',
    headers: { Authorization: basicHeader(host.credentials('ann')), 'Content-Type': 'application/json' },
    agent: false,
  });
  sending.end(JSON.stringify(body));
  const [answer] = await once(sending, 'response');
  return answer;
}

// attack: large-answers-no-client
test('stalled clients hold no query slots or database connections', async () => {
  const stalled = await Promise.all(
    Array.from({ length: 12 }, (_, index) => begin(wide(['pv_id', 'url'], 25_000 - index))),
  );
  expect((await ask(host, 'latest', ROWS, 'ann')).status).toBe(200);
  const { rows } = await host.database.write.raw(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'ClientWrite'",
  );
  expect(rows).toEqual([]);
  for (const answer of stalled) answer.destroy();
});
