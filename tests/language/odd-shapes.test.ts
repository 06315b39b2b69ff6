// Replaces each value of a query with unusual ones, and adds unusual keys. The result must be a valid query or an error with a
// position, never an exception.
import { QueryError } from '../../extension/language/errors/query-error';
import { readDocument } from '../../extension/language/parse/read-document';
import { isJsonList, isJsonObject, type JsonValue } from '../../extension/language/types/json';
import type { Path } from '../../extension/language/types/path';
import { withEdit } from '../../extension/language/types/repair';
import { understandQuery } from '../../extension/query/understand-query';
import { IS_LONG_RUN } from '../support/long-run';
import { CATALOGUE, faultsOf, SHOP, understood } from './understood';

/** Not an object literal, because linters would take an object literal with this key for a promise. */
const THEN = Object.fromEntries([['then', [{ by: 'url', order: 'asc' }]]]);

const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }, { name: 'click_event' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: {
    pages: {
      from: ['allpv'],
      time: { start: '2026-05-01T00:00:00', end: '2026-05-08T00:00:00' },
      keep: ['allpv.url', 'allpv.pv_id'],
      filter: {
        url: { prefix: '/a', not_contains: 'b' },
        pv: [1, 2],
        browse_sec: { between: [1, 9], lt: { column: 'speed_msec' } },
        any: [{ utm_source: 'x' }, { device_type: { in: ['PC'] } }],
      },
      join: {
        with: 'click_event',
        on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }],
        'if not match': 'drop',
        fill: 0,
      },
      calc: {
        clicks: 'COUNT(click_event.pv_id)',
        p95: 'PERCENTILE(allpv.browse_sec, 95)',
        rate: 'COUNT(click_event.pv_id) / COUNT(allpv.pv_id)',
      },
      add: ['clicks', 'p95', 'rate'],
      sort: { by: 'clicks', order: 'desc', top: 3, per: ['url'], ...THEN },
    },
    total: { from: ['pages'], keep: [], calc: { all: 'SUM(pages.clicks)' } },
  },
  result: { use: 'total', limit: 10, offset: 0, count_only: false },
} as const satisfies JsonValue;

const COLUMN = 'allpv.pv_id';

/** Values that programs and people send in place of correct ones. */
const ODD_VALUES: readonly JsonValue[] = [
  null,
  true,
  0,
  -1.5,
  1e21,
  '',
  '*',
  'COUNT(*)',
  'a.b.c',
  '__proto__',
  '2026-05-01',
  '\u0000',
  '\ud800',
  '(',
  [],
  [[]],
  [null],
  [{}],
  [COLUMN, null],
  [1, 'a', {}],
  {},
  { a: {} },
  { length: {} },
  { toString: {} },
  { column: COLUMN },
  { name: {} },
  { SUM: { column: COLUMN } },
  { SUM: [{ column: {} }] },
  { divide: [{ SUM: {} }, []] },
  { p95: [{}] },
  { lt: { column: {} } },
  { in: {} },
  { between: [{}] },
  { any: {} },
  { any: [{ a: {} }] },
  { not: null },
  { by: {}, order: {} },
  { field: 'url', direction: {} },
  { expression: {} },
  { $or: [{}] },
  { use: {} },
];

const ODD_KEYS = [
  '',
  'x',
  'as',
  '__proto__',
  'toString',
  'constructor',
  'length',
  '0',
  'limit',
  'order_by',
  'group_by',
  'having',
  'where',
  'select',
  'distinct',
  'page',
  'offset',
  'format',
  'version',
  'x-note',
  'tz',
  'dataset',
  'sql',
  'qal',
];

const pathsOf = (value: JsonValue, path: Path = []): readonly Path[] => [
  path,
  ...(isJsonList(value) ? value.flatMap((it, index) => pathsOf(it, [...path, index])) : []),
  ...(isJsonObject(value) ? Object.entries(value).flatMap(([key, it]) => pathsOf(it, [...path, key])) : []),
];

const PATHS = pathsOf(QUERY).filter((path) => path.length > 0);
const bodyWith = (path: Path, value: JsonValue) => JSON.stringify(withEdit(QUERY, { path, value }));

const bodies = [
  ...PATHS.flatMap((path) => ODD_VALUES.map((value) => bodyWith(path, value))),
  ...PATHS.map((path) => JSON.stringify(withEdit(QUERY, { path, remove: true }))),
  ...PATHS.flatMap((path) => [bodyWith(path, [valueIn(path)]), bodyWith(path, { name: valueIn(path) })]),
  ...PATHS.filter((path) => isJsonObject(valueIn(path))).flatMap((path) =>
    ODD_KEYS.flatMap((key) => [{}, 'a'].map((value) => bodyWith([...path, key], value))),
  ),
];

function valueIn(path: Path): JsonValue {
  let value: JsonValue = QUERY;
  for (const step of path)
    value = Object.entries(value ?? {}).find(([key]) => key === String(step))?.[1] ?? null;
  return value;
}

/**
 * One in five bodies; in a long run, all of them. The numbers of values and of keys are not multiples of five, so every value and
 * key is in the sample, each at different positions.
 */
const sampled = (first: number) => bodies.filter((_, index) => IS_LONG_RUN || index % 5 === first);

test('several thousand bodies are generated', () => {
  expect(new Set(bodies).size).toBeGreaterThan(3_000);
});

test('the original query is valid', async () => {
  await expect(understood(JSON.stringify(QUERY))).resolves.toBeDefined();
});

// attack: objects-lists-texts-wrong
test('each body is valid or returns an error with a position', async () => {
  const wrong: string[] = [];
  for (const body of sampled(2)) {
    const error: unknown = await understood(body).then(
      () => undefined,
      (thrown) => thrown,
    );
    const hasPosition = error instanceof QueryError && error.status < 500 && error.at !== undefined;
    if (error !== undefined && !hasPosition) wrong.push(`${body}: ${error}`);
  }
  expect(wrong).toEqual([]);
});

test('every error that a check finds has a position', async () => {
  const wrong: string[] = [];
  for (const body of sampled(0)) {
    const faults = await faultsOf(body).catch((thrown) => [thrown]);
    if (faults.some((it) => !(it instanceof QueryError) || it.at === undefined))
      wrong.push(`${body}: ${faults}`);
  }
  expect(wrong).toEqual([]);
});

test('an exception in the search for a hint is reported, and the error has no hint', async () => {
  const failed = new Error('no hint');
  // The schema reads the zones once. After that, only the search for hints reads them.
  const zones = new (class extends Set<string> {
    isRead = false;
    override [Symbol.iterator]() {
      if (this.isRead) throw failed;
      this.isRead = true;
      return super[Symbol.iterator]();
    }
  })(CATALOGUE.zones);
  const reports: unknown[] = [];
  const context = { ...CATALOGUE, zones, onHintFailure: (error: unknown) => void reports.push(error) };
  const body = bodyWith(['time', 'tz'], 'Asia/Tokio');
  await expect(understandQuery(readDocument(body), context, async () => SHOP)).rejects.toMatchObject({
    code: 'E_INVALID_TZ',
    at: 'time.tz',
    details: undefined,
  });
  expect(new Set(reports)).toEqual(new Set([failed]));
});
