// Owns the visits of the computed days as temporary tables: who was there, with which keys; and who was there earlier too.
// Days -> sorted visits to read one after the other, and the cells of those that come again by keys that vary in a visit.
import type { ClientBase } from 'pg';
import type { RollupDimension } from '../../manifests/reader/rollups';
import { ANY_SITE } from '../import/planner-hints';
import { type CountedField, type CountedMaterial, keyFields } from './counted-material';
import { instant, type LocalDay, rowsOfDays } from './local-day';

/** One row for each day, visit, visitor and keys. */
const VISITS = 'rollup_visit';
/** Of the values of one field that are on computed days: what they did on other days before. */
const EARLIER = 'rollup_earlier';
/** Values of one field that are on several days. */
const STRADDLING = 'rollup_straddling';
/** Their cells by one dimension. */
const STRADDLING_CELLS = 'rollup_straddling_cells';

export interface VisitDays {
  readonly client: ClientBase;
  readonly siteId: number;
  readonly material: CountedMaterial;
  readonly days: readonly LocalDay[];
  /** The beginnings of all days of the site (epoch seconds); the first is of day `firstDay`. */
  readonly bounds: readonly number[];
  readonly firstDay: number;
  /** Rows that are not of these days, but may be of values on these, lie before this instant; null: nowhere. */
  readonly earlierUntil: number | null;
}

/** The fields of the visits that are kept. */
const visitFields = ({ counted, steady }: CountedMaterial): readonly string[] => [
  ...counted.map(({ field }) => field),
  ...keyFields(steady),
];

/** Makes the table of visits, empty. */
export async function openVisits({ client, material }: VisitDays): Promise<void> {
  await client.query(
    `CREATE TEMPORARY TABLE ${VISITS} ON COMMIT DROP AS
     SELECT ${['0 AS day', ...visitFields(material)].join(', ')} FROM analytics.${material.table} v WITH NO DATA`,
  );
}

/** Keeps the visits of some of the days. */
export async function keepVisits(
  { client, siteId, material }: VisitDays,
  days: readonly LocalDay[],
): Promise<void> {
  const rows = rowsOfDays(siteId, material, visitFields(material), days);
  await client.query(`INSERT INTO ${VISITS} SELECT DISTINCT * FROM (${rows}) r`);
}

/** Ends the keeping of visits: how many there are is told to the planner. */
export async function closeKeeping({ client }: VisitDays): Promise<void> {
  await client.query(`ANALYZE ${VISITS}`);
}

/** Finds what the values of one field did before the computed days and between them, and which are on several days. */
export async function openField(visits: VisitDays, { field }: CountedField): Promise<void> {
  const { client, siteId, material, days, firstDay, bounds, earlierUntil } = visits;
  if (earlierUntil !== null) {
    const { table, time, steady } = material;
    const columns = [field, ...keyFields(steady)].map((name) => `v.${name}`);
    await client.query(
      `CREATE TEMPORARY TABLE ${EARLIER} ON COMMIT DROP AS SELECT DISTINCT * FROM (
         SELECT ${[`${dayOfRow(time)} AS day`, ...columns].join(', ')}
           FROM (SELECT DISTINCT ${field} FROM ${VISITS}) asked
           JOIN analytics.${table} v ON v.site_id = ${ANY_SITE} AND v.${field} = asked.${field}
            AND v.${time} < $4::timestamptz) e
        WHERE day <> ALL ($5::integer[])`,
      [siteId, firstDay, bounds.map(instant), instant(earlierUntil), days.map(({ day }) => day)],
    );
  }
  await client.query(
    `CREATE TEMPORARY TABLE ${STRADDLING} ON COMMIT DROP AS
     SELECT ${field} FROM (${allVisits(visits, ['day', field])}) s GROUP BY ${field} HAVING min(day) < max(day)`,
  );
  await client.query(`ANALYZE ${STRADDLING}`);
}

/** Ends the work with a field. */
export async function closeField({ client, earlierUntil }: VisitDays): Promise<void> {
  await client.query(`DROP TABLE ${STRADDLING}${earlierUntil === null ? '' : `, ${EARLIER}`}`);
}

/** Ends the work with the visits. */
export async function closeVisits({ client }: VisitDays): Promise<void> {
  await client.query(`DROP TABLE ${VISITS}`);
}

/** The local day of a row `v`: `$2` is the number of the first day, `$3` when they begin. */
const dayOfRow = (time: string): string => `$2::integer - 1 + width_bucket(v.${time}, $3::timestamptz[])`;

function allVisits({ earlierUntil }: VisitDays, columns: readonly string[]): string {
  const list = columns.join(', ');
  return `SELECT ${list} FROM ${VISITS}${earlierUntil === null ? '' : ` UNION ALL SELECT ${list} FROM ${EARLIER}`}`;
}

/** Up to the last of these days: the visits of values that are on these days, by value and in the order of time. */
export function visitsSql(
  visits: VisitDays,
  { field }: CountedField,
  keys: readonly string[],
  days: readonly LocalDay[],
): string {
  const first = days[0]?.day ?? 0;
  const last = days.at(-1)?.day ?? 0;
  const isAll = days.length === visits.days.length;
  const only = isAll
    ? ''
    : `WHERE day <= ${last} AND ${field} IN (SELECT ${field} FROM ${VISITS} WHERE day BETWEEN ${first} AND ${last})`;
  const columns = ['day', field, ...keys];
  return `SELECT ${columns.join(', ')} FROM (${allVisits(visits, columns)}) s ${only} ORDER BY ${field}, day`;
}

/** The values of the opened field that are on several days. */
export const straddlingSql = ({ field }: CountedField): string => `SELECT ${field} FROM ${STRADDLING}`;

/** Counts how the values on several days met a dimension that varies within a visit; its cells can be read then. */
export async function openStraddlingCells(
  { client, siteId, material, days, firstDay, bounds }: VisitDays,
  counted: CountedField,
  dimension: RollupDimension,
): Promise<void> {
  const { table, time } = material;
  const { field } = counted;
  const { keys } = dimension;
  const [first, second] = [0, 1].map((place) => {
    const key = keys[place];
    return key === undefined ? 'NULL::integer' : `v.${key}`;
  });
  await client.query(
    `CREATE TEMPORARY TABLE ${cellsTable(counted, dimension)} ON COMMIT DROP AS
     SELECT day, k1, k2, previous, count(*)::integer AS counts FROM (
       SELECT *, lag(day) OVER (PARTITION BY ${field}, k1, k2 ORDER BY day) AS previous FROM (
         SELECT DISTINCT ${dayOfRow(time)} AS day, v.${field}, ${first} AS k1, ${second} AS k2
           FROM ${STRADDLING} s
           JOIN analytics.${table} v ON v.site_id = ${ANY_SITE} AND v.${field} = s.${field} AND v.${time} < $4::timestamptz) met) p
      WHERE day = ANY ($5::integer[]) GROUP BY day, k1, k2, previous`,
    [siteId, firstDay, bounds.map(instant), instant(days.at(-1)?.until ?? 0), days.map(({ day }) => day)],
  );
}

const cellsTable = ({ code }: CountedField, dimension: RollupDimension): string =>
  `${STRADDLING_CELLS}_${code}_${dimension.code}`;

/** Their cells on some of the days: day, k1, k2, previous, counts. */
export const straddlingCellsSql = (
  counted: CountedField,
  dimension: RollupDimension,
  days: readonly LocalDay[],
): string =>
  `SELECT day, k1, k2, previous, counts FROM ${cellsTable(counted, dimension)}
    WHERE day IN (${days.map(({ day }) => day).join(', ')})`;

/** Ends the work with these cells. */
export async function closeStraddlingCells(
  { client }: VisitDays,
  counted: CountedField,
  dimension: RollupDimension,
): Promise<void> {
  await client.query(`DROP TABLE ${cellsTable(counted, dimension)}`);
}
