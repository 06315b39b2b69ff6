// Converts a benchmark query's SQL to a statement for one engine. Values are bound for PostgreSQL and inlined for DuckDB, which
// prunes at planning time, so bound values would put it at a disadvantage.
import type { Sql } from './queries/bench-query';

type Values = Readonly<Record<string, string | number>>;

/** The type of each value, in both engines. */
const TYPES: Readonly<Record<string, string>> = {
  site: 'smallint',
  sites: 'smallint[]',
  from: 'timestamptz',
  to: 'timestamptz',
  first_day: 'date',
  end_day: 'date',
  tz: 'text',
  offsets: 'float8[]',
  changes: 'float8[]',
  goal_url: 'text',
  goal_key: 'uuid',
  searched_url: 'text',
};

const NAME = /(?<!:):([a-z_]+)/g;

/** Differences in DuckDB: it compares strings bytewise, has no WITH TIES, and its file contains only the queried sites. */
const FOR_DUCKDB: readonly (readonly [postgres: string, duckdb: string])[] = [
  [' COLLATE "C"', ''],
  [' ORDER BY 2 DESC FETCH FIRST 10 ROWS WITH TIES', ''],
  ['v.site_id = ANY (:sites) AND ', ''],
];

/** The statement for PostgreSQL. A value is bound once, even if it is used several times. */
export function forPostgres(sql: Sql, given: Values): { readonly text: string; readonly values: unknown[] } {
  const places = new Map<string, number>();
  const values: unknown[] = [];
  const text = (typeof sql === 'string' ? sql : sql.postgres).replace(NAME, (_found, name: string) => {
    const { type, value } = lookUp(name, given);
    const place = places.get(name) ?? values.push(value);
    places.set(name, place);
    return `$${place}::${type}`;
  });
  return { text, values };
}

export function forDuck(sql: Sql, given: Values): string {
  const duckSql =
    typeof sql === 'string'
      ? FOR_DUCKDB.reduce((text, [postgres, duckdb]) => text.replaceAll(postgres, duckdb), sql)
      : sql.duckdb;
  return duckSql.replace(NAME, (_found, name: string) => {
    const { type, value } = lookUp(name, given);
    return `'${String(value).replaceAll("'", "''")}'::${type}`;
  });
}

function lookUp(name: string, given: Values): { readonly type: string; readonly value: string | number } {
  const type = TYPES[name];
  const value = given[name];
  if (type === undefined || value === undefined) throw new Error(`:${name} in the SQL has no value.`);
  return { type, value };
}
