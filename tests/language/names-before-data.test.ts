// Unknown names are reported before any data is read. In this test, the table does not exist.
import { readDocument } from '../../extension/language/parse/read-document';
import { runWhole } from '../support/run-whole';
import { useCaseDatabase } from './query-setup';

const opened = useCaseDatabase();
beforeAll(async () => {
  await opened.database.write.raw('ALTER TABLE analytics.page_view RENAME TO lost');
});

const query = (view: object) =>
  runWhole(
    readDocument(
      JSON.stringify({
        tracking_id: 'shop',
        materials: [{ name: 'allpv' }],
        time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
        make: { v: { from: ['allpv'], keep: ['allpv.pv_id'], ...view } },
        result: { use: 'v' },
      }),
    ),
    opened.context,
  );

test.each([
  ['a column', { keep: ['allpv.urll'] }, 'E_UNKNOWN_COLUMN'],
  ['a filter', { filter: { urll: 1 } }, 'E_UNKNOWN_COLUMN'],
  ['a value', { filter: { pv: 'x' } }, 'E_FILTER_INVALID'],
  ['a calc', { calc: { n: 'COUNT(allpv.urll)' } }, 'E_CALC_COLUMN_UNRESOLVED'],
  // conformance: view.source-outside-join, request.structure-before-names
])('an error in %s is reported', async (_name, view, code) => {
  await expect(query(view)).rejects.toMatchObject({ code });
});

test('a valid query reads data', async () => {
  await expect(query({})).rejects.not.toMatchObject({ code: expect.stringMatching(/^E_/) });
});
