// The columns of page_view in the statements of a site change. Derived columns are named only in the last SELECT of derive.sql:
// the staging table and the statements that store or update derived columns take their names from there.
import type { ClientBase } from 'pg';
import { perConnection } from '../rows/per-connection';

/**
 * Derived columns for which a value from the file, in `given_...`, takes precedence. If derive returns null, the stored value stays.
 */
export const GIVEN_FIELDS = ['pv', 'is_last', 'prev_page_id', 'next_page_id', 'is_newuser'] as const;
export const givenField = <T extends string>(field: T): `given_${T}` => `given_${field}`;

/**
 * Columns that a visit takes from its first view, in `view_...`, unless the file's value describes the visit (is_visit_traffic).
 */
export const TRAFFIC_FIELDS = ['source_id', 'medium_id', 'campaign_id', 'content_id'] as const;
export const viewField = <T extends string>(field: T): `view_${T}` => `view_${field}`;

interface ViewColumn {
  readonly name: string;
  /** The default, as SQL, that is stored if a file does not contain the fact; null if there is none. */
  readonly fallback: string | null;
  readonly isDerived: boolean;
}

/** Reads the columns of page_view. The staging tables must exist. */
export const loadViewColumns = perConnection(async (client: ClientBase): Promise<readonly ViewColumn[]> => {
  const { rows } = await client.query<ViewColumn>(
    `SELECT a.attname AS name, pg_get_expr(f.adbin, f.adrelid) AS fallback, d.attname IS NOT NULL AS "isDerived"
       FROM pg_attribute a LEFT JOIN pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
       LEFT JOIN pg_attribute d ON d.attrelid = 'pg_temp.derived'::regclass AND d.attname = a.attname AND d.attname <> 'pv_id'
      WHERE a.attrelid = 'analytics.page_view'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
  );
  return rows;
});

/** The value to store in a derived column. `f` is the row with the view's facts, and `d` the row with its derived values. */
function storedValue(name: string): string {
  if (GIVEN_FIELDS.some((field) => field === name)) return `coalesce(f.given_${name}, d.${name}, f.${name})`;
  if (TRAFFIC_FIELDS.some((field) => field === name))
    return `CASE WHEN f.is_visit_traffic THEN f.${name} ELSE d.${name} END`;
  return `d.${name}`;
}

/**
 * Fills in the column lists in a statement: `:facts` and `:derived`, qualified if they follow a table alias, and `:stored`, the
 * values to store in the derived columns.
 */
export function withColumns(statement: string, columns: readonly ViewColumn[]): string {
  const facts = columns.filter(({ isDerived }) => !isDerived);
  const derived = columns.filter(({ isDerived }) => isDerived);
  return statement
    .replace(/(\w\.)?(?<!:):facts\b/g, (_, of = '') =>
      facts
        .map(({ name, fallback }) =>
          of === '' || fallback === null ? `${of}${name}` : `coalesce(${of}${name}, ${fallback})`,
        )
        .join(', '),
    )
    .replace(/(\w\.)?(?<!:):derived\b/g, (_, of = '') => derived.map(({ name }) => `${of}${name}`).join(', '))
    .replace(/(?<!:):stored\b/g, () =>
      derived.map(({ name }) => `${storedValue(name)} AS ${name}`).join(', '),
    );
}
