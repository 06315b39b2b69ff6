// Query records are written in batches, after a short delay, and up to a limit.

import { readDocument } from '../../extension/language/parse/read-document';
import {
  createQueryRecords,
  MAX_RECORDED_BODY_LENGTH,
  MAX_RECORDS,
  MAX_RECORDS_OF_KEYS,
  requestingPage,
} from '../../extension/query/query-records/query-records';
import type { HostUser } from '../../host-shim/extension-api';
import { createMemoryLog } from '../support/memory-log';
import { until } from '../support/until';
import { useTestDatabase } from '../support/use-database';

const USER: HostUser = {
  id: 7,
  login: 'ana',
  displayName: 'Ana',
  role: 'analyst',
  capabilities: ['read'],
  sites: ['shop'],
  timezone: 'UTC',
  key: null,
};
const QUERY = {
  requestedAt: new Date('2026-11-20T12:00:00Z'),
  user: USER,
  requestId: 'x',
  callerAddress: '198.51.100.7',
  page: null,
  version: '2026-05-11',
  document: readDocument('{"result": {"use": "v"}}'),
  milliseconds: 3,
  status: 200,
  rowCount: 1,
  answeredBy: { engine: 'rows' as const, because: 'A test.' },
  error: null,
};

const database = useTestDatabase();
beforeEach(() => database.write.withSchema('analytics').from('query_record').delete());

const logins = () => database.write.withSchema('analytics').from('query_record').pluck<string[]>('login');

test('records are written without any further calls', async () => {
  const { log } = createMemoryLog();
  createQueryRecords({ write: database.write, log, maxRecords: 100_000 }).add(QUERY);
  await until(async () => (await logins()).length > 0);
  expect(await logins()).toEqual(['ana']);
});

test('concurrent records are written in one statement, in order', async () => {
  const { log } = createMemoryLog();
  const records = createQueryRecords({ write: database.write, log, maxRecords: 100_000 });
  const statements: string[] = [];
  const listen = ({ sql }: { sql: string }) => void statements.push(sql);
  database.write.on('query', listen);
  for (const login of ['a', 'b', 'c']) records.add({ ...QUERY, user: { ...USER, login } });
  await records.settle();
  database.write.removeListener('query', listen);
  expect(statements.filter((sql) => /^insert/i.test(sql))).toHaveLength(1);
  const inOrder = database.write.withSchema('analytics').from('query_record').orderBy('query_id');
  expect(await inOrder.pluck('login')).toEqual(['a', 'b', 'c']);
});

test('characters that PostgreSQL cannot store are replaced', async () => {
  const { log, logged } = createMemoryLog();
  const records = createQueryRecords({ write: database.write, log, maxRecords: 100_000 });
  const document = readDocument('{"tracking_id": "a\\ud800", "result": {"use": "v\\u0000"}}');
  records.add({ ...QUERY, document });
  await records.settle();
  expect(logged).toEqual([]);
  const record = await database.write.withSchema('analytics').from('query_record').first();
  expect(record).toMatchObject({ tracking_id: 'a\ufffd', view: 'v\ufffd', asked_at: QUERY.requestedAt });
});

test('records beyond the limit on pending records are dropped, and their number is logged', async () => {
  const { log, logged } = createMemoryLog();
  const records = createQueryRecords({ write: database.write, log, maxRecords: 100_000 });
  for (let i = 0; i < 1_005; i++) records.add({ ...QUERY, user: { ...USER, id: i, login: `user ${i}` } });
  await records.settle();
  expect(await logins()).toHaveLength(1_000);
  expect(logged).toContainEqual(
    expect.objectContaining({ lost: 5, msg: 'There were more queries than could be recorded.' }),
  );
  records.add(QUERY);
  await records.settle();
  expect(await logins()).toHaveLength(1_001);
});

test('records beyond the limit on pending text are also dropped', async () => {
  const { log, logged } = createMemoryLog();
  const records = createQueryRecords({ write: database.write, log, maxRecords: 100_000 });
  const document = readDocument('\u0001'.repeat(MAX_RECORDED_BODY_LENGTH));
  for (let i = 0; i < 53; i++) records.add({ ...QUERY, document });
  await records.settle();
  records.add({ ...QUERY, document });
  await records.settle();
  expect(await logins()).toHaveLength(51);
  expect(logged).toEqual([expect.objectContaining({ lost: 3 })]);
});

test('settling has no effect if there is nothing to write', async () => {
  const { log, logged } = createMemoryLog();
  await createQueryRecords({ write: database.write, log, maxRecords: 100_000 }).settle();
  expect(logged).toEqual([]);
});

test('a request with a session can name the page that sent the query, if the page is known', () => {
  const key = { uuid: 'x', name: 'x', rateShare: null, restricted: false };
  expect(requestingPage(USER, { 'x-qal-page': 'dashboard' })).toBe('dashboard');
  expect(requestingPage(USER, { 'x-qal-page': 'elsewhere' })).toBeNull();
  expect(requestingPage(USER, {})).toBeNull();
  expect(requestingPage({ ...USER, key }, { 'x-qal-page': 'dashboard' })).toBeNull();
});

test('queries from a page displace only older queries from that page', async () => {
  const { log } = createMemoryLog();
  const records = createQueryRecords({ write: database.write, log, maxRecords: 100_000 });
  records.add({
    ...QUERY,
    document: readDocument('{"result": {"use": "asked by a person"}}'),
  });
  for (let i = 0; i <= MAX_RECORDS; i++) records.add({ ...QUERY, page: 'dashboard' });
  await records.settle();
  const kept = database.write.withSchema('analytics').from('query_record');
  expect(await kept.clone().where('page', 'dashboard')).toHaveLength(MAX_RECORDS);
  expect(await kept.clone().whereNull('page').pluck('view')).toEqual(['asked by a person']);
});

test("all of a user's passwords share a limit, and their records do not displace those from pages", async () => {
  const { log } = createMemoryLog();
  const records = createQueryRecords({ write: database.write, log, maxRecords: 100_000 });
  const keyOf = (run: number) => ({
    uuid: `00000000-0000-0000-0000-${String(run).padStart(12, '0')}`,
    name: `run ${run}`,
    rateShare: null,
    restricted: false,
  });
  records.add(QUERY);
  records.add({ ...QUERY, user: { ...USER, id: 8, key: keyOf(0) } });
  const perRun = 150;
  const runs = Math.ceil((MAX_RECORDS_OF_KEYS + 1) / perRun);
  for (let run = 1; run <= runs; run++) {
    for (let i = 0; i < perRun; i++) records.add({ ...QUERY, user: { ...USER, key: keyOf(run) } });
    await records.settle();
  }
  const kept = database.write.withSchema('analytics').from('query_record');
  const ofKeys = kept.clone().where('user_id', USER.id).whereNotNull('key_uuid');
  expect(await ofKeys).toHaveLength(MAX_RECORDS_OF_KEYS);
  const oldest = ofKeys.clone().where('key_name', 'run 1');
  expect(await oldest).toHaveLength(MAX_RECORDS_OF_KEYS - (runs - 1) * perRun);
  expect(await kept.clone().where('user_id', USER.id).whereNull('key_uuid')).toHaveLength(1);
  expect(await kept.clone().where('user_id', 8)).toHaveLength(1);
});
