// The numbers of different values that the copy keeps beside its rows. They follow the rows: DuckDB counts them after each
// change, from the first changed day on, in pieces, so that the next change does not wait for long.
import { z } from 'zod';
import type { Log } from '../../host-shim/extension-api';
import type { Manifest } from '../../manifests/reader/manifest';
import { QUARTER_HOUR, type UniqueCounts, uniqueCountsTable } from '../qal/types/unique-counts';
import type { ColumnFile } from './column-file';
import { ColumnFileError } from './column-file-error';
import type { ColumnStatement } from './run-prepared';

export interface CountsTable extends UniqueCounts {
  /** The table of the rows, and the field of their time. */
  readonly source: string;
  readonly time: string;
}

type Run = (statement: ColumnStatement) => Promise<void>;

/** A piece of so many days is counted at once: seconds of work, however many rows there are. Small sites are one piece. */
const DAYS_AT_ONCE = 92;
const SMALL_SITE_ROWS = 500_000;
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

const tableOf = (counts: UniqueCounts): string => `analytics.${uniqueCountsTable(counts)}`;
const keyOf = ({ by }: UniqueCounts): readonly string[] => (by === null ? [] : [by]);

/** The statements that make their empty tables, after those of the rows. */
export const createCounts = (tables: readonly CountsTable[]): readonly string[] => [
  'CREATE TABLE counted (site_id SMALLINT, counts VARCHAR, source VARCHAR, until DOUBLE)',
  ...tables.map((counts) => {
    const columns = ['site_id', ...keyOf(counts), `"${counts.time}" AS "at"`, `"${counts.time}" AS previous`];
    return `CREATE TABLE ${tableOf(counts)} AS SELECT ${columns}, 0::INTEGER AS count FROM analytics.${counts.source} LIMIT 0`;
  }),
];

/** From this instant on the rows of a site have changed. */
export const forgetCounts = (run: Run, source: string, siteId: number, from: number): Promise<void> =>
  run({
    text: 'UPDATE counted SET until = least(until, $3::DOUBLE) WHERE site_id = $1 AND source = $2',
    bindings: [siteId, source, from],
  });

/** The site is gone. */
export async function removeCounts(run: Run, tables: readonly CountsTable[], siteId: number): Promise<void> {
  for (const name of ['counted', ...tables.map(tableOf)])
    await run({ text: `DELETE FROM ${name} WHERE site_id = $1`, bindings: [siteId] });
}

/** The counts of an open copy. */
export interface KeptCounts {
  readonly tables: readonly CountsTable[];
  /** Up to which instant, in epoch seconds, counts of all of the sites hold: 0 for none, infinity for all rows. */
  until(counts: UniqueCounts, siteIds: readonly number[]): number;
  /** Reads how far they hold, after rows have changed. */
  reload(): Promise<void>;
  /** Counts the next piece of one of the sites; gives false when there is none. */
  countNext(siteIds: readonly number[]): Promise<boolean>;
}

const countedRows = z.array(z.tuple([z.string(), z.number().or(z.literal(Infinity))]));

export async function openCounts(
  file: ColumnFile,
  tables: readonly CountsTable[],
  log: Log,
  smallSiteRows = SMALL_SITE_ROWS,
): Promise<KeptCounts> {
  const nameOf = (counts: UniqueCounts, siteId: number): string => `${siteId} ${uniqueCountsTable(counts)}`;
  /** What DuckDB could not count, for want of memory as a rule; queries count it themselves. */
  const failed = new Set<CountsTable>();
  let counted: ReadonlyMap<string, number>;
  const reload = async (): Promise<void> => {
    const rows = await file.read({ text: "SELECT concat(site_id, ' ', counts), until FROM counted" });
    counted = new Map(countedRows.parse(rows));
  };
  await reload();
  const untilOf = (counts: UniqueCounts, siteId: number): number => counted.get(nameOf(counts, siteId)) ?? 0;
  return {
    tables,
    until: (counts, siteIds) => Math.min(...siteIds.map((siteId) => untilOf(counts, siteId))),
    reload,
    async countNext(siteIds) {
      for (const counts of tables) {
        const siteId = siteIds.find((it) => untilOf(counts, it) < Infinity);
        if (siteId === undefined || failed.has(counts)) continue;
        try {
          await countPiece(file, counts, siteId, untilOf(counts, siteId), smallSiteRows);
          await reload();
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

const edgeRows = z.tuple([z.tuple([z.number().nullable(), z.number().nullable(), z.number()])]);

/** Counts the next piece of a site's rows; `until` is how far they are counted. */
async function countPiece(
  file: ColumnFile,
  counts: CountsTable,
  siteId: number,
  until: number,
  smallSiteRows: number,
): Promise<void> {
  const { value, source, time } = counts;
  const [[first, last, rowCount]] = edgeRows.parse(
    await file.read({
      text: `SELECT min("${time}"), max("${time}"), count(*) FROM analytics.${source} WHERE site_id = $1`,
      bindings: [siteId],
    }),
  );
  const from = Math.max(until, Math.floor((first ?? 0) / QUARTER_HOUR) * QUARTER_HOUR);
  const end = rowCount < smallSiteRows ? Math.max(from, last ?? 0) + DAY : from + DAYS_AT_ONCE * DAY;
  const isLast = last === null || last < end;
  const rows = `FROM analytics.${source} WHERE site_id = $1 AND "${time}" < $3`;
  const key = keyOf(counts);
  // Quarters before the piece matter only for the values that occur in it.
  const isInPiece = `${value} IN (SELECT ${value} ${rows} AND "${time}" >= $2)`;
  await file.write(async (run) => {
    await run({
      text: `DELETE FROM ${tableOf(counts)} WHERE site_id = $1 AND "at" >= $2`,
      bindings: [siteId, until],
    });
    await run({
      text: `INSERT INTO ${tableOf(counts)}
        SELECT site_id, ${[...key, '']}"at", previous, count(*) FROM (
          SELECT *, lag("at") OVER (PARTITION BY ${[...key, value]} ORDER BY "at") AS previous FROM (
            SELECT DISTINCT site_id, ${[...key, value]}, floor("${time}" / ${QUARTER_HOUR})::BIGINT * ${QUARTER_HOUR} AS "at"
              ${rows} AND ${isInPiece}))
         WHERE "at" >= $2 GROUP BY ALL ORDER BY "at"`,
      bindings: [siteId, from, end],
    });
    await run({
      text: 'DELETE FROM counted WHERE site_id = $1 AND counts = $2',
      bindings: [siteId, uniqueCountsTable(counts)],
    });
    await run({
      text: 'INSERT INTO counted VALUES ($1, $2, $3, $4::DOUBLE)',
      bindings: [siteId, uniqueCountsTable(counts), source, isLast ? Infinity : end],
    });
  });
}
