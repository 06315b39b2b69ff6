// The columns of a stored table and their physical types, as read from the database.
import type { ClientBase } from 'pg';
import { perConnection } from './per-connection';

const PHYSICAL_TYPES = [
  ...(['int2', 'int4', 'int8', 'float8', 'bool'] as const),
  ...(['timestamptz', 'date', 'uuid', 'text', 'jsonb'] as const),
];
export type PhysicalType = (typeof PHYSICAL_TYPES)[number];

export interface StoredField {
  readonly name: string;
  readonly type: PhysicalType;
  /** The index among a row's strings, if the value is a string. */
  readonly text?: number;
  /** The value to store if a file contains none; NaN for null. */
  readonly fallback: number;
}

export interface TableLayout {
  readonly table: string;
  /** In stored order, which is the order of a row's values. */
  readonly columns: readonly StoredField[];
  /** The number of text columns. */
  readonly texts: number;
  has(name: string): boolean;
  /** The index of a column among a row's values. Throws for an unknown name. */
  fieldOf(name: string): number;
}

interface LayoutOptions {
  /** Additional fields that rows have until they are stored. */
  readonly besides?: readonly string[];
  /** Columns to leave out, since no file contains them. */
  readonly without?: readonly string[];
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

/** The columns by table. */
const loadColumns = perConnection(
  async (client: ClientBase): Promise<ReadonlyMap<string, readonly Column[]>> => {
    const { rows } = await client.query<Column>(
      `SELECT c.relname AS table, a.attname AS name, t.typname AS type, NOT a.attnotnull AS nullable
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       JOIN pg_type t ON t.oid = a.atttypid
      WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'r' ORDER BY c.oid, a.attnum`,
    );
    return Map.groupBy(rows, ({ table }) => table);
  },
);

/** Reads the layout of a table in the `analytics` schema. Throws for a type that the importer cannot write. */
export async function loadTableLayout(
  client: ClientBase,
  table: string,
  { besides = [], without = [] }: LayoutOptions = {},
): Promise<TableLayout> {
  const found = (await loadColumns(client)).get(table);
  if (found === undefined) throw new Error(`There is no table analytics.${table}.`);
  const stored = found.filter(({ name }) => !without.includes(name));
  let texts = 0;
  const columns = stored.map(({ table: _, nullable, ...row }): StoredField => {
    const type = PHYSICAL_TYPES.find((known) => known === row.type);
    if (type === undefined) {
      const known = PHYSICAL_TYPES.join(', ');
      throw new Error(`analytics.${table}.${row.name} is of type ${row.type}; the importer writes ${known}`);
    }
    const fallback = nullable ? Number.NaN : 0;
    if (type !== 'text' && type !== 'jsonb') return { ...row, type, fallback };
    texts += 1;
    return { ...row, type, fallback, text: texts - 1 };
  });
  const names = [...columns.map(({ name }) => name), ...besides];
  const places = new Map(names.map((name, place) => [name, place]));
  return {
    table,
    columns,
    texts,
    has: (name) => places.has(name),
    fieldOf(name) {
      const place = places.get(name);
      if (place === undefined) throw new Error(`analytics.${table} has no column ${name}`);
      return place;
    },
  };
}
