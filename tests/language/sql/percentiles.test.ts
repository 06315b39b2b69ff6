// Percentiles of whole numbers in DuckDB, compared with exact arithmetic.
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { duckdb } from '../../../extension/language/sql/dialects/duckdb';
import { sql, toStatement } from '../../../extension/language/sql/sql';
import type { Share } from '../../../extension/language/types/arithmetic';
import { tries } from '../../support/long-run';

const SHARES: readonly Share[] = [
  { of: 0, in: 100 },
  { of: 5, in: 100 },
  { of: 50, in: 100 },
  { of: 95, in: 100 },
  { of: 100, in: 100 },
  { of: 333_333, in: 1_000_000 },
  { of: 999, in: 1000 },
];

const QUARTERS: readonly Share[] = [
  ...[0, 25, 50, 75, 100].map((of) => ({ of, in: 100 })),
  { of: 5, in: 10 },
];
const FAR_APART = [...Array(2000).fill(0), ...Array(2000).fill(1e10)];

const statementOf = (shares: readonly Share[]) =>
  toStatement(
    { from: sql`samples`, joins: [], where: [], groupBy: 0, orderBy: [], limit: null, offset: 0 },
    shares.map((share) => duckdb.percentile(sql`v`, 'int', share, shares)),
  );

let instance: DuckDBInstance;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '1' });
});
afterAll(() => instance.closeSync());

/** The percentiles in DuckDB, multiplied by `share.in`. */
async function computed(values: readonly number[], type = 'BIGINT', shares = SHARES) {
  const connection = await instance.connect();
  try {
    const json = `from_json('${JSON.stringify(values)}', '["${type}"]')`;
    await connection.run(`CREATE OR REPLACE TABLE samples AS SELECT unnest(${json}) AS v`);
    return (await connection.runAndReadAll(statementOf(shares).text)).getRows();
  } finally {
    connection.closeSync();
  }
}

function exact(values: readonly number[], share: Share): bigint {
  const sorted = values.toSorted((one, other) => one - other).map(BigInt);
  const scaled = BigInt(values.length - 1) * BigInt(share.of);
  const [index, part] = [Number(scaled / BigInt(share.in)), scaled % BigInt(share.in)];
  const low = sorted[index] ?? 0n;
  return low * BigInt(share.in) + ((sorted[index + 1] ?? low) - low) * part;
}

const exactly = (values: readonly number[], shares = SHARES) => [shares.map((share) => exact(values, share))];

test('percentiles of a few values are exact, whether the values are close or far apart', async () => {
  const value = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -1e7, max: 1e7 }));
  const given = fc.record({
    values: fc.array(value, { minLength: 1, maxLength: 120 }),
    shares: fc.subarray([...SHARES], { minLength: 1 }),
  });
  const property = fc.asyncProperty(given, async ({ values, shares }) => {
    expect(await computed(values, 'INTEGER', shares)).toEqual(exactly(values, shares));
  });
  await fc.assert(property, { numRuns: tries(40, 400) });
});

test.each([3000, 3001, 3002, 20_000, 100_001])(
  'percentiles of %d values are exact, even with an outlier',
  async (length) => {
    const values = Array.from({ length }, (_, index) => (index * 7919) % 86_400);
    const withOutlier = [...values.slice(1), 200_000];
    expect(await computed(withOutlier)).toEqual(exactly(withOutlier));
  },
);

test('percentiles of instants are exact for shares in hundred-thousandths', async () => {
  const shares = [99_999, 50_001, 3].map((of) => ({ of, in: 100_000 }));
  const instants = Array.from({ length: 2_000 }, (_, index) => 1_780_000_000 + ((index * 7919) % 40_000));
  expect(await computed(instants, 'BIGINT', shares)).toEqual(exactly(instants, shares));
});

test.each<[string, string, readonly number[]]>([
  ['far apart', 'BIGINT', FAR_APART],
  ['far apart and odd in number', 'BIGINT', [-3, ...FAR_APART]],
  ['at the limits of their type', 'INTEGER', [-(2 ** 31), 2 ** 31 - 1, 5, 2 ** 31 - 1, 6, -(2 ** 31)]],
])('quartiles of values that are %s are exact', async (_name, type, values) => {
  for (const shares of [QUARTERS, QUARTERS.slice(1, 2)])
    expect(await computed(values, type, shares)).toEqual(exactly(values, shares));
});

test.each([
  ['percentiles', SHARES],
  ['quartiles', QUARTERS],
])('%s of no values are null', async (_name, shares) => {
  expect(await computed([], 'BIGINT', shares)).toEqual([shares.map(() => null)]);
});

test('quartiles of large values are rejected as inexact', async () => {
  for (const values of [[2 ** 48], [-(2 ** 48), 1]])
    await expect(computed(values, 'BIGINT', QUARTERS)).rejects.toThrow('inexact');
  const inMillionths = [{ of: 250_000, in: 1_000_000 }];
  await expect(computed([2 ** 31 - 1], 'INTEGER', inMillionths)).rejects.toThrow('inexact');
});

test.each([
  ['INTEGER', false],
  ['BIGINT', true],
])('for quartiles of %s, the least value is computed: %s', async (type, isComputed) => {
  const connection = await instance.connect();
  await connection.run(`CREATE OR REPLACE TABLE samples (v ${type})`);
  const { text } = statementOf(QUARTERS.slice(1, 2));
  const plan = (await connection.runAndReadAll(`EXPLAIN ${text}`)).getRows().join();
  connection.closeSync();
  expect(plan.includes('min(')).toBe(isComputed);
});

test.each([
  ['large', [2 ** 52, 1]],
  ['far apart on either side of the percentile', FAR_APART],
])('percentiles of values that are %s are rejected as inexact', async (_name, values) => {
  await expect(computed(values)).rejects.toThrow('inexact');
});
