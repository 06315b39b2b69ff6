// Whatever is wrong with the copy, queries are answered from rows, the reason is reported, and the copy recovers without help.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { importRows } from '../../../extension/data/import/import-rows';
import { SERVER_IMPORT_LIMITS } from '../../../extension/data/import/limits';
import { readDocument } from '../../../extension/language/parse/read-document';
import { funnelQuery } from '../../../extension/pages/funnels/funnel-query';
import { OUT_OF_MEMORY } from '../../../extension/query/column-reader';
import { REBUILD_REQUEST } from '../../../extension/query/columns/columns-status';
import type { QueryContext } from '../../../extension/query/query-context';
import { createContext, manifest, useCaseDatabase } from '../../language/query-setup';
import {
  expectEqualTables,
  openTestColumns,
  readCopy,
  startTestColumns,
  type TestColumns,
} from '../../support/columns';
import { tries } from '../../support/long-run';
import { createMemoryLog } from '../../support/memory-log';
import { runWhole } from '../../support/run-whole';

const { database } = useCaseDatabase();
const { log, logged } = createMemoryLog();
let columns: TestColumns;
beforeAll(async () => {
  // A copy of one site is rebuilt faster than one of three.
  await database.write('analytics.site').whereNot({ tracking_id: 'shop' }).delete();
  columns = await openTestColumns(database, { log });
});
afterAll(() => columns.stop());
beforeEach(() => logged.splice(0));

const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-04-01T00:00:00', end: '2026-09-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['allpv'], keep: ['allpv.url'], calc: { n: 'COUNT(allpv.pv_id)' } } },
  result: { use: 'v' },
};

async function ask(
  changes: Partial<QueryContext> = {},
  rowCount = expect.any(Number),
  body: unknown = QUERY,
) {
  const context = await createContext(database, { columns, ...changes });
  const document = readDocument(JSON.stringify(body));
  const { answeredBy, rows } = await runWhole(document, context);
  const fromRows = await runWhole(document, { ...context, columns: undefined });
  expect(rows.toSorted()).toEqual(fromRows.rows.toSorted());
  expect(rows.length).toEqual(rowCount);
  return answeredBy;
}

const reopen = async (options: Parameters<typeof openTestColumns>[1] = {}) => {
  const { folder } = columns;
  columns = await openTestColumns(database, { log, folder, ...options });
};
const fileOf = ({ folder }: TestColumns) => join(folder, 'columns.duckdb');

test.each<[string, (file: string) => Promise<void>]>([
  ['garbage', (file) => writeFile(file, 'x'.repeat(100_000))],
  ['truncated within its header', (file) => truncate(file, 8_192)],
  ['truncated in the middle', async (file) => truncate(file, (await readFile(file)).length >> 1)],
  ['overwritten after its header', async (file) => writeFile(file, (await readFile(file)).fill(7, 12_288))],
  ['missing', (file) => rm(file)],
])('a file that is %s is rebuilt', async (_title, damage) => {
  await columns.stop({ keep: true });
  await damage(fileOf(columns));
  await reopen();
  // Blocks are read lazily, so the damage may be detected only by the first query. The copy is then rebuilt in the next round.
  if ((await ask()).engine === 'rows') await columns.refresh();
  expect(await ask()).toMatchObject({ engine: 'columns' });
  await expectEqualTables(database, columns);
});

/** Raises the format version in the first header of a file, as a newer version of DuckDB would. */
async function raiseVersion(file: string): Promise<void> {
  const bytes = await readFile(file);
  const words = [bytes.readBigUInt64LE(8), bytes.readBigUInt64LE(16)];
  expect(bytes.toString('latin1', 8, 12)).toBe('DUCK');
  bytes.writeUInt32LE(9_999, 12);
  // The checksum of a header is the XOR of its words, each of which is multiplied by a constant.
  const changed = [bytes.readBigUInt64LE(8), bytes.readBigUInt64LE(16)];
  const sum = [...words, ...changed].reduce(
    (sum, word) => sum ^ BigInt.asUintN(64, word * 0xbf58476d1ce4e5b9n),
    bytes.readBigUInt64LE(0),
  );
  bytes.writeBigUInt64LE(sum, 0);
  await writeFile(file, bytes);
}

test('the copy is rebuilt if its file is from a newer version of DuckDB, and queries are answered from rows in the meantime', async () => {
  const { folder } = columns;
  await columns.stop({ keep: true });
  await raiseVersion(fileOf(columns));
  await expect(DuckDBInstance.create(fileOf(columns))).rejects.toThrow(/with version number 9999, but/);
  const opening = startTestColumns(database, { log, folder });
  expect(await ask({ columns: opening })).toEqual({
    engine: 'rows',
    because: 'The columnar copy is being opened.',
  });
  await opening.stop();
  await reopen();
  expect(await ask()).toMatchObject({ engine: 'columns' });
  await expectEqualTables(database, columns);
});

test('a copy that has different tables is rebuilt', async () => {
  await columns.stop({ keep: true });
  await database.write.raw('ALTER TABLE analytics.page_view ADD COLUMN added_later int DEFAULT 5');
  await reopen();
  expect(await ask()).toMatchObject({ engine: 'columns' });
  await expectEqualTables(database, columns);
});

test('if a file exists in place of the folder, queries are answered from rows, and the reason is reported', async () => {
  const notAFolder = join(columns.folder, 'file');
  await writeFile(notAFolder, '');
  const other = await openTestColumns(database, { log, folder: join(notAFolder, 'columns') });
  expect(await ask({ columns: other })).toEqual({
    engine: 'rows',
    because: 'The columnar copy failed; the server will retry.',
  });
  expect(await other.status()).toMatchObject({ state: 'unavailable' });
  expect(logged.map(({ msg }) => msg)).toEqual([
    'The columnar copy failed; the server will retry. Queries are answered from rows.',
  ]);
  await rm(notAFolder);
  await other.refresh();
  expect(await ask({ columns: other })).toMatchObject({ engine: 'columns' });
  await other.stop();
});

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts `program`, which can use DuckDB, in another process. Returns its first output and a function that kills it. */
async function startProcess(program: string, ...args: string[]) {
  const child = spawn(process.execPath, ['-e', program, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.add(child);
  const ended = once(child, 'close').then(([code]) => {
    throw new Error(`The process ended with ${code}.`);
  });
  const [line] = await Promise.race([once(child.stdout, 'data'), ended]);
  return {
    line: String(line),
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

test('a file that another process has open is not changed until that process ends', async () => {
  await columns.stop({ keep: true });
  const { kill } = await startProcess(
    `require('@duckdb/node-api').DuckDBInstance.create(process.argv[1]).then((it) => {
       globalThis.it = it; console.log('open'); setInterval(() => {}, 1000); })`,
    fileOf(columns),
  );
  await reopen();
  const because = 'Another process has the columnar copy open. Each server needs a separate DATA_DIR.';
  expect(await ask()).toEqual({ engine: 'rows', because });
  expect(await columns.status()).toMatchObject({ reason: because, obstacle: 'in use' });
  // The request is meant for the server that has the file open.
  const request = join(columns.folder, REBUILD_REQUEST);
  await writeFile(request, '');
  await columns.refresh();
  expect(await ask()).toEqual({ engine: 'rows', because });
  await rm(request);
  await kill();
  await columns.refresh();
  expect(await ask()).toMatchObject({ engine: 'columns' });
  expect((await columns.status()).obstacle).toBeUndefined();
});

test('a copy that is stopped while it is being opened releases its file', async () => {
  const { folder } = columns;
  await columns.stop({ keep: true });
  const opening = startTestColumns(database, { log, folder });
  // The round has started and is querying PostgreSQL.
  await new Promise(setImmediate);
  await opening.stop();
  const { line, kill } = await startProcess(
    `require('@duckdb/node-api').DuckDBInstance.create(process.argv[1]).then(
       () => console.log('open'), (error) => console.log(error.message))
     setInterval(() => {}, 1000)`,
    fileOf(columns),
  );
  await kill();
  expect(line).toBe('open\n');
  await reopen();
});

test('if a process is killed while writing, the next one recovers the file', async () => {
  await columns.stop({ keep: true });
  await importRows(database.write, manifest, {
    material: 'allpv',
    site: 'shop',
    rows: [
      { pv_id: 800, session_id: 800, reader_id: 800, access_time: '2026-06-20T00:00:00Z', url: '/x', pv: 1 },
    ],
  });
  // The process changes the rows and the version. All of its changes must be rolled back.
  const { kill } = await startProcess(
    `require('@duckdb/node-api').DuckDBInstance.create(process.argv[1]).then(async (it) => {
       const c = await it.connect();
       await c.run('BEGIN');
       await c.run('DELETE FROM analytics.page_view');
       await c.run('INSERT INTO analytics.page SELECT * FROM analytics.page');
       await c.run("UPDATE copied_site SET version = 'none'");
       console.log('written'); setInterval(() => c, 1000); })`,
    fileOf(columns),
  );
  await kill();
  await reopen();
  expect(await ask()).toMatchObject({ engine: 'columns' });
  await expectEqualTables(database, columns);
});

test('if a statement fails, the query is answered from rows, and each kind of failure is logged once', async () => {
  const broken: QueryContext['columns'] = {
    ...columns,
    read: (_statement, sites, signal) =>
      columns.read({ text: "SELECT error('no')", bindings: [] }, sites, signal),
  };
  for (let time = 0; time < 2; time++)
    expect(await ask({ columns: broken })).toEqual({
      engine: 'rows',
      because: 'The columnar copy could not answer the query: Invalid Input Error.',
    });
  expect(logged.map(({ msg }) => msg)).toEqual([
    'The columnar copy could not answer a query, so it was answered from rows.',
  ]);
  expect(await ask()).toMatchObject({ engine: 'columns' });
});

const signal = () => new AbortController().signal;
const ENDLESS = { text: 'SELECT count(*) FROM range(10000000000) a WHERE range % 7 = 3', bindings: [] };

test('a query that exceeds the memory limit spills to disk or is answered from rows', async () => {
  await columns.stop({ keep: true });
  await reopen({ memoryMb: 64, threads: 1 });
  const text = `SELECT count(*) FROM (SELECT DISTINCT hash(range)::varchar || repeat('x', 40) FROM range(1200000))`;
  const outcome = await readCopy(columns, text);
  expect([{ rows: [[1_200_000]] }, { gaveUp: OUT_OF_MEMORY }]).toContainEqual(outcome);
  expect(await ask()).toMatchObject({ engine: 'columns' });
  await columns.stop({ keep: true });
  await reopen();
});

test('a funnel whose lists exceed the memory limit is answered with joins', async () => {
  const statements: string[] = [];
  const small: QueryContext['columns'] = {
    ...columns,
    async read(statement, ...others) {
      statements.push(statement.text);
      if (statement.text.includes('list_reduce')) return { gaveUp: OUT_OF_MEMORY };
      return columns.read(statement, ...others);
    },
  };
  const page = { kind: 'page', op: 'contains', value: '/' } as const;
  const { query } = funnelQuery([page, page], {
    site: { trackingId: 'shop', timezone: 'UTC' },
    range: { first: '2026-04-01', last: '2026-08-31' },
    filters: [],
  });
  expect(await ask({ columns: small }, 1, query.qal)).toMatchObject({ engine: 'columns' });
  expect(statements.map((text) => text.includes('list_reduce'))).toEqual([true, false]);
  const none: QueryContext['columns'] = { ...columns, read: async () => ({ gaveUp: OUT_OF_MEMORY }) };
  expect(await ask({ columns: none }, 1, query.qal)).toEqual({ engine: 'rows', because: OUT_OF_MEMORY });
});

test('a statement ends when its client disconnects, even while it is waiting for its turn', async () => {
  const gone = new AbortController();
  const reads = Array.from({ length: 6 }, () => columns.read(ENDLESS, [], gone.signal));
  setImmediate(() => gone.abort(new Error('gone')));
  for (const read of await Promise.allSettled(reads))
    expect(read).toMatchObject({ status: 'rejected', reason: { message: 'gone' } });
  expect(await ask()).toMatchObject({ engine: 'columns' });
});

test('a query ends with E_TIMEOUT when its time limit is reached', async () => {
  const endless: QueryContext['columns'] = {
    ...columns,
    read: (_statement, sites, ending) => columns.read(ENDLESS, sites, ending),
  };
  const context = await createContext(database, { columns: endless, timeoutSeconds: 0.1 });
  await expect(runWhole(readDocument(JSON.stringify(QUERY)), context)).rejects.toMatchObject({
    code: 'E_TIMEOUT',
  });
  expect(await ask()).toMatchObject({ engine: 'columns' });
});

test('a copy that is stopped ends its statements and releases its file immediately', async () => {
  const read = columns.read(ENDLESS, [], signal());
  await columns.stop({ keep: true });
  expect(await read).toEqual({ gaveUp: 'The columnar copy is closed.' });
  await reopen();
  expect(await ask()).toMatchObject({ engine: 'columns' });
});

// The clients keep the processor busy until all batches are imported.
const LIMITS = { ...SERVER_IMPORT_LIMITS, batchRows: tries(256, SERVER_IMPORT_LIMITS.batchRows) };
const IMPORT_ROWS = tries(4, 16) * LIMITS.batchRows;
/** More than the copy answers at once. */
const CLIENTS = tries(4, 8);

test('while several clients send queries during an import, every answer reflects the data either before or after the import', async () => {
  const rows = Array.from({ length: IMPORT_ROWS }, (_, index) => ({
    pv_id: 10_000 + index,
    session_id: 10_000 + index,
    reader_id: 1 + index,
    url: `/many-${index % 50}`,
    pv: 1,
    access_time: new Date(Date.UTC(2026, 4, 1 + (index % 60))).toISOString(),
  }));
  const count = {
    ...QUERY,
    make: { v: { from: ['allpv'], keep: ['allpv.device_type'], calc: { n: 'COUNT(allpv.pv_id)' } } },
  };
  const context = await createContext(database, { columns });
  const countViews = async () => {
    const { rows, answeredBy } = await runWhole(readDocument(JSON.stringify(count)), context);
    return { views: rows.reduce((sum, [, views]) => sum + Number(views), 0), engine: answeredBy.engine };
  };
  const { views: before } = await countViews();
  let isOver = false;
  const client = async () => {
    const seen: Awaited<ReturnType<typeof countViews>>[] = [];
    while (!isOver) seen.push(await countViews());
    return seen;
  };
  const clients = Array.from({ length: CLIENTS }, client);
  try {
    // The file is imported in several small batches, as on a server.
    await importRows(database.write, manifest, { material: 'allpv', site: 'shop', rows, limits: LIMITS });
    await columns.refresh();
  } finally {
    isOver = true;
  }
  const seen = (await Promise.all(clients)).flat();
  expect(seen.length).toBeGreaterThan(CLIENTS);
  for (const { views } of seen) expect([before, before + rows.length]).toContain(views);
  expect(await countViews()).toEqual({ views: before + rows.length, engine: 'columns' });
}, 600_000);
