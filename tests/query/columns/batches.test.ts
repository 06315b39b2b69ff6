// Answers that the columnar copy returns in batches come from a single snapshot, and are either complete or rejected.
import { installedContracts } from '../../../extension/api/contracts/choose-contract';
import { forStreaming } from '../../../extension/api/contracts/with-switches';
import { readDocument } from '../../../extension/language/parse/read-document';
import type { Row } from '../../../extension/language/types/compiled-query';
import type { StreamedAnswer } from '../../../extension/language/types/query-result';
import type { ColumnReader } from '../../../extension/query/column-reader';
import { NO_QUEUE, type QueryContext } from '../../../extension/query/query-context';
import { streamQuery } from '../../../extension/query/run-query';
import { createContext, manifest, useCaseDatabase } from '../../language/query-setup';
import { openTestColumns, readCopy, type TestColumns } from '../../support/columns';

const VIEWS = 5_000;

const { database } = useCaseDatabase();
let columns: TestColumns;
beforeAll(async () => {
  await database.write.raw(
    `INSERT INTO analytics.page_view SELECT view.*
       FROM analytics.page_view p JOIN analytics.site USING (site_id), generate_series(1, ?::int) n,
            jsonb_populate_record(p, jsonb_build_object('pv_id', 10000 + n)) view
      WHERE tracking_id = 'shop' AND p.pv_id = 1`,
    [VIEWS],
  );
  columns = await openTestColumns(database);
});
afterAll(() => columns.stop());

const head = installedContracts(manifest).at(-1);
if (head === undefined) throw new Error('No contract is installed.');
const streamed = forStreaming(head);

const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-04-01T00:00:00', end: '2026-09-01T00:00:00', tz: 'UTC' },
  make: {
    v: {
      from: ['allpv'],
      keep: ['allpv.pv_id', 'allpv.url', 'allpv.title'],
      filter: { pv_id: { gt: 10_000 } },
    },
  },
  result: { use: 'v', limit: 50_000 },
};

const begin = async (changes: Partial<QueryContext> = {}) =>
  streamQuery(readDocument(JSON.stringify(QUERY)), await createContext(database, { columns, ...changes }));

async function rowsOf({ rows: batches }: StreamedAnswer): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

// conformance: answer.both-engines-one
test('all rows arrive in many batches, exactly as PostgreSQL returns them', async () => {
  const result = await begin();
  const sizes: number[] = [];
  const ids: unknown[] = [];
  for await (const batch of result.rows) {
    sizes.push(batch.length);
    ids.push(...batch.map(([id]) => id));
  }
  expect(result).toMatchObject({ answeredBy: { engine: 'columns' }, totalCount: VIEWS, rowCount: VIEWS });
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2_048);
  expect(ids).toEqual(Array.from({ length: VIEWS }, (_, index) => 10_001 + index));
  const fromRows = await begin({ columns: undefined });
  expect(await rowsOf(fromRows)).toEqual(await rowsOf(await begin()));
});

// conformance: answer.both-engines-one
test('a list that exceeds the limit is read from PostgreSQL, but groups are not', async () => {
  const long = { ...QUERY, result: { use: 'v', limit: 50_001 } };
  const groups = {
    ...long,
    make: { v: { from: ['allpv'], keep: ['allpv.url'], calc: { n: 'COUNT(allpv.pv_id)' } } },
  };
  const context = await createContext(database, { columns, contract: streamed });
  const engines = await Promise.all(
    [long, groups].map(async (query) => {
      const { answeredBy, rows: batches } = await streamQuery(readDocument(JSON.stringify(query)), context);
      await batches.next();
      await batches.return();
      return answeredBy.engine;
    }),
  );
  expect(engines).toEqual(['rows', 'columns']);
});

// conformance: answer.both-engines-one
test('changes to the data during a read are not visible', async () => {
  const result = await begin();
  await result.rows.next();
  await database.write.raw(`UPDATE analytics.page_view SET pv_id = pv_id + 1000000 WHERE pv_id > 10000`);
  await columns.refresh();
  const rest = await rowsOf(result);
  expect(rest.at(-1)?.[0]).toBe(10_000 + VIEWS);
  await database.write.raw(`UPDATE analytics.page_view SET pv_id = pv_id - 1000000 WHERE pv_id > 1000000`);
  await columns.refresh();
});

test('an aborted read is rejected with the reason, and the copy can still be used by others', async () => {
  const caller = new AbortController();
  const { rows: batches } = await begin({ signal: caller.signal });
  await batches.next();
  caller.abort(new Error('gone'));
  await expect(batches.next()).rejects.toThrow('gone');
  expect(await rowsOf(await begin())).toHaveLength(VIEWS);
});

test.each(['columns', 'rows'])(
  'the slot of a client that disconnects before reading a row from %s is freed',
  async (engine) => {
    const caller = new AbortController();
    const left = new Promise<void>((resolve) => {
      const queue = { ...NO_QUEUE, enter: async () => () => resolve() };
      void begin({ signal: caller.signal, queue, ...(engine === 'rows' && { columns: undefined }) }).then(
        () => caller.abort(new Error('gone')),
      );
    });
    await expect(left).resolves.toBeUndefined();
  },
);

test('if a page is rejected after its first rows because the data has changed, its slots and connections are freed', async () => {
  let leaves = 0;
  const enter = async () => {
    await database.write.raw(`UPDATE analytics.page_view SET os_id = os_id WHERE pv_id = 10001`);
    return () => {
      leaves += 1;
    };
  };
  const pageOf = (version?: string) =>
    readDocument(
      JSON.stringify({ ...QUERY, result: { ...QUERY.result, offset: 10, data_version: version } }),
    );
  const refusals = database.read.size + 1;
  for (let count = 0; count < refusals; count += 1) {
    const context = await createContext(database, { contract: streamed });
    const { page, rows: batches } = await streamQuery(pageOf(), context);
    await batches.return();
    const nextPage = streamQuery(pageOf(page?.dataVersion), { ...context, queue: { ...NO_QUEUE, enter } });
    await expect(nextPage).rejects.toMatchObject({ code: 'E_DATA_CHANGED' });
  }
  expect(leaves).toBeGreaterThanOrEqual(refusals);
  await columns.refresh();
});

test('more reads can be paused than can run at once', async () => {
  const results = await Promise.all(Array.from({ length: 6 }, () => begin()));
  expect(results.map(({ answeredBy }) => answeredBy.engine)).toEqual(Array(6).fill('columns'));
  for (const { rows: batches } of results) {
    await batches.next();
    await batches.return();
  }
});

test('many concurrent reads do not block the event loop longer than a single one', async () => {
  const calc = Object.fromEntries(
    Array.from({ length: 40 }, (_, place) => [`m${place}`, 'MAX(allpv.title)']),
  );
  const wide = {
    ...QUERY,
    make: { v: { ...QUERY.make.v, keep: ['allpv.pv_id'], calc } },
    result: { use: 'v', limit: 4_096 },
  };
  const cells: number[] = [0];
  let isRead = false;
  const count = () => {
    cells.push(0);
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  const context = await createContext(database, { columns, contract: streamed });
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => streamQuery(readDocument(JSON.stringify(wide)), context)),
  );
  await Promise.all(
    answers.map(async ({ rows: batches }) => {
      for await (const batch of batches) cells.push((cells.pop() ?? 0) + batch.length * 41);
    }),
  );
  isRead = true;
  expect(answers.map(({ answeredBy }) => answeredBy.engine)).toEqual(Array(3).fill('columns'));
  expect(cells.reduce((sum, some) => sum + some, 0)).toBe(3 * 4_096 * 41);
  // Allows for the values of two iterations, because a count may be taken between them.
  expect(Math.max(...cells)).toBeLessThanOrEqual(2 * (8_192 + 3 * 1_024));
});

// conformance: answer.both-engines-one
test('rows that end too early cause an error', async () => {
  const short: ColumnReader = {
    ...columns,
    async read(...args) {
      const outcome = await columns.read(...args);
      if (!('rows' in outcome)) return outcome;
      const { value } = await outcome.rows.next();
      await outcome.rows.return();
      return {
        rows: (async function* () {
          yield value ?? [];
        })(),
      };
    },
  };
  await expect(rowsOf(await begin({ columns: short }))).rejects.toThrow(
    new RegExp(`^An answer with ${VIEWS} rows ended after \\d+\\.$`),
  );
});

test('a copy that is closed while it is read releases its file, and the reads fail', async () => {
  const { folder } = columns;
  const { rows: batches } = await begin();
  await batches.next();
  await columns.stop({ keep: true });
  await expect(batches.next()).rejects.toThrow('The columnar copy is closed.');
  columns = await openTestColumns(database, { folder });
  expect(await rowsOf(await begin())).toHaveLength(VIEWS);
});

test('the quotient of 0 and a negative number is 0, not -0', async () => {
  expect(await readCopy(columns, 'SELECT 0 / CAST(-2 AS DOUBLE)')).toEqual({ rows: [[0]] });
});
