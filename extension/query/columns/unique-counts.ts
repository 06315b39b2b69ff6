// The numbers of different values that the copy keeps beside its rows. They follow the rows: DuckDB counts them after each
// change, from the first changed day on, in pieces, so that the next change does not wait for long.
import { z } from 'zod';
import type { Log } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import { QUARTER_HOUR, type UniqueCounts, uniqueCountsTable } from '../../language/types/unique-counts';
import type { ColumnFile } from './column-file';
import { ColumnFileError } from './column-file-error';
import type { RunStatement } from './run-prepared';

export interface CountsTable extends UniqueCounts {
  /** The table of the rows, and the field of their time. */
  readonly source: string;
  readonly time: string;
}

/** Days of a site that are counted at once: seconds of work, however many rows there are. */
const DAYS_AT_ONCE = 92;
/** Smaller sites are counted whole, and together up to this many rows. */
const SMALL_SITE_ROWS = 500_000;
const MOST_SITES_AT_ONCE = 200;
const DAY = 86_400;

/** All of them, with and without a key. */
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

/** The statements that make their empty tables, after those of the rows. */
export const createCounts = (tables: readonly CountsTable[]): readonly string[] => [
  'CREATE TABLE counted (site_id SMALLINT, counts VARCHAR, source VARCHAR, until DOUBLE)',
  ...tables.map((counts) => {
    const columns = ['site_id', ...keyOf(counts), `"${counts.time}" AS "at"`, `"${counts.time}" AS previous`];
    return `CREATE TABLE ${tableOfCounts(counts)} AS SELECT ${columns}, 0::INTEGER AS count FROM analytics.${counts.source} LIMIT 0`;
  }),
];

/** From this instant on the rows of a site have changed. */
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

/** The counts of an open copy. */
export interface KeptCounts {
  readonly tables: readonly CountsTable[];
  /** Up to which instant, in epoch seconds, counts of all of the sites hold: 0 for none, infinity for all rows. */
  until(counts: UniqueCounts, siteIds: readonly number[]): number;
  /** Reads how far they hold for sites whose rows have changed. */
  reload(siteIds: readonly number[]): Promise<void>;
  /** Counts the next piece of the sites; returns false when all is counted. */
  countNext(siteIds: readonly number[]): Promise<boolean>;
}

const countedRows = z.array(z.tuple([z.number(), z.string(), z.number().or(z.literal(Infinity))]));

export async function openCounts(
  file: ColumnFile,
  tables: readonly CountsTable[],
  log: Log,
  smallSiteRows = SMALL_SITE_ROWS,
): Promise<KeptCounts> {
  /** What DuckDB could not count, usually out of memory; queries count it themselves. */
  const failed = new Set<CountsTable>();
  const counted = new Map<number, Map<string, number>>();
  async function read(siteIds: readonly number[], condition: string): Promise<void> {
    const text = `SELECT site_id, counts, until FROM counted ${condition}`;
    const rows = countedRows.parse(await file.read({ text, bindings: siteIds }));
    for (const siteId of siteIds) counted.delete(siteId);
    for (const [siteId, name, until] of rows) {
      const ofSite = counted.get(siteId) ?? new Map<string, number>();
      counted.set(siteId, ofSite.set(name, until));
    }
  }
  await read([], '');
  const reload = (siteIds: readonly number[]) =>
    read(siteIds, `WHERE site_id IN (${placeholders(siteIds, 1)})`);
  const untilOf = (counts: UniqueCounts, siteId: number): number =>
    counted.get(siteId)?.get(uniqueCountsTable(counts)) ?? 0;
  return {
    tables,
    until: (counts, siteIds) => Math.min(...siteIds.map((siteId) => untilOf(counts, siteId))),
    reload,
    async countNext(siteIds) {
      for (const counts of tables) {
        const pending = siteIds.filter((it) => untilOf(counts, it) < Infinity).slice(0, MOST_SITES_AT_ONCE);
        if (pending.length === 0 || failed.has(counts)) continue;
        try {
          const sites = pending.map((siteId) => ({ siteId, until: untilOf(counts, siteId) }));
          const piece = nextPiece(await addRows(file, counts, sites), smallSiteRows);
          await countPiece(file, counts, piece);
          await reload(piece.siteIds);
        } catch (error) {
          if (!(error instanceof ColumnFileError) || error.isFatal) throw error;
          failed.add(counts);
          log.warn({ err: error }, 'The column copy could not count values in advance; queries count them.');
        }
        return true;
      }
      return false;
    },
  };
}

interface SiteToCount {
  readonly siteId: number;
  /** How far it is counted. */
  readonly until: number;
}

interface SiteRows extends SiteToCount {
  /** Instants; null without rows. */
  readonly first: number | null;
  readonly last: number | null;
  readonly count: number;
}

/** What is counted at once: rows from `since` on and before `end`. */
interface Piece {
  readonly siteIds: readonly number[];
  readonly since: number;
  readonly end: number;
  /** Whether no rows are left behind it. */
  readonly isLast: boolean;
}

const edgeRows = z.array(z.tuple([z.number(), z.number(), z.number(), z.number()]));

async function addRows(
  file: ColumnFile,
  { source, time }: CountsTable,
  sites: readonly SiteToCount[],
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

/** Days of the first site, or all rows of several small ones. */
function nextPiece(sites: readonly SiteRows[], smallSiteRows: number): Piece {
  const [next, ...others] = sites;
  if (next === undefined) throw new RangeError('There is no site to count.');
  if (next.count >= smallSiteRows) {
    const first = Math.floor((next.first ?? 0) / QUARTER_HOUR) * QUARTER_HOUR;
    const end = Math.max(next.until, first) + DAYS_AT_ONCE * DAY;
    return { siteIds: [next.siteId], since: next.until, end, isLast: next.last === null || next.last < end };
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
  };
}

/** Counts rows, which are FROM something, by quarter; the caller adds which quarters, and the GROUP BY. */
export function countsOf(counts: CountsTable, rows: string): string {
  const { value, time } = counts;
  const key = keyOf(counts);
  return `SELECT site_id, ${[...key, '']}"at", previous, count(*)::INTEGER AS count FROM (
    SELECT *, lag("at") OVER (PARTITION BY site_id, ${[...key, value]} ORDER BY "at") AS previous FROM (
      SELECT DISTINCT site_id, ${[...key, value]}, floor("${time}" / ${QUARTER_HOUR})::BIGINT * ${QUARTER_HOUR} AS "at"
        FROM ${rows}))`;
}

async function countPiece(
  file: ColumnFile,
  counts: CountsTable,
  { siteIds, since, end, isLast }: Piece,
): Promise<void> {
  const { value, source, time } = counts;
  const ofSites = (from: number) => `site_id IN (${placeholders(siteIds, from)})`;
  const rows = `${ofSites(3)} AND "${time}" < $2`;
  await file.write(async (run) => {
    await run({
      text: `DELETE FROM ${tableOfCounts(counts)} WHERE ${ofSites(2)} AND "at" >= $1`,
      bindings: [since, ...siteIds],
    });
    // Quarters before the piece matter only for the values that occur in it.
    await run({
      text: `INSERT INTO ${tableOfCounts(counts)}
        ${countsOf(
          counts,
          `analytics.${source} SEMI JOIN (
             SELECT site_id, ${value} FROM analytics.${source} WHERE ${rows} AND "${time}" >= $1
           ) USING (site_id, ${value}) WHERE ${rows}`,
        )}
         WHERE "at" >= $1 GROUP BY ALL ORDER BY site_id, "at"`,
      bindings: [since, end, ...siteIds],
    });
    await run({
      text: `DELETE FROM counted WHERE counts = $1 AND ${ofSites(2)}`,
      bindings: [uniqueCountsTable(counts), ...siteIds],
    });
    await run({
      text: `INSERT INTO counted SELECT unnest($4::SMALLINT[]), $1, $2, $3::DOUBLE`,
      bindings: [uniqueCountsTable(counts), source, isLast ? Infinity : end, siteIds],
    });
  });
}

/** From `$first` on. */
const placeholders = (values: readonly unknown[], first: number): string =>
  values.map((_value, index) => `$${first + index}`).join(', ');
