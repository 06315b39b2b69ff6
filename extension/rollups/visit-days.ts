// Owns the visits of the computed days as queries: who was there, with which keys, and what the same ones did before.
// Days -> a query of visits by value and day; and one of the cells of some values by keys that vary within a visit.
// Of few rows each is one statement; what is asked of more rows again is kept in temporary tables.
import type { ClientBase } from 'pg';
import type { RollupDimension } from '../../manifests/reader/rollups';
import { anySite } from '../storage/planner';
import { type CountedField, type CountedMaterial, keyFields } from './counted-material';
import { arrayOf, dayOfRow, instant, type LocalDay, rowsOfDays } from './local-day';

/** One row for each day, visit, visitor and keys. */
const VISITS = 'rollup_visit';
/** Values of one statement. */
const LISTED_VALUES = 10_000;

export interface VisitParts {
  readonly client: ClientBase;
  readonly siteId: number;
  readonly material: CountedMaterial;
  /** The computed days. */
  readonly portions: readonly (readonly LocalDay[])[];
  /** The beginnings of all days of the site (epoch seconds); the first is of day `firstDay`. */
  readonly bounds: readonly number[];
  readonly firstDay: number;
  /** Rows that are not of the computed days, but may be of values on these, lie before this instant; null: nowhere. */
  readonly earlierUntil: number | null;
  /** Whether there are so few rows that asking for them again is cheaper than keeping what was found. */
  readonly few: boolean;
  /** Told of each portion that is kept; what it throws ends the work. */
  goOn(): void;
}

/** The text of a query about some of the computed days. */
export type DaysQuery = (days: readonly LocalDay[]) => string;

export interface Visits {
  /**
   * Opens the visits as the values of one field. The query answers `day`, the value and `keys`, by value and in the order of
   * time: up to the last of the days, of all values that are on one of them.
   */
  sorted(counted: CountedField, keys: readonly string[]): Promise<DaysQuery>;
  /** Opens the cells of some values: `day`, both keys, the day on which the value met them last, and how many values did. */
  cells(counted: CountedField, dimension: RollupDimension, values: readonly number[]): Promise<DaysQuery>;
  /** Ends the work with them. */
  close(): Promise<void>;
}

/** Opens the visits of the computed days. */
export async function openVisits(parts: VisitParts): Promise<Visits> {
  const { client, portions, few } = parts;
  const days = portions.flat();
  const tables: string[] = [];

  /** What `FROM` names to read a query. */
  const source = async (name: string, sql: string): Promise<string> => {
    if (few) return `(${sql}) ${name}`;
    await client.query(`CREATE TEMPORARY TABLE ${name} ON COMMIT DROP AS ${sql}`);
    tables.push(name);
    await client.query(`ANALYZE ${name}`);
    return name;
  };

  /** What `FROM` names to read values. */
  const listed = async (name: string, values: readonly number[]): Promise<string> => {
    if (few) return `unnest(${arrayOf(values, 'bigint')})`;
    await client.query(`CREATE TEMPORARY TABLE ${name} (value bigint) ON COMMIT DROP`);
    tables.push(name);
    for (let at = 0; at < values.length; at += LISTED_VALUES) {
      await client.query(`INSERT INTO ${name} SELECT unnest($1::bigint[])`, [
        values.slice(at, at + LISTED_VALUES),
      ]);
    }
    await client.query(`ANALYZE ${name}`);
    return name;
  };

  if (!few) {
    await keepVisits(parts);
    tables.push(VISITS);
  }
  const visitsOf = (columns: readonly string[]): string =>
    few ? distinctRows(parts, columns, days) : `SELECT ${columns.join(', ')} FROM ${VISITS}`;

  return {
    async sorted({ field, code }, keys) {
      const columns = ['day', field, ...keys];
      let all = visitsOf(columns);
      if (parts.earlierUntil !== null) {
        const asked = visitsOf([field]);
        const earlier = await source(`rollup_earlier_${code}`, earlierSql(parts, asked, field, keys, days));
        all += ` UNION ALL SELECT ${columns.join(', ')} FROM ${earlier}`;
      }
      return (stretch) => {
        const first = stretch[0]?.day ?? 0;
        const last = stretch.at(-1)?.day ?? 0;
        const only =
          stretch.length === days.length
            ? ''
            : `WHERE day <= ${last} AND ${field} IN (SELECT ${field} FROM ${VISITS} WHERE day BETWEEN ${first} AND ${last})`;
        return `SELECT ${columns.join(', ')} FROM (${all}) v ${only} ORDER BY ${field}, day`;
      };
    },
    async cells({ field, code }, dimension, values) {
      const name = `${code}_${dimension.code}`;
      const asked = await listed(`rollup_several_${name}`, values);
      const cells = await source(`rollup_cell_${name}`, cellsSql(parts, asked, field, dimension, days));
      return (some) =>
        `SELECT day, k1, k2, previous, counts FROM ${cells} WHERE day IN (${some.map(({ day }) => day).join(', ')})`;
    },
    async close() {
      if (tables.length > 0) await client.query(`DROP TABLE ${tables.join(', ')}`);
    },
  };
}

const numbersOf = (days: readonly LocalDay[]): string =>
  arrayOf(
    days.map(({ day }) => day),
    'integer',
  );

function distinctRows(
  { siteId, material }: VisitParts,
  columns: readonly string[],
  days: readonly LocalDay[],
): string {
  const fields = columns.filter((column) => column !== 'day');
  return `SELECT DISTINCT ${columns.join(', ')} FROM (${rowsOfDays(siteId, material, fields, days)}) r`;
}

/** Writes the visits of all portions to their table. */
async function keepVisits(parts: VisitParts): Promise<void> {
  const { client, material, portions, goOn } = parts;
  const columns = ['day', ...material.counted.map(({ field }) => field), ...keyFields(material.steady)];
  for (const [place, days] of portions.entries()) {
    const into = place === 0 ? `CREATE TEMPORARY TABLE ${VISITS} ON COMMIT DROP AS` : `INSERT INTO ${VISITS}`;
    await client.query(`${into} ${distinctRows(parts, columns, days)}`);
    goOn();
  }
  await client.query(`ANALYZE ${VISITS}`);
}

/** What the asked values did before the computed days and between them. */
function earlierSql(
  { siteId, material, firstDay, bounds, earlierUntil }: VisitParts,
  asked: string,
  field: string,
  keys: readonly string[],
  days: readonly LocalDay[],
): string {
  const { table, time } = material;
  const columns = [field, ...keys].map((name) => `v.${name}`);
  return `SELECT DISTINCT * FROM (
      SELECT ${[`${dayOfRow(firstDay, bounds, time)} AS day`, ...columns].join(', ')}
        FROM (SELECT DISTINCT ${field} FROM (${asked}) a) asked
        JOIN analytics.${table} v ON v.site_id = ${anySite(siteId)} AND v.${field} = asked.${field}
         AND v.${time} < '${instant(earlierUntil ?? 0)}') e
     WHERE day <> ALL (${numbersOf(days)})`;
}

/** How the asked values met a dimension that varies within a visit. */
function cellsSql(
  { siteId, material, firstDay, bounds }: VisitParts,
  asked: string,
  field: string,
  { keys }: RollupDimension,
  days: readonly LocalDay[],
): string {
  const { table, time } = material;
  const [first, second] = [0, 1].map((place) => {
    const key = keys[place];
    return key === undefined ? 'NULL::integer' : `v.${key}`;
  });
  return `SELECT day, k1, k2, previous, count(*)::integer AS counts FROM (
      SELECT *, lag(day) OVER (PARTITION BY ${field}, k1, k2 ORDER BY day) AS previous FROM (
        SELECT DISTINCT ${dayOfRow(firstDay, bounds, time)} AS day, v.${field}, ${first} AS k1, ${second} AS k2
          FROM ${asked} s (${field})
          JOIN analytics.${table} v ON v.site_id = ${anySite(siteId)} AND v.${field} = s.${field}
           AND v.${time} < '${instant(days.at(-1)?.until ?? 0)}') met) p
     WHERE day = ANY (${numbersOf(days)}) GROUP BY day, k1, k2, previous`;
}
