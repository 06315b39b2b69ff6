// Owns how a benchmark's SQL text with :names becomes a statement: bound for PostgreSQL, written out for DuckDB.
// DuckDB prunes by what it knows when it plans, so bound values would be held against it.

export type Values = Readonly<Record<string, string | number>>;

/** What each name is; both engines know these types. */
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
};

const NAME = /(?<!:):([a-z_]+)/g;

/** With $1.. and the values for them; a name is bound once, however often it stands in the text. */
export function bindNames(sql: string, given: Values): { readonly text: string; readonly values: unknown[] } {
  const places = new Map<string, number>();
  const values: unknown[] = [];
  const text = sql.replace(NAME, (_found, name: string) => {
    const { type, value } = look(name, given);
    const place = places.get(name) ?? values.push(value);
    places.set(name, place);
    return `$${place}::${type}`;
  });
  return { text, values };
}

/** With the values in the text. */
export function writeNames(sql: string, given: Values): string {
  return sql.replace(NAME, (_found, name: string) => {
    const { type, value } = look(name, given);
    return `'${String(value).replaceAll("'", "''")}'::${type}`;
  });
}

function look(name: string, given: Values): { readonly type: string; readonly value: string | number } {
  const type = TYPES[name];
  const value = given[name];
  if (type === undefined || value === undefined)
    throw new Error(`The SQL names :${name}, which has no value.`);
  return { type, value };
}
