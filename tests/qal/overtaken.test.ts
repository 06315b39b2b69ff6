// An import between the planning of a query and its statement: the answer is that of the data after it, rows and counts.
import type { ReadPool } from '../../db/read-pool';
import { importRows } from '../../extension/import/import-rows';
import { readDocument } from '../../extension/qal/parse/read-document';
import type { QueryContext } from '../../extension/qal/types/query-context';
import { prepareQuery, runQuery } from '../../extension/run-query';
import { manifest, useCaseDatabase } from './query-setup';

const QUERY = JSON.stringify({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { v: { from: ['allpv'], keep: [], calc: { views: 'COUNT(allpv.pv_id)' } } },
  result: { use: 'v' },
});

const opened = useCaseDatabase();
const { database } = opened;
let imported = 0;

async function importOne(): Promise<void> {
  imported += 1;
  const row = {
    pv_id: 900_000 + imported,
    session_id: 900_000 + imported,
    reader_id: 900_000 + imported,
    access_time: '2026-05-10T12:00:00+09:00',
    url: 'https://shop.example/late',
  };
  await importRows(database.write, manifest, { material: 'allpv', site: 'shop', rows: [row] });
}

/** The database of a query whose statements are overtaken by an import, so many of them. */
function overtaken(times: number): { readonly database: ReadPool; readonly statements: () => number } {
  let statements = 0;
  const { read } = database;
  const withConnection: ReadPool['withConnection'] = async (patience, work) => {
    statements += 1;
    if (statements <= times) await importOne();
    return read.withConnection(patience, work);
  };
  return { database: { ...read, withConnection }, statements: () => statements };
}

const views = async (changes: Partial<QueryContext> = {}) =>
  (await runQuery(readDocument(QUERY), { ...opened.context, ...changes })).rows[0]?.[0];

test('the query is answered from counts', async () => {
  expect((await prepareQuery(readDocument(QUERY), opened.context)).sql.text).toContain('sites_of_versions');
});

test.each([
  [0, 1],
  [1, 2],
  [3, 4],
  [4, 5],
  [6, 5],
])('%d imports: %d statements', async (times, expected) => {
  const before = Number(await views());
  const { database, statements } = overtaken(times);
  expect(await views({ database })).toBe(before + Math.min(times, expected));
  expect(statements()).toBe(expected);
  expect(await views()).toBe(await views({ rollups: false }));
});
