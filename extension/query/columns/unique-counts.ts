// Stored counts of distinct values in the copy. After each change, DuckDB counts again from the first changed day, in pieces, so
// that the next change does not have to wait for long.
import { z } from 'zod';
import type { Log } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import {
  QUARTER_HOUR,
  SPREADS,
  type UniqueCounts,
  uniqueCountsTable,
} from '../../language/types/unique-counts';
import type { ColumnFile } from './column-file';
import { ColumnFileError } from './column-file-error';
import type { RunStatement } from './run-prepared';

export interface CountsTable extends UniqueCounts {
  readonly source: string;
  readonly time: string;
}

/** Days of a site that are counted at once, which takes seconds even for a large site. */
const DAYS_AT_ONCE = 92;
/** Smaller sites are counted as a whole, several at once up to this many rows. */
const SMALL_SITE_ROWS = 500_000;
const MOST_SITES_AT_ONCE = 200;
/** So few rows are counted for all tables at once. */
const FEW_ROWS = 20_000;
const DAY = 86_400;

export const countsTables = ({ materials }: Pick<Manifest, 'materials'>): readonly CountsTable[] =>
  [...materials.values()].flatMap(({ name, table, time, uniqueCounts }) =>
    table === undefined || time === undefined
      ? []
      : [...uniqueCounts].flatMap(([value, keys]) =>
          [null, ...keys].map((by) => ({ material: name, value, by, source: table, time: time.field })),
        ),
  );

export const tableOfCounts = (counts: UniqueCounts): string => `analytics.${uniqueCountsTable(counts)}`;
const keyOf = ({ by }: UniqueCounts): readonly string[] => (by === null ? [] : [by]);

/** Statements that create the empty tables. The counted tables must exist. */
export const createCounts = (tables: readonly CountsTable[]): readonly string[] => [
  'CREATE TABLE counted (site_id SMALLINT, counts VARCHAR, source VARCHAR, until DOUBLE, spread UTINYINT)',
  ...tables.map((counts) => {
    const columns = ['site_id', ...keyOf(counts), '0 AS quarter', '0 AS previous', '0 AS count'];
    return `CREATE TABLE ${tableOfCounts(counts)} AS SELECT ${columns}, 0::UTINYINT AS spread FROM analytics.${counts.source} LIMIT 0`;
  }),
];

/** Call it when rows of a site have changed from this instant on. */
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

export async function removeCounts(
  run: RunStatement,
  tables: readonly CountsTable[],
  siteId: number,
): Promise<void> {
  for (const name of ['counted', ...tables.map(tableOfCounts)])
    await run({ text: `DELETE FROM ${name} WHERE site_id = $1`, bindings: [siteId] });
}

export interface KeptCounts {
  readonly tables: readonly CountsTable[];
  /** The instant in epoch seconds up to which the counts of all these sites are valid: 0 = not at all, infinity = for all rows. */
  until(counts: UniqueCounts, siteIds: readonly number[]): number;
  /** At least the highest spread of a value on one of these sites. */
  spread(counts: UniqueCounts, siteIds: readonly number[]): number;
  /** Call it after rows of these sites have changed. */
  reload(siteIds: readonly number[]): Promise<void>;
  /** Counts the next piece. Returns false if everything is counted. */
  countNext(siteIds: readonly number[]): Promise<boolean>;
}

const countedRows = z.array(
  z.tuple([z.number(), z.string(), z.number().or(z.literal(Infinity)), z.number()]),
);

interface Counted {
  readonly until: number;
  readonly spread: number;
}

export async function openCounts(
  file: ColumnFile,
  tables: readonly CountsTable[],
  log: Log,
  smallSiteRows = SMALL_SITE_ROWS,
): Promise<KeptCounts> {
  /** Counts that DuckDB could not compute, usually for lack of memory; queries count the values themselves. */
  const failed = new Set<CountsTable>();
  const counted = new Map<number, Map<string, Counted>>();
  async function read(siteIds: readonly number[], condition: string): Promise<void> {
    const text = `SELECT site_id, counts, until, spread FROM counted ${condition}`;
    const rows = countedRows.parse(await file.read({ text, bindings: siteIds }));
    for (const siteId of siteIds) counted.delete(siteId);
    for (const [siteId, name, until, spread] of rows) {
      const ofSite = counted.get(siteId) ?? new Map<string, Counted>();
      counted.set(siteId, ofSite.set(name, { until, spread }));
    }
  }
  await read([], '');
  const reload = (siteIds: readonly number[]) =>
    read(siteIds, `WHERE site_id IN (${placeholders(siteIds, 1)})`);
  const countedOf = (counts: UniqueCounts, siteId: number): Counted =>
    counted.get(siteId)?.get(uniqueCountsTable(counts)) ?? { until: 0, spread: 0 };
  const isKnown = (counts: UniqueCounts, siteId: number): boolean =>
    counted.get(siteId)?.has(uniqueCountsTable(counts)) === true;
  const untilOf = (counts: UniqueCounts, siteId: number): number => countedOf(counts, siteId).until;
  return {
    tables,
    until: (counts, siteIds) => Math.min(...siteIds.map((siteId) => untilOf(counts, siteId))),
    spread: (counts, siteIds) => Math.max(...siteIds.map((siteId) => countedOf(counts, siteId).spread)),
    reload,
    async countNext(siteIds) {
      for (const counts of tables) {
        const pending = siteIds.filter((it) => untilOf(counts, it) < Infinity).slice(0, MOST_SITES_AT_ONCE);
        if (pending.length === 0 || failed.has(counts)) continue;
        let current = counts;
        try {
          const sites = pending.map((siteId) => ({ siteId, until: untilOf(counts, siteId) }));
          const piece = nextPiece(await addRows(file, counts, sites), smallSiteRows);
          const isAlso = (other: CountsTable) =>
            other.source === counts.source &&
            !failed.has(other) &&
            piece.siteIds.every((it) => untilOf(other, it) >= piece.since) &&
            piece.siteIds.some((it) => untilOf(other, it) < Infinity);
          await file.write(async (run) => {
            for (current of piece.isSmall ? tables.filter(isAlso) : [counts]) {
              const isNew = !piece.siteIds.some((it) => isKnown(current, it));
              await countPiece(run, current, piece, isNew);
            }
          });
          await reload(piece.siteIds);
        } catch (error) {
          if (!(error instanceof ColumnFileError) || error.isFatal) throw error;
          failed.add(current);
          log.warn(
            { err: error },
            'The column copy could not count values in advance, so queries count them.',
          );
        }
        return true;
      }
      return false;
    },
  };
}

interface SiteRows {
  readonly siteId: number;
  /** The instant up to which it is counted. */
  readonly until: number;
  /** Instants; null if there are no rows. */
  readonly first: number | null;
  readonly last: number | null;
  readonly count: number;
}

/** Rows in [since, end), which are counted together. */
interface Piece {
  readonly siteIds: readonly number[];
  readonly since: number;
  readonly end: number;
  readonly isLast: boolean;
  readonly isSmall: boolean;
}

const edgeRows = z.array(z.tuple([z.number(), z.number(), z.number(), z.number()]));

async function addRows(
  file: ColumnFile,
  { source, time }: CountsTable,
  sites: readonly Pick<SiteRows, 'siteId' | 'until'>[],
): Promise<readonly SiteRows[]> {
  const siteIds = sites.map(({ siteId }) => siteId);
  const edges = edgeRows.parse(
    await file.read({
      text: `SELECT site_id, min("${time}"), max("${time}"), count(*) FROM analytics.${source}
              WHERE site_id IN (${placeholders(siteIds, 1)}) GROUP BY site_id`,
      bindings: siteIds,
    }),
  );
  return sites.map((site) => {
    const [, first = null, last = null, count = 0] = edges.find(([siteId]) => siteId === site.siteId) ?? [];
    return { ...site, first, last, count };
  });
}

/** Some days of the first site, or all rows of several small sites. */
function nextPiece(sites: readonly SiteRows[], smallSiteRows: number): Piece {
  const [next, ...others] = sites;
  if (next === undefined) throw new RangeError('There is no site to count.');
  if (next.count >= smallSiteRows) {
    const first = Math.floor((next.first ?? 0) / QUARTER_HOUR) * QUARTER_HOUR;
    const end = Math.max(next.until, first) + DAYS_AT_ONCE * DAY;
    const isLast = next.last === null || next.last < end;
    return { siteIds: [next.siteId], since: next.until, end, isLast, isSmall: false };
  }
  const together = [next];
  let rows = next.count;
  for (const site of others) {
    if (rows + site.count > smallSiteRows) continue;
    rows += site.count;
    together.push(site);
  }
  return {
    siteIds: together.map(({ siteId }) => siteId),
    since: Math.min(...together.map(({ until }) => until)),
    end: Math.max(...together.map(({ until, last }) => Math.max(until, last ?? 0))) + DAY,
    isLast: true,
    isSmall: rows <= FEW_ROWS,
  };
}

/** SQL that counts `rows`, the text of a FROM clause, by quarter hour. The caller adds a WHERE clause and GROUP BY. */
export function countsOf(counts: CountsTable, rows: string): string {
  const { value, time } = counts;
  const key = keyOf(counts);
  const passed = SPREADS.map(
    (spread) => `(quarter - first_value(quarter) OVER earlier >= ${spread})::UTINYINT`,
  );
  return `SELECT site_id, ${[...key, '']}quarter, previous, count(*)::INTEGER AS count, max(spread) AS spread FROM (
    SELECT *, lag(quarter) OVER earlier AS previous, (${passed.join(' + ')})::UTINYINT AS spread FROM (
      SELECT DISTINCT site_id, ${[...key, value]}, ${quarterOf(`"${time}"`)} AS quarter FROM ${rows})
    WINDOW earlier AS (PARTITION BY site_id, ${[...key, value]} ORDER BY quarter))`;
}

const quarterOf = (time: string): string => `floor(${time} / ${QUARTER_HOUR})::INTEGER`;

/** `isNew`: nothing was counted for any of the sites before. */
async function countPiece(
  run: RunStatement,
  counts: CountsTable,
  { siteIds, since, end, isLast }: Piece,
  isNew: boolean,
): Promise<void> {
  const { value, source, time } = counts;
  const name = uniqueCountsTable(counts);
  const ofSites = (from: number) => `site_id IN (${placeholders(siteIds, from)})`;
  const rows = `${ofSites(3)} AND "${time}" < $2`;
  if (!isNew) {
    await run({
      text: `DELETE FROM ${tableOfCounts(counts)} WHERE ${ofSites(2)} AND quarter >= $1`,
      bindings: [since / QUARTER_HOUR, ...siteIds],
    });
    await run({
      text: `DELETE FROM counted WHERE counts = $1 AND ${ofSites(2)}`,
      bindings: [name, ...siteIds],
    });
  }
  // Earlier quarter hours matter only for values that occur in the piece.
  await run({
    text: `INSERT INTO ${tableOfCounts(counts)}
      ${countsOf(
        counts,
        `analytics.${source} SEMI JOIN (
           SELECT site_id, ${value} FROM analytics.${source} WHERE ${rows} AND "${time}" >= $1
         ) USING (site_id, ${value}) WHERE ${rows}`,
      )}
       WHERE quarter >= ${quarterOf('$1')} GROUP BY ALL ORDER BY site_id, quarter`,
    bindings: [since, end, ...siteIds],
  });
  await run({
    text: `INSERT INTO counted SELECT site_id, $1, $2, $3::DOUBLE, coalesce(max(spread), 0)
      FROM (SELECT unnest($4::SMALLINT[]) AS site_id) LEFT JOIN ${tableOfCounts(counts)} USING (site_id) GROUP BY site_id`,
    bindings: [name, source, isLast ? Infinity : end, siteIds],
  });
}

const placeholders = (values: readonly unknown[], first: number): string =>
  values.map((_value, index) => `$${first + index}`).join(', ');
