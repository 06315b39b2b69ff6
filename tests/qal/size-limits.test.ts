// Size limits of a query: the largest that passes, and one more.
import { readDocument } from '../../extension/qal/parse/read-document';
import { runWhole } from '../support/run-whole';
import { useCaseDatabase } from './query-setup';

const opened = useCaseDatabase();

const ROWS = { from: ['allpv'], keep: ['allpv.pv_id'] };
const many = <Value>(count: number, value: Value, name: string): Record<string, Value> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, value]));

const run = (make: object, use: string) =>
  runWhole(
    readDocument(
      JSON.stringify({
        tracking_id: 'shop',
        materials: [{ name: 'allpv' }],
        time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
        make,
        result: { use },
      }),
    ),
    opened.context,
  );

test.each<[string, number, string, (count: number) => object]>([
  ['views', 64, 'make', (count) => many(count, ROWS, 'v')],
  [
    'columns of a view',
    256,
    'make.v0.keep',
    (count) => ({ v0: { ...ROWS, calc: many(count - 1, 'COUNT(allpv.url)', 'n') } }),
  ],
  [
    'values in a list',
    1000,
    'make.v0.filter.pv_id',
    (count) => ({ v0: { ...ROWS, filter: { pv_id: Array(count).fill(1) } } }),
  ],
])('%s: at most %i', async (_name, most, at, makeOf) => {
  expect((await run(makeOf(most), 'v0')).rows.length).toBeGreaterThan(0);
  await expect(run(makeOf(most + 1), 'v0')).rejects.toMatchObject({ code: 'E_QUERY_TOO_LARGE', at });
});
