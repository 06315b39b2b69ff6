// No text in a query becomes SQL: it is bound, renamed or rejected.
import { readDocument } from '../../extension/language/parse/read-document';
import { prepareQuery } from '../../extension/query/run-query';
import { runWhole } from '../support/run-whole';
import { useCaseDatabase } from './query-setup';

const MARK = 'Zq7';
const HOSTILE = [
  `${MARK}'; drop table analytics.page_view; --`,
  `${MARK}" or ""="`,
  `${MARK}\\' or 1=1 --`,
  `$1${MARK}`,
  `${MARK}?`,
  `??${MARK}`,
  `:name${MARK}`,
];

const opened = useCaseDatabase();

const TIME = { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' };
const query = (view: object, name = 'v') =>
  JSON.stringify({
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: TIME,
    make: { [name]: view },
    result: { use: name },
  });

describe.each(HOSTILE)('%j', (text) => {
  test.each([
    ['eq', text],
    ['a list', [text, '/a']],
    ['neq', { neq: text }],
    ['contains', { contains: text }],
    ['prefix', { prefix: text }],
    ['between', { between: [text, text] }],
    // conformance: service.queries-qal-small
  ])('as a value of %s, it is bound', async (_name, value) => {
    const body = query({ from: ['allpv'], keep: ['allpv.url'], filter: { url: value } });
    const { sql } = await prepareQuery(readDocument(body), opened.context);
    expect(sql.text).not.toContain(MARK);
    expect(sql.bindings.flat()).toContain(text);
    await expect(runWhole(readDocument(body), opened.context)).resolves.toMatchObject({ columns: ['url'] });
  });

  test.each([
    ['a column in keep', { from: ['allpv'], keep: [`allpv.${text}`] }],
    ['a source in keep', { from: ['allpv'], keep: [`${text}.url`] }],
    ['a filter column', { from: ['allpv'], keep: ['allpv.url'], filter: { [text]: 1 } }],
    ['a calc name', { from: ['allpv'], keep: [], calc: { [text]: 'COUNT(allpv.url)' } }],
    ['a calc', { from: ['allpv'], keep: [], calc: { n: text } }],
    ['sort.by', { from: ['allpv'], keep: ['allpv.url'], sort: { by: text, order: 'asc' } }],
    ['sort.order', { from: ['allpv'], keep: ['allpv.url'], sort: { by: 'url', order: text } }],
    // conformance: service.queries-qal-small
  ])('as %s, it is rejected', async (_name, view) => {
    await expect(runWhole(readDocument(query(view)), opened.context)).rejects.toMatchObject({ status: 400 });
  });

  test('is rejected as the name of a view', async () => {
    const view = { from: ['allpv'], keep: ['allpv.url'] };
    await expect(runWhole(readDocument(query(view, text)), opened.context)).rejects.toMatchObject({
      code: 'E_INVALID_VIEW_NAME',
    });
  });
});

test('long names in a query never become identifiers', async () => {
  const name = `a${'b'.repeat(200)}`;
  const body = query(
    { from: ['allpv'], keep: [], calc: { [name]: 'COUNT(allpv.pv_id)', [`${name}c`]: 'MIN(allpv.pv_id)' } },
    name,
  );
  await expect(runWhole(readDocument(body), opened.context)).resolves.toMatchObject({
    view: name,
    columns: [name, `${name}c`],
    rows: [[5, 3]],
  });
});
