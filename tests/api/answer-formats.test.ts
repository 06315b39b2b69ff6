// Responses as CSV, NDJSON and Parquet: they contain the same rows as JSON, and clients can detect a response that was cut off.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { basicHeader, type TestHost } from '../support/test-host';
import { until } from '../support/until';
import { fillQuiet, QUERY, startContractHost } from './contracts/contract-host';

/** More rows than a JSON response may contain, in many batches. */
const MANY = 51_000;
const WIDE = ['pv_id', 'url', 'title', 'referrer', 'access_time', 'browser', 'os', 'is_last', 'speed_msec'];

const queryOf = (trackingId: string, view: object, result: object = {}) => ({
  tracking_id: trackingId,
  materials: [{ name: 'allpv' }, { name: 'gsc' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { rows: { from: ['allpv'], ...view } },
  result: { use: 'rows', ...result },
});
const keep = (names: readonly string[]) => ({ keep: names.map((name) => `allpv.${name}`) });
const SHOP = queryOf('shop', keep(WIDE));
const LIST = (limit: number) => queryOf('quiet', keep(WIDE), { limit });

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

const ask = (search: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  host.request('POST', QUERY + search, { user: 'ann', body, headers });

const rowsOfJson = async (body: object) => (await ask('?envelope=data', body)).body.data;

/** Reads only the status and the headers of a response. */
async function begin(search: string, body: object): Promise<IncomingMessage> {
  const sending = request(new URL(host.url + QUERY + search), {
    method: 'POST',
    headers: { Authorization: basicHeader(host.credentials('ann')), 'Content-Type': 'application/json' },
    agent: false,
  });
  sending.end(JSON.stringify(body));
  const [answer] = await once(sending, 'response');
  // A broken connection also emits an error on the request.
  sending.on('error', () => {});
  return answer;
}

/** The number of statements that are waiting for the client to read. */
const waitingForClient = async (): Promise<number> => {
  const { rows } = await host.database.write.raw(
    `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND wait_event = 'ClientWrite'`,
  );
  return rows.length;
};

/** Makes the response larger than the kernel's buffers, so that the server notices a client that does not read. */
const lengthenTitles = () =>
  host.database.write.raw(
    `INSERT INTO analytics.page (site_id, page_id, url, title, text_key)
     SELECT quiet.site_id, page_id, url, repeat('x', 1000), text_key FROM analytics.page shop, analytics.site s, analytics.site quiet
      WHERE quiet.tracking_id = 'quiet' AND s.tracking_id = 'shop' AND shop.site_id = s.site_id
     ON CONFLICT (site_id, page_id) DO UPDATE SET title = excluded.title`,
  );

async function lastRecord() {
  await host.rest.settle();
  return host.database
    .write('analytics.query_record')
    .orderBy('query_id', 'desc')
    .first('status', 'row_count', 'engine', 'error_code');
}

// conformance: answer.answer-formats
test('CSV contains the same rows as JSON, and the response headers contain the values of meta', async () => {
  const { status, headers, text } = await ask('?format=csv', { ...SHOP, result: { use: 'rows', limit: 2 } });
  const [head, ...lines] = text.split('\r\n');
  expect({ status, head, lines: lines.length }).toEqual({ status: 200, head: WIDE.join(','), lines: 3 });
  const [first] = await rowsOfJson(SHOP);
  expect(lines[0]?.split(',').slice(0, 2)).toEqual([String(first.pv_id), first.url]);
  const { meta } = (await ask('?envelope=data', { ...SHOP, result: { use: 'rows', limit: 2 } })).body;
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="rows.csv"',
    'x-qal-total-count': String(meta.total_count),
    'x-qal-returned-count': '2',
    'x-qal-limit': '2',
    'x-qal-truncated': 'true',
    'transfer-encoding': 'chunked',
  });
  expect(headers['access-control-expose-headers']).toContain('X-QAL-Total-Count');
});

test('a very long view name is shortened in the file name', async () => {
  const name = 'v'.repeat(20_000);
  const { status, headers } = await ask('?format=csv', {
    ...SHOP,
    make: { [name]: SHOP.make.rows },
    result: { use: name, limit: 1 },
  });
  const disposition = `attachment; filename="${'v'.repeat(100)}.csv"`;
  expect([status, headers['content-disposition']]).toEqual([200, disposition]);
});

// conformance: answer.answer-formats
test('NDJSON contains an object for each row', async () => {
  const { headers, text } = await ask('?format=ndjson', SHOP);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(await rowsOfJson(SHOP));
  expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
});

// conformance: answer.answer-formats
test('Parquet keeps names, types and nulls', async () => {
  const view = {
    keep: ['allpv.pv_id', 'allpv.title', 'allpv.access_time', 'allpv.is_last', 'allpv.access_date'],
  };
  const query = queryOf('shop', view);
  const answer = await begin('?format=parquet', query);
  const folder = await mkdtemp(join(tmpdir(), 'qal-test-'));
  const file = join(folder, 'rows.parquet');
  await writeFile(file, answer);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const read = await connection.runAndReadAll(
    `SELECT pv_id, title, strftime(access_time, '%Y-%m-%dT%H:%M:%S') access_time, is_last,
            access_date::varchar access_date FROM read_parquet('${file}')`,
  );
  const rows = read.getRowObjects().map((row) => ({ ...row, pv_id: Number(row.pv_id) }));
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${file}')`);
  expect(rows).toEqual(await rowsOfJson(query));
  expect(described.getRows().map(([name, type]) => [name, type])).toEqual([
    ['pv_id', 'BIGINT'],
    ['title', 'VARCHAR'],
    ['access_time', 'TIMESTAMP'],
    ['is_last', 'INTEGER'],
    ['access_date', 'DATE'],
  ]);
  expect(answer.headers['content-type']).toBe('application/vnd.apache.parquet');
  connection.closeSync();
  instance.closeSync();
  await rm(folder, { recursive: true });
});

test('columns whose names differ only in case stay separate in Parquet', async () => {
  const calc = { n: 'COUNT(allpv.pv_id)', N: 'COUNTUNIQUE(allpv.session_id)' };
  const answer = await begin('?format=parquet', queryOf('shop', { ...keep(['url']), calc }));
  const folder = await mkdtemp(join(tmpdir(), 'qal-test-'));
  const file = join(folder, 'rows.parquet');
  await writeFile(file, answer);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const read = await connection.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${file}')`);
  expect(read.getRows().map(([name]) => name)).toEqual(['url', 'n', 'N_1']);
  connection.closeSync();
  instance.closeSync();
  await rm(folder, { recursive: true });
});

test('a count is a table with one cell', async () => {
  const { text, headers } = await ask('?format=csv', queryOf('shop', keep(['pv_id']), { count_only: true }));
  expect(text).toMatch(/^count\r\n\d+\r\n$/);
  expect(headers).toMatchObject({ 'x-qal-returned-count': '1', 'x-qal-truncated': 'false' });
});

test.each([
  ['text/csv', 'text/csv; charset=utf-8; header=present'],
  ['application/x-ndjson, application/json;q=0.5', 'application/x-ndjson; charset=utf-8'],
  ['application/vnd.apache.parquet', 'application/vnd.apache.parquet'],
  ['text/csv;q=0.5, application/json', 'application/json; charset=UTF-8'],
  ['*/*', 'application/json; charset=UTF-8'],
  ['text/html', 'application/json; charset=UTF-8'],
  // conformance: answer.answer-formats
])('without the parameter, Accept: %s returns %s', async (accept, type) => {
  const { status, headers } = await ask('', SHOP, { Accept: accept });
  expect([status, headers['content-type']]).toEqual([200, type]);
});

test('the parameter takes precedence over Accept', async () => {
  expect((await ask('?format=json', SHOP, { Accept: 'text/csv' })).body.ok).toBe(true);
});

test('a string that a spreadsheet would run as a formula is quoted on request', async () => {
  const { text } = await ask('?format=csv&csv=spreadsheet', SHOP);
  expect(text.startsWith('\ufeff"pv_id","url"')).toBe(true);
});

test.each([
  ['?format=xml', SHOP, 'E_INVALID_PARAMETER', 'format'],
  ['?format=csv&csv=excel', SHOP, 'E_INVALID_PARAMETER', 'csv'],
  ['?csv=spreadsheet', SHOP, 'E_INVALID_PARAMETER', 'csv'],
  ['?format=csv', LIST(1_000_001), 'E_INVALID_LIMIT', 'result.limit'],
  ['?format=csv', queryOf('shop', keep(['nothing'])), 'E_UNKNOWN_COLUMN', 'make.rows.keep[0]'],
  ['?format=parquet', queryOf('nowhere', keep(['url'])), 'E_UNKNOWN_TRACKING_ID', 'tracking_id'],
  // conformance: answer.their-errors-stay
])('%s: errors are JSON and name the location', async (search, body, code, at) => {
  const answer = await ask(search, body);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ ok: false, error: { code, at } });
});

test('a contract that supports only JSON rejects the parameter and ignores Accept', async () => {
  const rows = {
    ...SHOP,
    materials: [{ name: 'allpv' }],
    make: { rows: { from: ['allpv'], ...keep(['url']) } },
  };
  const refused = await ask('?version=2025-10-20&format=csv', rows);
  expect(refused.body).toMatchObject({
    code: 'E_FEATURE_NOT_SUPPORTED',
    data: { feature: 'answer_formats', available_in: '2026-05-11' },
  });
  const accepted = await ask('?version=2025-10-20', rows, { Accept: 'text/csv' });
  expect(accepted.body.meta.truncated).toBe(false);
});

test('Accept is ignored while the feature is off', async () => {
  const switches = host.database.write('analytics.feature_switch');
  await switches.clone().insert({ feature: 'answer_formats', enabled: false, changed_at: new Date() });
  expect((await ask('', SHOP, { Accept: 'text/csv' })).body.ok).toBe(true);
  await switches.clone().delete();
});

describe('with more rows than a JSON response may contain', () => {
  beforeAll(() => fillQuiet(host.database.write, MANY));

  // conformance: answer.limit-up-1
  test('all rows arrive in order, and a header contains the total', async () => {
    const { headers, text } = await ask(
      '?format=csv',
      queryOf('quiet', keep(['pv_id']), { limit: 1_000_000 }),
    );
    const ids = text.split('\r\n').slice(1, -1).map(Number);
    expect(headers).toMatchObject({
      'x-qal-total-count': String(MANY),
      'x-qal-returned-count': String(MANY),
      'x-qal-truncated': 'false',
    });
    expect(ids).toEqual(Array.from({ length: MANY }, (_, index) => index + 1));
    expect(await lastRecord()).toEqual({ status: 200, row_count: MANY, engine: 'rows', error_code: null });
  });

  test('top limits the view, and the total is still counted before the rows are sent', async () => {
    const sort = { by: 'allpv.pv_id', order: 'desc', top: 3_000 };
    const { headers, text } = await ask(
      '?format=ndjson',
      queryOf('quiet', { ...keep(['pv_id']), sort }, { limit: 5_000 }),
    );
    expect(headers).toMatchObject({ 'x-qal-total-count': '3000', 'x-qal-returned-count': '3000' });
    expect(text.trimEnd().split('\n')).toHaveLength(3_000);
  });

  // conformance: answer.limit-up-1
  test('when a client disconnects, its statement is canceled, and the query record shows why', async () => {
    await lengthenTitles();
    const answer = await begin('?format=csv', LIST(1_000_000));
    await until(async () => (await waitingForClient()) === 1);
    answer.destroy();
    await until(async () => (await waitingForClient()) === 0);
    await until(async () => (await lastRecord())?.error_code === 'client_left');
    expect(await lastRecord()).toEqual({
      status: 499,
      row_count: null,
      engine: null,
      error_code: 'client_left',
    });
  });

  // conformance: answer.limit-up-1
  test('a failure after the first byte breaks the connection', async () => {
    // The id in the last row is too large for a JSON number.
    await host.database.write.raw('UPDATE analytics.page_view SET pv_id = ? WHERE pv_id = ?', [
      '1152921504606846977',
      MANY,
    ]);
    const answer = await begin('?format=csv', LIST(1_000_000));
    const read = (async () => {
      for await (const _ of answer);
    })();
    await expect(read).rejects.toThrow(/aborted|ECONNRESET/);
    expect(await lastRecord()).toMatchObject({ status: 400, error_code: 'E_CALC_INVALID_EXPRESSION' });
    expect(host.logged.map(({ msg }) => msg)).toContain('A response failed after its first part was sent.');
  });

  test('the database connection can be used again afterwards', async () => {
    expect((await ask('?format=csv', SHOP)).status).toBe(200);
  });
});
