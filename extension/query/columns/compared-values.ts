// Expressions for comparing column values in PostgreSQL with those in the copy: both engines must compute the same integers.
import { MICRO_DIGITS, microsField, NO_MICROS } from '../../language/types/micros';
import type { CopiedField, CopiedTable } from './copied-tables';

export type ComparedEngine = 'postgresql' | 'duckdb';
type Expressions = Readonly<Record<ComparedEngine, (column: string) => string>>;

/** Part of a value. The number is summed exactly; a row's hash covers the number and then the text. */
interface ComparedPart {
  readonly number: Expressions;
  readonly text?: Expressions;
}

/** Rounds down, so that an instant with a fraction stays within the day that is recorded for its change. */
export const epochSeconds = (column: string): string => `floor(date_part('epoch', ${column}))::bigint`;

/** The values in a JSON object as text, as ->> returns them. */
export const jsonTexts = (column: string): string => `jsonb_each_text(${column})`;

const inBoth = (expression: (column: string) => string): Expressions => ({
  postgresql: expression,
  duckdb: expression,
});

const itself = inBoth((column) => column);

const COMPARED: Readonly<Record<CopiedField['kind'], readonly ComparedPart[]>> = {
  smallint: [{ number: itself }],
  integer: [{ number: itself }],
  bigint: [{ number: itself }],
  boolean: [{ number: inBoth((column) => `${column}::int`) }],
  date: [{ number: inBoth((column) => `(${column} - DATE '1970-01-01')`) }],
  'timestamp with time zone': [{ number: { postgresql: epochSeconds, duckdb: (column) => column } }],
  // Compared bit by bit, because 0 and -0 differ.
  'double precision': [
    {
      number: {
        postgresql: (column) => `('x' || encode(float8send(${column}), 'hex'))::bit(64)::bigint`,
        duckdb: (column) => `${column}::BIT::BIGINT`,
      },
    },
    {
      number: {
        postgresql: (column) =>
          `CASE WHEN abs(${column}) < 1e9 AND scale(${column}::text::numeric) <= ${MICRO_DIGITS}
                THEN (${column}::text::numeric * 1000000)::bigint WHEN ${column} IS NOT NULL THEN ${NO_MICROS} END`,
        duckdb: (column) => column.replace(/"$/, `${microsField('')}"`),
      },
    },
  ],
  text: [
    {
      number: {
        postgresql: (column) => `octet_length(${column})`,
        duckdb: (column) => `strlen(${column})`,
      },
      text: itself,
    },
  ],
  jsonb: [
    {
      number: {
        postgresql: (column) => `octet_length(${column}::text)`,
        duckdb: (column) => `strlen(${column}.json)`,
      },
      text: { postgresql: (column) => `${column}::text`, duckdb: (column) => `${column}.json` },
    },
    {
      number: {
        postgresql: (column) =>
          `(SELECT sum(octet_length(key) + coalesce(octet_length(value), 0)) FROM ${jsonTexts(column)})`,
        duckdb: (column) =>
          `list_sum(list_transform(map_entries(${column}.texts), lambda it: strlen(it.key) + coalesce(strlen(it.value), 0)))`,
      },
      text: {
        postgresql: (column) =>
          `(SELECT string_agg(concat(octet_length(key), ':', key, octet_length(value), ':', value), '') FROM ${jsonTexts(column)})`,
        duckdb: (column) =>
          `array_to_string(list_transform(map_entries(${column}.texts),
             lambda it: concat(strlen(it.key), ':', it.key, strlen(it.value), ':', it.value)), '')`,
      },
    },
  ],
};

/**
 * The number of rows (with an empty column name), and, for each column, the number of values and their exact sums, which may be too
 * large for JavaScript numbers.
 */
export function comparedSums({ fields }: CopiedTable, engine: ComparedEngine) {
  const ofColumns = fields.flatMap((field) => {
    const { name: column, kind, isNullable } = field;
    const [first, ...others] = COMPARED[kind].map(({ number }) => number[engine](valueIn(engine, field)));
    // In PostgreSQL, all NOT NULL columns can share one count of rows. In a damaged copy, such columns may contain nulls.
    const counted = engine === 'duckdb' ? first : isNullable ? `"${column}"` : '*';
    return [`count(${counted})`, ...[first, ...others].map((number) => `sum(${number})`)].map(
      (expression) => ({ column, expression }),
    );
  });
  return [{ column: '', expression: 'count(*)' }, ...ofColumns];
}

const valueIn = (engine: ComparedEngine, { name, computed }: CopiedField): string =>
  engine === 'postgresql' && computed !== undefined ? computed : `"${name}"`;

/** A 60-bit hash of a row. Different rows are very unlikely to have the same sum of hashes. */
export function rowHash({ fields }: CopiedTable, engine: ComparedEngine): string {
  const parts = fields.flatMap((field) =>
    COMPARED[field.kind].flatMap(({ number, text }) => {
      const column = valueIn(engine, field);
      // Each string is preceded by its length; a null has neither.
      return [number[engine](column), ...(text === undefined ? [] : ["':'", text[engine](column)]), "'|'"];
    }),
  );
  const row = joined(parts);
  switch (engine) {
    case 'postgresql':
      return `('x' || left(encode(sha256(convert_to(${row}, 'UTF8')), 'hex'), 15))::bit(60)::bigint`;
    case 'duckdb':
      return `('0x' || left(sha256(${row}), 15))::BIGINT`;
  }
}

/** PostgreSQL allows at most 100 arguments in a function call. */
const MAX_ARGUMENTS = 100;

const joined = (expressions: readonly string[]): string =>
  Array.from({ length: Math.ceil(expressions.length / MAX_ARGUMENTS) }, (_, index) => {
    const some = expressions.slice(index * MAX_ARGUMENTS, (index + 1) * MAX_ARGUMENTS);
    return `concat(${some.join(', ')})`;
  }).join(' || ');
