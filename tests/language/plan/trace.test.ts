// The trace reports whether each pass fired and, if not, why.
import { PASSES } from '../../../extension/language/plan/plan-query';
import { planned, type Question } from './planned';

const NAMES = PASSES.map(({ name }) => name);

const on = (key: string) => [{ left: `allpv.${key}`, right: `click_event.${key}` }];
const count = { n: 'COUNT(allpv.pv_id)' };
const QUESTIONS: readonly Question[] = [
  { view: { from: ['allpv'], keep: ['allpv.pv'] } },
  { view: { from: ['allpv'], keep: ['allpv.url'], filter: { device_type: 'SP' } } },
  { view: { from: ['allpv'], keep: ['allpv.url'], calc: count, sort: { by: 'n', order: 'desc' } } },
  { view: { from: ['allpv'], keep: ['allpv.title'], filter: { title: { neq: 'A' } }, calc: count } },
  { view: { from: ['allpv'], keep: ['allpv.access_date'], calc: { n: 'COUNTUNIQUE(allpv.reader_id)' } } },
  {
    view: { from: ['allpv'], keep: ['allpv.access_month'], filter: { url: { contains: 'a' } }, calc: count },
  },
  { view: { from: ['allpv'], keep: ['allpv.os'], calc: { n: 'MAX(allpv.pv)' } }, sites: 2 },
  { view: { from: ['allpv'], keep: ['allpv.access_date'], calc: count } },
  {
    view: {
      from: ['allpv'],
      keep: ['click_event.selector'],
      join: { with: 'click_event', on: on('page_id') },
      calc: count,
    },
  },
  {
    view: { from: ['inner'], keep: ['inner.os'], calc: { total: 'SUM(inner.n)' } },
    earlier: { inner: { from: ['allpv'], keep: ['allpv.os', 'allpv.url'], calc: count } },
  },
];

const cases = QUESTIONS.flatMap((question) => NAMES.map((pass) => [pass, question] as const));

test.each(cases)('%s is reported as fired if and only if it changed the plan of %j', (pass, question) => {
  const plain = JSON.stringify(planned(question, []).root);
  const { root, did } = planned(question, [pass]);
  expect(did).toBe(JSON.stringify(root) === plain ? 'nothing' : 'fired');
});

test('each reason is reported once', () => {
  const filter = { utm_source: 'a', utm_term: 'b' };
  const question = { view: { from: ['allpv'], keep: ['allpv.os'], filter, calc: count } };
  expect(planned(question, ['text-filters-to-ids']).because).toHaveLength(1);
});

test('days are not read as ranges if another time column limits the rows, or if there are too many days', () => {
  const view = { from: ['allpv'], keep: ['allpv.access_date'], calc: count };
  const because = (question: Question) => planned(question, ['periods-as-ranges']).because;
  expect(because({ view })).toEqual([]);
  const join = { with: 'click_event', on: on('page_id') };
  expect(because({ view: { ...view, join } })[0]).toMatch(/^The day, week or month is not derived from/);
  expect(because({ view, start: '2016-01-01' })[0]).toMatch(/^The range has more than 1100 days/);
});
