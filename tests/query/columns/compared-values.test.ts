// Values of every kind have the same sums and the same hash in PostgreSQL and in the copy. Different values have different
// hashes.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import type { Row } from '../../../extension/language/types/compiled-query';
import { CopyDiffers } from '../../../extension/query/columns/check-copied';
import { type ColumnFile, openColumnFile } from '../../../extension/query/columns/column-file';
import { type ComparedEngine, comparedSums, rowHash } from '../../../extension/query/columns/compared-values';
import { type CopiedTable, DUCKDB_TYPES } from '../../../extension/query/columns/copied-tables';
import { copySpan, createTables } from '../../../extension/query/columns/copy-rows';
import type { ColumnStatement, RunStatement } from '../../../extension/query/columns/run-prepared';
import { throwawayFolder } from '../../support/throwaway-postgres';
import { useTestDatabase } from '../../support/use-database';

type Kind = keyof typeof DUCKDB_TYPES;

const TEXTS = [
  "''",
  "' '",
  "'|'",
  "':'",
  "'a'",
  "'A'",
  "'a:b|'",
  "'1'",
  "'語'",
  "E'e\\u0301'",
  "'é'",
  "'😀'",
  "E'\\\\N'",
];
const LINES = [
  "E'\\r'",
  "E'\\n'",
  "E'\\r\\n'",
  `'"'`,
  `'""'`,
  "','",
  "'\u2028'",
  "'\u0001'",
  "repeat('x', 70000)",
];

/** Distinct values of each kind, as PostgreSQL expressions. Nulls are also tested for every kind. */
const VALUES: Readonly<Record<Kind, readonly string[]>> = {
  smallint: ['-32768', '-1', '0', '1', '32767'],
  integer: ['-2147483648', '-1', '0', '1', '2147483647'],
  bigint: [
    '-9223372036854775808',
    '-9223372036854775807',
    '-1',
    '0',
    '1',
    '9007199254740993',
    '9223372036854775807',
  ],
  boolean: ['true', 'false'],
  date: ["'1969-12-31'", "'1970-01-01'", "'0001-01-01'", "'2026-02-28'", "'9999-12-31'"],
  'timestamp with time zone': [
    "'1969-12-31T23:59:59Z'",
    "'1970-01-01T00:00:00Z'",
    "'2026-06-30T23:59:59.999999Z'",
    "'2026-07-01T00:00:00Z'",
    "'0001-01-01T00:00:00Z'",
    "'9999-12-31T23:59:59Z'",
    "'1969-12-31T23:59:58.5Z'",
  ],
  'double precision': [
    "'0'",
    "'-0'",
    "'1'",
    "'-1'",
    "'0.1'",
    "'0.30000000000000004'",
    "'0.3'",
    "'NaN'",
    "'Infinity'",
    "'-Infinity'",
    "'5e-324'",
    "'2.2250738585072014e-308'",
    "'1.7976931348623157e308'",
    "'9007199254740993'",
    "'123456.789012345'",
  ],
  text: [...TEXTS, ...LINES],
  jsonb: [
    `'{}'`,
    `'{"a": 1}'`,
    `'{"a": "1"}'`,
    `'{"a": 1.0}'`,
    `'{"a": null}'`,
    `'{"a": ""}'`,
    `'{"a": "null"}'`,
    `'{"a": 1, "b": 2}'`,
    `'{"ab": 1, "c": 2}'`,
    `'{"b": [1, {"c": "d"}]}'`,
    `'{"": "x"}'`,
    `'{"語": "\\"😀\\n"}'`,
    `'{"a": 9e307, "b": 0.10}'`,
    `'{"a:": "|"}'`,
    `'{"a": true}'`,
    `'{"a": {"b": "\\u2028"}}'`,
  ],
};
const KINDS = Object.keys(VALUES).filter((name): name is Kind => Object.hasOwn(DUCKDB_TYPES, name));
/** One row per value, and one row without any value. */
const ROWS = KINDS.reduce((sum, kind) => sum + VALUES[kind].length, 1);
const nameOf = (kind: Kind): string => `${kind.replaceAll(' ', '_')}_value`;
const id = { name: 'id', kind: 'integer', isNullable: false } as const;
const TABLE: CopiedTable = {
  name: 'every_kind',
  unit: 'id',
  unitField: id,
  fields: [
    { name: 'site_id', kind: 'smallint', isNullable: false },
    id,
    ...KINDS.map((kind) => ({ name: nameOf(kind), kind, isNullable: true })),
  ],
};

const database = useTestDatabase();
let folder: string;
let file: ColumnFile;
beforeAll(async () => {
  folder = await mkdtemp(join(throwawayFolder(), 'qal-columns-'));
  file = await openColumnFile({ folder, memoryMb: 256, tempMb: 64, threads: 2 });
  await file.write(async (run) => {
    for (const text of ['CREATE SCHEMA analytics', ...createTables([TABLE], [])]) await run({ text });
  });
  const columns = KINDS.map((kind) => `${nameOf(kind)} ${kind}`);
  await database.write.raw(
    `CREATE TABLE analytics.every_kind (site_id smallint, id integer, ${columns.join(', ')})`,
  );
  let next = 1;
  // One row per value, in which all other columns are null. The first row has no values.
  const rows = KINDS.flatMap((kind) =>
    VALUES[kind].map(
      (value) =>
        `INSERT INTO analytics.every_kind (site_id, id, ${nameOf(kind)}) VALUES (1, ${++next}, ${value})`,
    ),
  );
  await database.write.raw(
    ['INSERT INTO analytics.every_kind VALUES (1, 1)', ...rows].join(';\n').replaceAll('?', '\\?'),
  );
});
afterAll(async () => {
  await file.close();
  await rm(folder, { recursive: true, force: true });
});

const copy = (alter: (run: RunStatement) => RunStatement = (run) => run): Promise<number> =>
  inTransaction(database.write, (client) =>
    file.write((run) =>
      copySpan({ client, exchangeFolder: file.exchangeFolder, run: alter(run) }, TABLE, 1, undefined, false),
    ),
  );

/** Evaluates the expressions for each row in one of the engines. */
async function forEachRow(engine: ComparedEngine, expressions: readonly string[]) {
  const text = `SELECT ${expressions.map((it, index) => `${it} AS c${index}`).join(', ')}
                  FROM analytics.every_kind GROUP BY id ORDER BY id`;
  if (engine === 'duckdb') return file.read({ text });
  const { rows } = await database.write.raw(text.replaceAll('?', '\\?'));
  return rows.map((row: object) => Object.values(row));
}

test('each row has the same hash in both engines, and no two rows have the same hash', async () => {
  await copy();
  const table = { ...TABLE, fields: TABLE.fields.filter((field) => field !== id) };
  const hashes = async (engine: ComparedEngine) =>
    (await forEachRow(engine, [`sum(${rowHash(table, engine)})::text`])).flat();
  const inPostgres = await hashes('postgresql');
  expect(await hashes('duckdb')).toEqual(inPostgres);
  expect(inPostgres).toHaveLength(ROWS);
  expect(new Set(inPostgres).size).toBe(ROWS);
});

test('the sums of each value are the same in both engines', async () => {
  await copy();
  const sums = (engine: ComparedEngine) =>
    forEachRow(
      engine,
      comparedSums(TABLE, engine).map(({ expression }) => `(${expression})::text`),
    );
  expect(await sums('duckdb')).toEqual(await sums('postgresql'));
});

type Change = (run: RunStatement, insert: ColumnStatement) => Promise<readonly Row[]>;

/** Changes what an INSERT does, up to `times` times. */
const inserting =
  (change: Change, times = Number.POSITIVE_INFINITY) =>
  (run: RunStatement): RunStatement => {
    let time = 0;
    return (statement) =>
      statement.text.startsWith('INSERT') && time++ < times ? change(run, statement) : run(statement);
  };

const losingRow: Change = (run, { text }) => run({ text: `${text} LIMIT ${ROWS - 1}` });

/** Loses a row that is still included in the count that the statement returns. */
const losingRowSilently: Change = async (run, insert) => {
  const inserted = await run(insert);
  await run({ text: 'DELETE FROM analytics.every_kind WHERE id = 1' });
  return inserted;
};

const losingValue =
  (column: string): Change =>
  async (run, insert) => {
    const inserted = await run(insert);
    await run({
      text: `UPDATE analytics.every_kind SET ${column} = NULL
              WHERE id = (SELECT max(id) FROM analytics.every_kind WHERE ${column} IS NOT NULL)`,
    });
    return inserted;
  };

const countRows = async () =>
  (await file.read({ text: 'SELECT count(*) FROM analytics.every_kind' }))[0]?.[0];

test.each<[string, Change, readonly string[]]>([
  ['a lost row', losingRow, ['number of rows']],
  ['a silently lost row', losingRowSilently, ['number of rows']],
  ...KINDS.map((kind): [string, Change, readonly string[]] => [
    `a lost value of ${kind}`,
    losingValue(nameOf(kind)),
    [nameOf(kind)],
  ]),
])('%s is detected, and nothing is committed', async (_title, change, found) => {
  await file.write((run) => run({ text: 'DELETE FROM analytics.every_kind' }));
  const failure: unknown = await copy(inserting(change)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CopyDiffers);
  const difference = { table: 'every_kind', span: 'all rows', columns: found };
  expect(failure).toMatchObject({ difference });
  expect(await countRows()).toBe(0);
  // A single difference is repaired when the rows are copied again.
  expect(await copy(inserting(change, 1))).toBe(ROWS);
  expect(await countRows()).toBe(ROWS);
});
