// Owns what the importer must know of a stored table: its columns and their physical types, asked of the database.
// Table name in -> columns in stored order. So a column that a migration adds is imported without a change here.
import type { ClientBase } from 'pg';

const PHYSICAL_TYPES = [
  'int2',
  'int4',
  'int8',
  'float8',
  'bool',
  'timestamptz',
  'date',
  'uuid',
  'text',
  'jsonb',
] as const;
export type PhysicalType = (typeof PHYSICAL_TYPES)[number];

export interface StoredColumn {
  readonly name: string;
  readonly type: PhysicalType;
  readonly nullable: boolean;
  /** Place among the texts of a row, where the value is one. */
  readonly text?: number;
}

export interface TableLayout {
  readonly table: string;
  readonly columns: readonly StoredColumn[];
  /** How many columns are texts. */
  readonly texts: number;
  /** Place of a column in a row of numbers; throws for a name that the table does not have. */
  fieldOf(name: string): number;
  has(name: string): boolean;
}

/** Reads the layout of a table of schema analytics. */
export async function loadTableLayout(client: ClientBase, table: string): Promise<TableLayout> {
  const answer = await client.query<{ name: string; type: string; nullable: boolean }>(
    `SELECT a.attname AS name, t.typname AS type, NOT a.attnotnull AS nullable
       FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
      WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum`,
    [`analytics.${table}`],
  );
  let texts = 0;
  const columns = answer.rows.map((row): StoredColumn => {
    const type = physicalType(table, row.name, row.type);
    if (!isText(type)) return { ...row, type };
    texts += 1;
    return { ...row, type, text: texts - 1 };
  });
  const places = new Map(columns.map((column, place) => [column.name, place]));
  return {
    table,
    columns,
    texts,
    fieldOf(name) {
      const place = places.get(name);
      if (place === undefined) throw new Error(`analytics.${table} has no column ${name}`);
      return place;
    },
    has: (name) => places.has(name),
  };
}

const isText = (type: PhysicalType): boolean => type === 'text' || type === 'jsonb';

function physicalType(table: string, column: string, type: string): PhysicalType {
  const known = PHYSICAL_TYPES.find((candidate) => candidate === type);
  if (known === undefined) {
    throw new Error(
      `analytics.${table}.${column} is of type ${type}; the importer writes ${PHYSICAL_TYPES.join(', ')}`,
    );
  }
  return known;
}
