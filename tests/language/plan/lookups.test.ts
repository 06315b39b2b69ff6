// Plans for lookups: filters on ids instead of text, and limits that are applied before text is looked up.

import { textFiltersToIds } from '../../../extension/language/plan/passes/text-filters-to-ids';
import { compilePlan } from '../../../extension/language/sql/compile-plan';
import { duckdb } from '../../../extension/language/sql/dialects/duckdb';
import { postgresql } from '../../../extension/language/sql/dialects/postgresql';
import type { Expression, PlanNode } from '../../../extension/language/types/plan';
import { finish } from '../../../extension/language/types/steps';
import { rewritePlan } from '../../../extension/language/types/walk-plan';
import { kinds, manifest, planned, type Question } from './planned';

const WEEK = { start: '2026-05-01', end: '2026-05-08' };

const shape = (pass: string, question: Question): string => kinds(planned(question, [pass]).root);

const because = (pass: string, question: Question): readonly string[] => planned(question, [pass]).because;

const sqlOf = (root: PlanNode): string =>
  finish(
    compilePlan(
      {
        root: { kind: 'group', input: root, keys: [], aggregates: [rowCount] },
        counted: null,
        output: {
          view: 'v',
          clock: [],
          kind: 'count',
          columns: [],
          limit: 1,
          offset: 0,
          total: 'rows',
          top: null,
        },
      },
      { dialect: postgresql, storage: manifest },
    ),
  ).text.replaceAll('"', '');
const rowCount = { name: 'rows', function: 'COUNT', column: null, type: 'int', within: [] } as const;

const grouped = (keep: readonly string[], filter: object = {}, more: object = {}) => ({
  view: { from: ['allpv'], keep, filter, calc: { n: 'COUNT(allpv.pv_id)' }, ...more },
});
const listed = (filter: object) => ({
  view: { from: ['allpv'], keep: ['allpv.pv_id', 'allpv.title'], filter },
});

test('queries on the columnar copy read stored channel masks instead of testing the shipped channel rules', () => {
  const plan = planned(grouped(['allpv.channel']), []);
  expect(plan.sql(postgresql)).toContain('strpos');
  expect(plan.sql(duckdb)).toContain('channel_mask');
  expect(plan.sql(duckdb)).not.toMatch(/regexp_matches|list_contains|translate/);
});

describe('text-filters-to-ids', () => {
  const pass = 'text-filters-to-ids';
  const byText = 'limit order group extend filter extend scan';

  test('does not filter by an id if another column has the same name', () => {
    const bounds = { kind: 'range', field: 'at', start: 0, end: 86_400 } as const;
    const url: Expression = {
      kind: 'lookup',
      dimension: 'page',
      key: 'page_id',
      field: 'url',
      bit: null,
      perSite: true,
      siteId: 1,
    };
    const rows: PlanNode = {
      kind: 'extend',
      input: { kind: 'scan', material: 'allpv', siteIds: [1], bounds },
      columns: [
        { name: 'url', value: url },
        { name: 'page_id', value: { kind: 'column', column: 'pv' } },
      ],
    };
    const test = { operator: 'eq', value: '/a' } as const;
    const filter: PlanNode = {
      kind: 'filter',
      input: rows,
      conditions: [{ column: 'url', type: 'text', test }],
    };
    const reasons: string[] = [];
    const context = {
      manifest,
      countedUntil: () => 0,
      countedSpread: () => 0,
      visitFields: () => new Set<string>(),
      viewFields: () => new Set<string>(),
      visitReach: () => 0,
      dimensionRows: () => 0,
      because: (reason: string) => void reasons.push(reason),
    };
    expect(rewritePlan(filter, textFiltersToIds.rewrites, context)).toBe(filter);
    expect(reasons).toEqual(['Another column has the same name as the id or the site.']);
  });
  const byId = 'limit order group extend filter scan';

  test.each<[string, Question, string]>([
    ['one text value', grouped(['allpv.device_type'], { url: '/a' }), byId],
    ['all values except one', grouped(['allpv.device_type'], { url: { neq: '/a' } }), byId],
    ['one of several values', grouped(['allpv.device_type'], { url: { in: ['/a', '/b'] } }), byId],
    ['an id assigned by the site', grouped(['allpv.device_type'], { original_id: 'm1' }), byId],
    ['a shared dimension', grouped(['allpv.url'], { country_code: 'JP' }), byId],
    [
      'part of a text value over a long range',
      grouped(['allpv.device_type'], { url: { contains: 'a' } }),
      byId,
    ],
    ['no text value', grouped(['allpv.device_type'], { pv: 1 }), byText],
    [
      'a text value that several sources share',
      grouped(['allpv.device_type'], { utm_source: 'a' }),
      'limit order group extend filter extend scan',
    ],
    [
      'a list, which may be limited before its text values are looked up',
      listed({ device_type: 'SP' }),
      'limit order extend filter scan',
    ],
    [
      'a text value that another condition reads',
      grouped(['allpv.os'], { url: '/a', title: { neq: 'A' } }),
      'limit order group extend filter extend scan',
    ],
  ])('%s', (_name, question, expected) => expect(shape(pass, question)).toBe(expected));

  test.each<[string, Question, RegExp]>([
    [
      'a text value that may be missing',
      grouped(['allpv.os'], { title: { neq: 'A' } }),
      /^Rows without a value pass/,
    ],
    [
      'part of a text value in one week',
      { ...grouped(['allpv.os'], { url: { prefix: '/a' } }), ...WEEK },
      /long range/,
    ],
    ['no index on the id', grouped(['allpv.os'], { utm_source: 'a' }), /index on the id/],
    ['part of a text value in a list', listed({ url: { contains: 'a' } }), /^A list is read in order/],
    [
      'all values on several sites except one',
      { ...grouped(['allpv.os'], { url: { neq: '/a' } }), sites: 2 },
      /^Each site has different ids/,
    ],
    [
      'part of a text value on several sites',
      { ...grouped(['allpv.os'], { url: { contains: 'a' } }), sites: 2 },
      /^Each site has different ids/,
    ],
  ])('does not fire: %s', (_name, question, reason) => {
    const reasons = because(pass, question);
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(reason);
  });

  test('ids from several sites match only within their own site', () => {
    const { root } = planned({ ...grouped(['allpv.os'], { url: '/a' }), sites: 2 }, [pass]);
    expect(JSON.stringify(root)).toContain('"siteIds":[1,2]');
    expect(sqlOf(root)).toMatch(/\(t1\.site_id, t1\.page_id\) in \(select e\.site_id, e\.page_id from/);
  });

  test('a text value is found by its hash, and no rows are read if the value does not exist', () => {
    const { root } = planned({ ...grouped(['allpv.os'], { url: '/a' }) }, [pass]);
    expect(sqlOf(root)).toMatch(
      /\(select e\.page_id [^)]*e\.text_key = [^)]*\) is not null and t1\.page_id = /,
    );
  });

  test('days are not read separately if the filter matches many ids', () => {
    const question = { ...grouped(['allpv.access_date'], { url: { contains: 'a' } }) };
    expect(kinds(planned(question, [pass, 'periods-as-ranges']).root)).toBe(byId);
    expect(planned(question, [pass, 'periods-as-ranges']).because[0]).toMatch(
      /^The rows are found by many ids/,
    );
    const oneText = { ...grouped(['allpv.access_date'], { url: '/a' }) };
    expect(kinds(planned(oneText, [pass, 'periods-as-ranges']).root)).toContain('per-period');
  });
});

describe('top-before-lookups', () => {
  const passes = ['group-by-id', 'top-before-lookups'];
  const byCount = { sort: { by: 'n', order: 'desc' } };
  const plan = (question: Question) => planned(question, passes);

  test.each<[string, Question, string]>([
    [
      'pages, sorted by page views',
      grouped(['allpv.url'], {}, byCount),
      'limit order extend limit order group extend scan',
    ],
    [
      'two text columns of a page',
      grouped(['allpv.url', 'allpv.title'], {}, byCount),
      'limit order extend limit order group extend scan',
    ],
    ['pages, sorted by URL', grouped(['allpv.url']), 'limit order extend group extend scan'],
    ['no text column', grouped(['allpv.pv'], {}, byCount), 'limit order group extend scan'],
    [
      'titles, which several pages may share',
      grouped(['allpv.title'], {}, byCount),
      'limit order group extend group extend scan',
    ],
    ['rows', listed({}), 'limit order extend scan'],
    [
      'the highest limit that the pass supports',
      { ...grouped(['allpv.url'], {}, byCount), limit: 10_000 },
      'limit order extend limit order group extend scan',
    ],
  ])('%s', (_name, question, expected) => expect(kinds(plan(question).root)).toBe(expected));

  test('all ties pass the first limit, and rows are counted before it', () => {
    const { root } = plan(grouped(['allpv.url'], {}, byCount));
    expect(root).toMatchObject({
      kind: 'limit',
      count: 10,
      countAs: null,
      input: { by: [{ column: 'calc.v.n', direction: 'desc' }, { column: 'allpv.url' }] },
    });
    const inner = root.kind === 'limit' && root.input.kind === 'order' && root.input.input;
    expect(inner).toMatchObject({
      input: {
        kind: 'limit',
        count: 10,
        countAs: 'total',
        withTies: true,
        input: { by: [{ column: 'calc.v.n' }] },
      },
    });
    expect(sqlOf(root)).toContain('rows with ties');
  });

  test.each<[string, Question, RegExp]>([
    ['sorted by the text column', grouped(['allpv.url']), /^The rows are sorted by a text/],
    [
      'text values that several ids share',
      grouped(['allpv.title'], {}, byCount),
      /^Several ids may have the same text/,
    ],
    ['a higher limit', { ...grouped(['allpv.url'], {}, byCount), limit: 10_001 }, /^The limit is above/],
    ['few groups', grouped(['allpv.os'], {}, byCount), /^There are few groups/],
    [
      'a small dimension in the columnar copy',
      { ...grouped(['allpv.url'], {}, byCount), engine: 'columns', dimensionRows: 3_000 },
      /^There are few groups/,
    ],
  ])('does not fire: %s', (_name, question, reason) => {
    expect(plan(question).because.join()).toMatch(reason);
  });

  test.each<[string, Partial<Question>]>([
    ['a large dimension in the columnar copy', { engine: 'columns', dimensionRows: 3_001 }],
    ['PostgreSQL, regardless of the columnar copy', { engine: 'rows', dimensionRows: 1 }],
  ])('fires: %s', (_name, more) => {
    expect(plan({ ...grouped(['allpv.url'], {}, byCount), ...more }).did).toBe('fired');
  });
});

describe('limit-before-lookups', () => {
  const pass = 'limit-before-lookups';

  test.each([
    [
      'text values are looked up for the remaining rows',
      { keep: ['allpv.pv_id', 'allpv.url'] },
      'order extend limit order extend scan',
    ],
    [
      'a text column that the rows are sorted by is looked up before the limit',
      { keep: ['allpv.url'], sort: { by: 'url', order: 'asc' } },
      'limit order extend scan',
    ],
    ['nothing to look up', { keep: ['allpv.pv_id'] }, 'limit order extend scan'],
  ])('%s', (_name, view, expected) =>
    expect(shape(pass, { view: { from: ['allpv'], ...view } })).toBe(expected),
  );
});
