// Plans that read one row per visit.
import { duckdb } from '../../../extension/language/sql/dialects/duckdb';
import { grouped, nodesOf, planned, type Question, READERS, SESSIONS, shape } from './planned';

const PASSES = ['group-by-id', 'unique-counts', 'one-row-per-visit'];
const visitFields = [
  'site_id',
  'session_id',
  'reader_id',
  'source_id',
  'medium_id',
  'device_id',
  'country_id',
];
const ask = (view: object, more: Partial<Question> = {}): Question => ({ view, visitFields, ...more });

const scans = (question: Question) =>
  nodesOf(planned(question, PASSES).root).flatMap((node) =>
    node.kind === 'scan' ? [node.isOncePerVisit === true] : [],
  );

const joined = (view: string, mode: string, key = 'session_id') => ({
  with: view,
  on: [{ left: `allpv.${key}`, right: `${view}.${key}` }],
  'if not match': mode,
});
const VISITS_OF_PAGE = {
  from: ['allpv'],
  filter: { url: '/a' },
  keep: ['allpv.session_id'],
  calc: { n: 'COUNT(allpv.pv_id)' },
};

describe('one row per visit', () => {
  test.each<[string, Question, string]>([
    [
      'by text values that several ids share',
      ask(grouped(['utm_source', 'utm_medium'], SESSIONS)),
      'limit order group extend group extend extend scan',
    ],
    [
      'by two ids',
      ask(grouped(['device_type', 'country_code'], SESSIONS)),
      'limit order extend group extend scan',
    ],
    [
      'with a filter',
      ask({ ...grouped([], SESSIONS), filter: { device_type: 'PC', country_code: { neq: 'JP' } } }),
      'limit order group extend filter extend scan',
    ],
    [
      'visitors and visits',
      ask(grouped(['utm_source'], { r: READERS, s: SESSIONS })),
      'limit order group extend group extend extend scan',
    ],
    [
      'visitors and visits by channel, grouped by its number',
      ask(grouped(['channel', 'device_type'], { r: READERS, s: SESSIONS })),
      'limit order extend extend group extend extend extend scan',
    ],
    [
      'visits by channel, grouped by source and medium',
      ask(grouped(['channel'], SESSIONS)),
      'limit order group extend group extend extend scan',
    ],
    [
      'with other aggregates, which are computed from every row',
      ask({
        ...grouped([], { s: SESSIONS, n: 'COUNT(allpv.pv_id)' }),
        filter: { device_type: 'PC', country_code: 'JP' },
      }),
      'limit order join (group extend filter extend scan) (group extend filter extend scan)',
    ],
    [
      'joined with visits',
      ask(
        { ...grouped(['utm_source'], SESSIONS), join: joined('found', 'drop') },
        { earlier: { found: VISITS_OF_PAGE } },
      ),
      'limit order group extend group extend join (extend scan) (group extend filter extend scan)',
    ],
  ])('%s', (_title, question, expected) => {
    expect(shape(question, PASSES)).toBe(expected);
    expect(scans(question)).toContain(true);
    expect(planned(question, PASSES).did).toBe('fired');
  });

  test('visits are counted as rows, and visitors as distinct values', () => {
    const { root } = planned(
      ask(grouped(['device_type'], { r: READERS, s: SESSIONS, c: 'COUNTUNIQUE(allpv.source_id)' }), {
        countedUntil: 0,
      }),
      PASSES,
    );
    const functions = nodesOf(root).flatMap((node) =>
      node.kind === 'group' ? node.aggregates.map((it) => `${it.function} ${it.column}`) : [],
    );
    expect(functions).toEqual(['COUNTUNIQUE allpv.reader_id', 'COUNT null', 'COUNTUNIQUE allpv.source_id']);
  });

  test.each<[string, Question, readonly string[]]>([
    ['no field is known to be session-constant', { view: grouped(['utm_source'], SESSIONS) }, []],
    ['several sites', ask(grouped(['utm_source'], SESSIONS), { sites: 2 }), []],
    [
      'a key that varies',
      ask(grouped(['utm_campaign', 'utm_source'], SESSIONS)),
      ['A key or counted value may differ between rows of a visit.'],
    ],
    [
      'a counted value that varies',
      ask(grouped(['device_type'], 'COUNTUNIQUE(allpv.page_id)')),
      ['A key or counted value may differ between rows of a visit.'],
    ],
    [
      'a filter on pages',
      ask({ ...grouped(['utm_source'], SESSIONS), filter: { url: '/a' } }),
      ['A filter reads a value that may differ between rows of a visit.'],
    ],
    [
      'page views are counted too, by text values that several ids share',
      ask(grouped(['utm_source'], { s: SESSIONS, n: 'COUNT(allpv.pv_id)' })),
      [],
    ],
    [
      'joined by page',
      ask(
        { ...grouped(['utm_source'], SESSIONS), join: joined('found', 'drop', 'page_id') },
        { earlier: { found: { ...VISITS_OF_PAGE, keep: ['allpv.page_id'] } } },
      ),
      ['Rows of a visit may have different matches.'],
    ],
    [
      'joined with several rows per visit',
      ask(
        { ...grouped(['utm_source'], SESSIONS), join: joined('found', 'drop') },
        { earlier: { found: { ...VISITS_OF_PAGE, calc: undefined } } },
      ),
      ['Rows of a visit may have different matches.'],
    ],
  ])('every row is read: %s', (_title, question, because) => {
    expect(scans(question).every((isOnce) => !isOnce)).toBe(true);
    expect(planned(question, PASSES)).toMatchObject({ did: 'nothing', because });
  });

  test('visits that began before the range are read once, from the beginning of the range', () => {
    const text = planned(ask(grouped(['utm_source'], SESSIONS)), PASSES).sql(duckdb);
    expect(text).toMatch(
      /"pv" = 1.* union all .* in \(select id from \(select .* group by 1\) as "v\d+" where number > 1\)/,
    );
  });
});
