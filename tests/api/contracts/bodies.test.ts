// The response schemas accept the bodies in the specification and reject other contracts' bodies.
import type { Bodies } from '../../../extension/api/contracts/contract';
import { rowObjects } from '../../../extension/api/contracts/response-parts';
import { bodiesOf } from './contract-host';

const site = {
  tracking_id: 'shop',
  domain: 'shop.example',
  name: 'Shop',
  default: true,
  data_available_from: '2025-01-01',
  timezone: 'Asia/Tokyo',
  goals: [{ id: 1, name: 'Thanks', type: 'url_match', condition: '/thanks' }],
};
const head = { plugin_version: '1.0.0', timestamp: '2026-05-11T00:00:00.000Z' };
const section = { file: 'index.md', title: 'Index', content: '# Index' };

const initial = {
  table: {
    data: [{ url: '/', pv_id: 1 }],
    meta: { truncated: false, row_count: 1, limits: { row_limit: 5000 } },
  },
  count: { count: 3 },
  error: { code: 'E_UNKNOWN_COLUMN', message: 'm', data: { status: 400, material: 'allpv', column: 'x' } },
  guide: {
    ...head,
    version: '2025-10-20',
    sites: [
      {
        ...site,
        materials: {
          allpv: { available: true, row_count: 10, date_range: { start: '2025-01-01', end: '2025-02-01' } },
          gsc: { available: false },
        },
      },
    ],
    summary: { total_sites: 1, total_pv: 10, oldest_data: '2025-01-01', newest_data: '2025-02-01' },
    limits: { max_query_rows: 50000, max_inline_rows: 5000, query_timeout_seconds: 300 },
    documentation: { source: '', format: 'markdown', sections: [{ ...section, category: 'overview' }] },
  },
};

const later = {
  table: {
    ok: true,
    version: '2026-05-11',
    query_time_ms: 4,
    result: { view: 'v', columns: ['url'], rows: [['/'], [null]], row_count: 2 },
    meta: { returned_count: 2, limit: 10, truncated: false, cached: true },
  },
  count: {
    ok: true,
    version: '2026-05-11',
    query_time_ms: 4,
    result: { view: 'v', count: 3 },
    meta: { cached: false },
  },
  rows: { data: [{ url: '/' }], meta: { total_count: 1, returned_count: 1, limit: 10, truncated: false } },
  error: { ok: false, error: { code: 'E_UNKNOWN_COLUMN', message: 'm', at: 'make.v.keep[0]' } },
  guide: {
    ...head,
    version: '2026-05-11',
    api_update: '2026-05-11',
    features: { filter: true, sample: false },
    features_detail: { filter: { enabled: true, since: '2025-10-20' }, sample: { enabled: false } },
    sites: [
      {
        ...site,
        goals: [{ id: 1, name: 'T', type: 'gtype_page', condition: { url: '/thanks', match: 'exact' } }],
        observed_events: { buy: { material: 'events.buy', columns: { price: 'number', item: 'string' } } },
      },
    ],
    limits: { max_answer_bytes: 1000 },
    documentation: {
      source: '',
      format: 'mixed',
      sections: [{ ...section, category: 'spec', format: 'yaml' }],
    },
  },
};

const flat = ({ answers, guide, error }: Bodies) => ({ ...answers, guide, error });
const schemas = { initial: flat(bodiesOf('2025-10-20')), later: flat(bodiesOf('2026-05-11')) };

const bodies = [
  ...Object.entries(initial).map(([kind, body]) => ['initial', kind, body] as const),
  ...Object.entries(later).map(([kind, body]) => ['later', kind, body] as const),
];

test.each(bodies)('%s: a %s body matches only its own schema', (level, kind, body) => {
  const matching = Object.entries(schemas).flatMap(([name, own]) =>
    Object.entries(own).flatMap(([other, schema]) => (schema.safeParse(body).success ? [[name, other]] : [])),
  );
  expect(matching).toEqual([[level, kind]]);
  expect(
    Object.entries(schemas[level])
      .find(([name]) => name === kind)?.[1]
      .parse(body),
  ).toEqual(body);
});

test('row objects contain the values by column name, in column order', () => {
  expect(JSON.stringify(rowObjects(['b', 'a'], [[1, 'x']]))).toBe('[{"b":1,"a":"x"}]');
});

test('a missing value is null', () => {
  expect(rowObjects(['a', 'b'], [[null]])).toEqual([{ a: null, b: null }]);
});

test('a name that is special in JavaScript is treated like any other', () => {
  expect(JSON.stringify(rowObjects(['__proto__', 'constructor'], [[1, 2]]))).toBe(
    '[{"__proto__":1,"constructor":2}]',
  );
});
