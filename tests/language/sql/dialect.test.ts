// The compiler writes SQL for all databases. SQL that is specific to PostgreSQL is in its dialect. For example, EXTRACT of an
// epoch is specific to PostgreSQL, because instants are numbers in DuckDB, but EXTRACT of a date's year is not.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '../../../extension/language/sql');
const POSTGRESQL_ONLY =
  /\b(to_timestamp|to_char|at time zone|make_interval|width_bucket|date_part|extract\(epoch|strpos|collate|array_agg|unnest|jsonb?_|numeric|fetch first|offset|scale)\b|= any\b|array\(|->>/;

const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));

test.each(files)('%s contains only SQL that all dialects share', (name) => {
  const templates = readFileSync(join(FOLDER, name), 'utf8').match(/sql`[^`]*`/g) ?? [];
  expect(templates.filter((template) => POSTGRESQL_ONLY.test(template))).toEqual([]);
});

test('the pattern does match the PostgreSQL dialect', () => {
  const dialect = readFileSync(join(FOLDER, 'dialects/postgresql.ts'), 'utf8');
  expect(dialect).toMatch(POSTGRESQL_ONLY);
});
