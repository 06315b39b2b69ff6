// Of which questions about kept counts the one key is looked for in its blocks, instead of making a row of every key.
import { planned, type Question } from './planned';

const view = (filter: object, calc = 'COUNT(allpv.pv_id)', keep: readonly string[] = []) => ({
  view: { from: ['allpv'], keep, calc: { n: calc }, filter },
});

function looksForKey(question: Question): boolean {
  const sql = planned(question, ['read-rollups', 'text-filters-to-ids']).sql();
  expect(sql).toContain('from "analytics"."rollup');
  return sql.includes('array_positions(r.keys,');
}

test.each<[string, Question]>([
  ['a page', view({ url: 'https://a.example/' })],
  ['a list of one', view({ url: ['https://a.example/'] })],
  ['the days of a page', view({ url: 'https://a.example/' }, undefined, ['allpv.access_date'])],
])('%s is looked for', (_name, question) => expect(looksForKey(question)).toBe(true));

test.each<[string, Question]>([
  ['several pages', view({ url: ['https://a.example/', 'https://b.example/'] })],
  ['all other pages', view({ url: { neq: 'https://a.example/' } })],
  ['a text that several entries share', view({ title: 'a' })],
  ['one of two keys', view({ url: 'https://a.example/' }, undefined, ['allpv.device_type'])],
  ['different values', view({ url: 'https://a.example/' }, 'COUNTUNIQUE(allpv.session_id)')],
])('%s: every place is a row', (_name, question) => expect(looksForKey(question)).toBe(false));
