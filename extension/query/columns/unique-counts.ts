// The tables with counts of distinct values in the copy, and the statements that fill them.
import { z } from 'zod';
import type { Manifest } from '../../../manifests/reader/manifest';
import type { Row } from '../../language/types/compiled-query';
import {
  QUARTER_HOUR,
  SPREADS,
  type UniqueCounts,
  uniqueCountsTable,
} from '../../language/types/unique-counts';
import type { ColumnFile } from './column-file';
import type { RunStatement } from './run-prepared';

/** For each site id, the highest spread of its counts, or bits that represent facts about its visits. Without an entry, 0. */
export type Found = ReadonlyMap<number, number>;

/** Values that are computed in advance from the rows of a table. */
export interface Derived {
  readonly name: string;
  readonly source: string;
  readonly time: string;
  /** The tables whose changes make the values invalid. Default: only the source. */
  readonly changedBy?: readonly string[];
  /** The name of these values in reports of differences. */
  readonly compared: string;
  /** Computes the values of a piece. `known`: what has been found in the sites so far. Returns what is found in them now. */
  update(run: RunStatement, piece: Piece, known: Found): Promise<Found>;
  /** Whether a site's rows contradict what is stored. */
  differs(file: ColumnFile, siteId: number, found: number): Promise<boolean>;
}

export interface CountsTable extends UniqueCounts {
  readonly source: string;
  readonly time: string;
  /** Whether each value occurs in only one row. */
  readonly isUnique: boolean;
}

export const countsTables = ({ materials }: Pick<Manifest, 'materials'>): readonly CountsTable[] =>
  [...materials.values()].flatMap(({ name, table, time, unique, uniqueCounts }) =>
    table === undefined || time === undefined
      ? []
      : uniqueCounts.map((counted) => ({
          ...counted,
          material: name,
          source: table,
          time: time.field,
          isUnique: counted.value === unique,
        })),
  );

const tableOfCounts = (counts: UniqueCounts): string => `analytics.${uniqueCountsTable(counts)}`;

const sinceOf = ({ repeatedIn }: UniqueCounts): readonly string[] => (repeatedIn === null ? [] : ['since']);

/**
 * Statements that create the empty tables. The counted tables must exist.
 */
export const createCounts = (tables: readonly CountsTable[]): readonly string[] => [
  'CREATE TABLE counted (site_id SMALLINT, counts VARCHAR, source VARCHAR, until DOUBLE, found UINTEGER)',
  ...tables.map((counts) => {
    const quarters = ['quarter', ...sinceOf(counts), 'previous'].map((name) => `0 AS ${name}`);
    const columns = ['site_id', ...counts.by, ...quarters, '0 AS count'];
    return `CREATE TABLE ${tableOfCounts(counts)} AS SELECT ${columns}, 0::UTINYINT AS spread FROM analytics.${counts.source} LIMIT 0`;
  }),
];

/** Must be called when a site's rows at or after this instant have changed. */
export async function forgetCounts(
  run: RunStatement,
  source: string,
  siteId: number,
  from: number,
): Promise<void> {
  await run({
    text: 'UPDATE counted SET until = least(until, $3::DOUBLE) WHERE site_id = $1 AND source = $2',
    bindings: [siteId, source, from],
  });
}

/** Records what was found in the sites of a piece. */
export async function recordCounts(
  run: RunStatement,
  piece: Piece,
  updated: ReadonlyMap<Derived, Found>,
): Promise<void> {
  const rows = [...updated].flatMap(([{ name, source }, found]) =>
    piece.siteIds.map((siteId) => ({ siteId, name, source, found: found.get(siteId) ?? 0 })),
  );
  const [siteIds, names] = [rows.map(({ siteId }) => siteId), rows.map(({ name }) => name)];
  await run({
    text: 'DELETE FROM counted WHERE (site_id, counts) IN (SELECT unnest($1)::SMALLINT, unnest($2))',
    bindings: [siteIds, names],
  });
  await run({
    text: `INSERT INTO counted
      SELECT unnest($1)::SMALLINT, unnest($2), unnest($3), $4::DOUBLE, unnest($5)::UINTEGER`,
    bindings: [
      siteIds,
      names,
      rows.map(({ source }) => source),
      untilOf(piece),
      rows.map(({ found }) => found),
    ],
  });
}

const foundRows = z.array(z.tuple([z.number(), z.number().nullable()]));

/** Parses what a statement found; it returns one row for each site. */
export const foundIn = (rows: readonly Row[]): Found =>
  new Map(foundRows.parse(rows).map(([siteId, found]) => [siteId, found ?? 0]));

export async function removeCounts(
  run: RunStatement,
  tables: readonly CountsTable[],
  siteId: number,
): Promise<void> {
  for (const name of ['counted', ...tables.map(tableOfCounts)])
    await run({ text: `DELETE FROM ${name} WHERE site_id = $1`, bindings: [siteId] });
}

/** Rows in [since, end), which are counted together. */
export interface Piece {
  readonly siteIds: readonly number[];
  readonly since: number;
  readonly end: number;
  readonly isLast: boolean;
  readonly isSmall: boolean;
}

/** The instant up to which rows are counted with this piece. */
export const untilOf = ({ end, isLast }: Piece): number => (isLast ? Number.POSITIVE_INFINITY : end);

/** SQL for repeated values: sorted by quarter hour, the previous row with the same value has a different `repeatedIn`. */
function repetitionsOf({ value, repeatedIn, by, time }: CountsTable, rows: string): string {
  const same = ['site_id', ...by, value];
  const order = `PARTITION BY ${same} ORDER BY quarter, ${repeatedIn}`;
  return `SELECT *, lag(since) OVER (${order}) AS previous, 0::UTINYINT AS spread FROM (
      SELECT *, lag(quarter) OVER (${order}) AS since FROM (
        SELECT DISTINCT ${[...same, repeatedIn]}, ${quarterOf(`"${time}"`)} AS quarter FROM ${rows})
      QUALIFY ${repeatedIn} <> lag(${repeatedIn}) OVER (${order}))`;
}

/** SQL that counts `rows`, the body of a FROM clause, by quarter hour. The caller adds a WHERE clause and GROUP BY. */
function countsOf(counts: CountsTable, rows: string): string {
  const { value, time, isUnique, by: key } = counts;
  const quarter = `${quarterOf(`"${time}"`)} AS quarter`;
  const passed = SPREADS.map(
    (spread) => `(quarter - first_value(quarter) OVER earlier >= ${spread})::UTINYINT`,
  );
  const occurrences = isUnique
    ? `SELECT site_id, ${[...key, '']}${quarter}, NULL::INTEGER AS previous, 0::UTINYINT AS spread FROM ${rows}`
    : `SELECT *, lag(quarter) OVER earlier AS previous, (${passed.join(' + ')})::UTINYINT AS spread FROM (
         SELECT DISTINCT site_id, ${[...key, value]}, ${quarter} FROM ${rows})
       WINDOW earlier AS (PARTITION BY site_id, ${[...key, value]} ORDER BY quarter)`;
  const found = counts.repeatedIn === null ? occurrences : repetitionsOf(counts, rows);
  const columns = ['site_id', ...key, 'quarter', ...sinceOf(counts), 'previous'];
  return `SELECT ${columns}, count(*)::INTEGER AS count, max(spread) AS spread FROM (${found})`;
}

const quarterOf = (time: string): string => `floor(${time} / ${QUARTER_HOUR})::INTEGER`;

export const derivedCounts = (counts: CountsTable): Derived => ({
  name: uniqueCountsTable(counts),
  source: counts.source,
  time: counts.time,
  compared: 'count',
  update: (run, piece, known) => countPiece(run, counts, piece, known),
  async differs(file, siteId) {
    const counted = `(${countsOf(counts, `analytics.${counts.source} WHERE site_id = $1`)} GROUP BY ALL)`;
    const stored = `(FROM ${tableOfCounts(counts)} WHERE site_id = $1)`;
    const [[differing] = []] = await file.read({
      text: `SELECT count(*) FROM ((${counted} EXCEPT ALL ${stored}) UNION ALL (${stored} EXCEPT ALL ${counted}))`,
      bindings: [siteId],
    });
    return differing !== 0;
  },
});

async function countPiece(
  run: RunStatement,
  counts: CountsTable,
  { siteIds, since, end }: Piece,
  known: Found,
): Promise<Found> {
  const { value, source, time, isUnique } = counts;
  const ofSites = (from: number) => `site_id IN (${placeholders(siteIds, from)})`;
  const rows = `${ofSites(3)} AND "${time}" < $2 AND ${value} IS NOT NULL`;
  const rowsInPiece = `${rows} AND "${time}" >= $1`;
  if (known.size > 0)
    await run({
      text: `DELETE FROM ${tableOfCounts(counts)} WHERE ${ofSites(2)} AND quarter >= $1`,
      bindings: [since / QUARTER_HOUR, ...siteIds],
    });
  // Earlier quarter hours, if there are any, matter only for values that also occur in this piece.
  const counted =
    isUnique || since === 0
      ? `WHERE ${rowsInPiece}`
      : `SEMI JOIN (SELECT site_id, ${value} FROM analytics.${source} WHERE ${rowsInPiece}) USING (site_id, ${value}) WHERE ${rows}`;
  await run({
    text: `INSERT INTO ${tableOfCounts(counts)} ${countsOf(counts, `analytics.${source} ${counted}`)}
       WHERE quarter >= ${quarterOf('$1')} GROUP BY ALL ORDER BY site_id, quarter`,
    bindings: [since, end, ...siteIds],
  });
  // The spread of a value that occurs in only one row is 0.
  if (isUnique) return new Map();
  return foundIn(
    await run({
      text: `SELECT site_id, max(spread) FROM ${tableOfCounts(counts)} WHERE ${ofSites(1)} GROUP BY site_id`,
      bindings: siteIds,
    }),
  );
}

export const placeholders = (values: readonly unknown[], first: number): string =>
  values.map((_value, index) => `$${first + index}`).join(', ');
