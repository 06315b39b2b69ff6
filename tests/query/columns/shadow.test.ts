// Answers from the copy are compared with answers from rows: if they differ, evidence is saved and the copy is rebuilt.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { readDocument } from '../../../extension/language/parse/read-document';
import { createQueryQueue, type QueryQueue } from '../../../extension/query/query-queue';
import {
  type AnsweredByColumns,
  createShadow,
  type Shadow,
  type ShadowOptions,
  type ShadowReader,
} from '../../../extension/query/shadow';
import { createContext, useCaseDatabase } from '../../language/query-setup';
import { openTestColumns, type TestColumns } from '../../support/columns';
import { createMemoryLog } from '../../support/memory-log';
import { runWhole } from '../../support/run-whole';
import { throwawayFolder } from '../../support/throwaway-postgres';

const { database } = useCaseDatabase();
const { log, logged } = createMemoryLog();
let folder: string;
let columns: TestColumns;
beforeAll(async () => {
  // A copy of one site is built faster than one of three.
  await database.write('analytics.site').whereNot({ tracking_id: 'shop' }).delete();
  folder = await mkdtemp(join(throwawayFolder(), 'qal-shadow-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  logged.splice(0);
  columns = await openTestColumns(database, { folder: join(folder, 'columns'), log });
});
afterEach(() => columns.stop());

const queueOf = (atOnce = 4): QueryQueue<unknown> =>
  createQueryQueue({ atOnce, perUser: 1, waiting: 10, timeoutMs: 1_000, random: Math.random });

const shadowOf = (options: Partial<ShadowOptions> = {}): Shadow =>
  createShadow({
    oneIn: 1,
    rest: 0,
    queue: queueOf(),
    columns: () => columns,
    clock: () => new Date(),
    log,
    folder: join(folder, 'differences'),
    ...options,
  });

const evidence = async (): Promise<readonly string[]> =>
  (await readdir(join(folder, 'differences')).catch(() => [])).map((name) =>
    join(folder, 'differences', name),
  );

const document = (view: object, more: object = {}) =>
  readDocument(
    JSON.stringify({
      tracking_id: 'shop',
      materials: [{ name: 'allpv' }, { name: 'gsc' }],
      result: { use: 'v' },
      time: { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'UTC' },
      make: { v: view },
      ...more,
    }),
  );
const VIEWS = document({ from: ['allpv'], keep: ['allpv.url'], calc: { n: 'COUNT(allpv.pv_id)' } });

async function ask(query: typeof VIEWS, shadow: ShadowReader) {
  const { rows, answeredBy } = await runWhole(query, await createContext(database, { columns, shadow }));
  expect(answeredBy.engine).toBe('columns');
  return rows;
}

/** Returns what the pipeline passes to the shadow, and holds its rows. */
async function passedToShadow(query = VIEWS): Promise<AnsweredByColumns> {
  let found: AnsweredByColumns | undefined;
  await ask(query, {
    answered(answer) {
      answer.columns.result.rows.hold();
      found = answer;
    },
  });
  if (found === undefined) throw new Error('Nothing was passed to the shadow.');
  return found;
}

test('identical answers have no effect', async () => {
  const shadow = shadowOf();
  for (const query of [
    VIEWS,
    document({
      from: ['allpv'],
      keep: ['allpv.pv_id', 'allpv.access_time', 'allpv.title', 'allpv.utm_source'],
    }),
    document({
      from: ['gsc'],
      keep: ['gsc.keyword'],
      calc: { p: 'AVERAGE(gsc.position)', c: 'SUM(gsc.ctr)' },
    }),
    document({ from: ['allpv'], keep: ['allpv.url'] }, { result: { use: 'v', count_only: true } }),
  ]) {
    await ask(query, shadow);
    await shadow.settle();
  }
  expect([await evidence(), (await columns.status()).differences, logged]).toEqual([[], [], []]);
});

test('if an answer differs, it is saved with both statements, queries are answered from rows, and the copy is rebuilt', async () => {
  const shadow = shadowOf();
  const { rows: right } = await runWhole(VIEWS, await createContext(database));
  await columns.stop({ keep: true });
  const instance = await DuckDBInstance.create(join(columns.folder, 'columns.duckdb'));
  const connection = await instance.connect();
  const { rowsChanged } = await connection.run(
    "DELETE FROM analytics.page_view AS v USING analytics.page AS p WHERE p.site_id = v.site_id AND p.page_id = v.page_id AND p.url LIKE '%/b'",
  );
  expect(rowsChanged).toBeGreaterThan(0);
  connection.closeSync();
  instance.closeSync();
  columns = await openTestColumns(database, { folder: columns.folder, log });

  const wrong = await ask(VIEWS, shadow);
  expect(wrong).not.toEqual(right);
  await shadow.settle();
  const after = await runWhole(VIEWS, await createContext(database, { columns }));
  expect([after.answeredBy.engine, after.rows]).toEqual(['rows', right]);
  await columns.refresh();
  expect(await ask(VIEWS, shadow)).toEqual(right);

  const [file = ''] = await evidence();
  const saved = JSON.parse(await readFile(file, 'utf8'));
  expect([saved.columns.rows, saved.rows.rows]).toEqual([wrong, right]);
  expect(saved.columns.statement).not.toBe(saved.rows.statement);
  expect((await columns.status()).differences).toMatchObject([
    { foundBy: 'shadow', trackingId: 'shop', span: `saved in ${file}`, isLeftToRows: false },
  ]);
  expect(logged[0]?.msg).toContain('differs from PostgreSQL in rows of an answer');
  await rm(file);
});

test('if an answer differs, the copy is not used, even if the evidence cannot be saved', async () => {
  const distrusted: string[] = [];
  const notAFolder = join(folder, 'file');
  await writeFile(notAFolder, '');
  const shadow = shadowOf({
    folder: join(notAFolder, 'differences'),
    columns: () => ({ distrust: (_sites, where) => void distrusted.push(where) }),
  });
  const { fromRows } = await passedToShadow(document({ from: ['allpv'], keep: ['allpv.url'] }));
  shadow.answered({ ...(await passedToShadow()), fromRows });
  await shadow.settle();
  expect(distrusted).toEqual(['not saved']);
  expect(logged.map(({ msg }) => msg)).toEqual(['An answer that differed from rows could not be saved.']);
});

test('changes to the data during the comparison are not reported', async () => {
  const shadow = shadowOf();
  const answer = await passedToShadow();
  shadow.answered({
    ...answer,
    async fromRows(signal) {
      await database.write.raw(
        "UPDATE analytics.page SET url = url || '?changed' WHERE page_id = (SELECT min(page_id) FROM analytics.page_view WHERE site_id = 1) AND site_id = 1",
      );
      await database.write.raw(
        'UPDATE analytics.page_view SET browse_sec = 7 WHERE pv_id = 1 AND site_id = 1',
      );
      return answer.fromRows(signal);
    },
  });
  await shadow.settle();
  expect([await evidence(), (await columns.status()).differences]).toEqual([[], []]);
});

test('one in n answers is compared, but none while all slots are in use', async () => {
  const answer = await passedToShadow();
  let comparisons = 0;
  const counted = {
    ...answer,
    fromRows(signal: AbortSignal) {
      comparisons += 1;
      return answer.fromRows(signal);
    },
  };
  const queue = queueOf(1);
  const shadow = shadowOf({ oneIn: 3, queue });
  for (let count = 0; count < 7; count += 1) {
    shadow.answered(counted);
    await shadow.settle();
  }
  expect(comparisons).toBe(2);
  const leave = await queue.enter({ user: 'ann', signal: new AbortController().signal });
  for (let count = 0; count < 7; count += 1) shadow.answered(counted);
  await shadow.settle();
  expect(comparisons).toBe(2);
  leave();
  await new Promise((resolve) => setImmediate(resolve));
  shadow.answered(counted);
  await shadow.settle();
  expect(comparisons).toBe(3);
});
