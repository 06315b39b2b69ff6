// `qal query --format`: the formats on standard output, and a message about omitted rows on standard error.
import { formatTable } from '../../extension/commands/format-result';
import { useCaseDatabase } from '../language/query-setup';
import { runCommand } from '../support/run-command';

const { database } = useCaseDatabase();

const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-04-01T00:00:00', end: '2026-09-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['allpv'], keep: ['allpv.pv_id', 'allpv.utm_source'] } },
  result: { use: 'v', limit: 2 },
};
const run = (format: string, query: object = QUERY, ...more: readonly string[]) =>
  runCommand({ database }, ['query', '-', '--format', format, ...more], JSON.stringify(query));

test('every format contains the same rows', async () => {
  const json = JSON.parse((await run('json')).out);
  const { rows, row_count } = json.result;
  expect(row_count).toBe(2);
  const { out: csv, err } = await run('csv');
  expect(csv).toBe(
    ['pv_id,utm_source', ...rows.map((row: unknown[]) => row.map((cell) => cell ?? '').join(','))]
      .map((line) => `${line}\r\n`)
      .join(''),
  );
  expect(err).toMatch(/^Wrote the first 2 of \d+ rows\.\n$/);
  const { out: ndjson } = await run('ndjson');
  expect(
    ndjson
      .trimEnd()
      .split('\n')
      .map((line) => Object.values(JSON.parse(line))),
  ).toEqual(rows);
  expect((await run('parquet')).out).toMatch(/^PAR1.*PAR1$/s);
  expect((await run('table')).out).toMatch(/^pv_id {2}utm_source\n/);
});

test('a table ends with the number of its rows', async () => {
  const total = { v: { from: ['allpv'], keep: [], calc: { n: 'COUNT(allpv.pv_id)' } } };
  expect((await run('table', { ...QUERY, make: total })).out).toMatch(/\n\(1 row\)\n$/);
  expect((await run('table', { ...QUERY, result: { use: 'v' } })).out).toMatch(/\n\(\d+ rows\)\n$/);
  const first = {
    view: 'v',
    columns: ['n'],
    rows: [[1]],
    rowCount: 1,
    limit: 1,
    count: null,
    totalCount: null,
    truncated: true,
  };
  expect(formatTable(first)).toMatch(/\n\(first 1 row; there are more\)$/);
  expect(formatTable({ ...first, totalCount: 1_234 })).toMatch(/\n\(first 1 of 1,234 rows\)$/);
});

test('an error is reported on standard error, and standard output stays empty', async () => {
  const { code, out, err } = await run('csv', { ...QUERY, result: { use: 'v', limit: 1_000_001 } });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/E_INVALID_LIMIT at result\.limit: .* from 1 to 1000000/);
});

test('a contract that supports only JSON rejects other formats', async () => {
  const { code, err } = await run('csv', QUERY, '--version-date', '2025-10-20');
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('E_FEATURE_NOT_SUPPORTED') });
});
