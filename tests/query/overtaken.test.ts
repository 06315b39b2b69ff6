// If data is imported between planning a query and running its statement, both engines answer from the data after the import.
import type { ReadPool } from '../../db/read-pool';
import { importRows } from '../../extension/data/import/import-rows';
import { readDocument } from '../../extension/language/parse/read-document';
import { type ColumnReader, LARGE_QUOTIENT } from '../../extension/query/column-reader';
import type { QueryContext } from '../../extension/query/query-context';
import { manifest, useCaseDatabase } from '../language/query-setup';
import { runWhole } from '../support/run-whole';

const QUERY = JSON.stringify({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { v: { from: ['allpv'], keep: [], calc: { views: 'COUNT(allpv.pv_id)' } } },
  result: { use: 'v' },
});

const opened = useCaseDatabase({ withColumns: true });
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

async function views(changes: Partial<QueryContext>) {
  const { rows, answeredBy } = await runWhole(readDocument(QUERY), { ...opened.context, ...changes });
  return { views: rows[0]?.[0], engine: answeredBy.engine };
}
const onRows = { columns: undefined };

// conformance: beyond.query-sees-all
test('queries on rows read the data after the import', async () => {
  const { views: before } = await views(onRows);
  const withConnection: ReadPool['withConnection'] = async (patience, work) => {
    await importOne();
    return database.read.withConnection(patience, work);
  };
  const overtaken = { ...database.read, withConnection };
  expect(await views({ ...onRows, database: overtaken })).toEqual({
    views: Number(before) + 1,
    engine: 'rows',
  });
});

// conformance: beyond.query-sees-all
test('a query is answered from rows if the copy is refreshed while it runs', async () => {
  const { columns } = opened.context;
  if (columns === undefined) throw new Error('There is no columnar copy.');
  const { views: before } = await views(onRows);
  const refreshed: ColumnReader = { ...columns, read: async () => ({ gaveUp: 'The data changed.' }) };
  expect(await views({ columns: refreshed })).toEqual({ views: before, engine: 'rows' });
});

// conformance: beyond.query-sees-all
test('a query that the copy cannot answer at first is answered from rows if the copy loses the site meanwhile', async () => {
  const { columns } = opened.context;
  if (columns === undefined) throw new Error('There is no columnar copy.');
  const body = QUERY.replace('COUNT(allpv.pv_id)', 'COUNT(allpv.pv_id) / COUNT(allpv.pv_id)');
  let isLost = false;
  const losing: ColumnReader = {
    ...columns,
    whyNot: () => (isLost ? 'The site was removed from the copy.' : undefined),
    copiesOf: (siteIds) => (isLost ? [] : columns.copiesOf(siteIds)),
    async read(...args) {
      if (isLost) return columns.read(...args);
      isLost = true;
      return { gaveUp: LARGE_QUOTIENT };
    },
  };
  const answer = await runWhole(readDocument(body), { ...opened.context, columns: losing });
  expect(isLost).toBe(true);
  expect(answer).toMatchObject({ rows: [[1]], answeredBy: { engine: 'rows' } });
});
