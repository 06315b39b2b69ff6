// Which rows a removal deletes: a condition for each table, used both for counting and for removing.
import type { Manifest, Material } from '../../../manifests/reader/manifest';
import { laterDate } from '../../language/time/calendar';
import { instantOf } from '../../language/time/local-time';

/** Binds a value, and returns its placeholder in the statement. */
export type Bind = (value: unknown) => string;

/** Bindings of a statement about a site, which is `$1`. */
export function bindings(siteId: number): { readonly bind: Bind; readonly values: unknown[] } {
  const values: unknown[] = [siteId];
  return { values, bind: (value) => `$${values.push(value)}` };
}

export interface RemovedRows {
  readonly material: string;
  readonly table: string;
  /** The field with the number of a row. */
  readonly number: string;
  /** The condition on a row `t` of site `$1`. */
  readonly where: (bind: Bind) => string;
}

export interface RestoredImport {
  readonly importId: number;
  readonly material: Material;
}

export interface RemovalPlan {
  /** Rows that belong to page views come before the page views. */
  readonly parts: readonly RemovedRows[];
  /** Whether visitors who lose their first view, but have others, remain returning visitors. */
  readonly keepsFirst?: boolean;
  /** The condition on a row `w` that waits for its page view. */
  readonly waiting?: (bind: Bind) => string;
  /** Rows that undoing an import must not bring back: the undo removes any row that would become one of them. */
  readonly undone?: readonly RemovedRows[];
  /** For an undo: the import whose replaced values are restored. */
  readonly restored?: RestoredImport;
  /** Rows that are removed after the others are, and after the remaining ones have found their page views again. */
  readonly strays?: readonly RemovedRows[];
}

export interface RemovedDays {
  /** Local days on the site, both inclusive. */
  readonly from: string;
  readonly to: string;
  /** All materials if left out. */
  readonly material?: string | undefined;
}

/** The material whose rows have sessions and visitors. */
export const VIEWS = 'allpv';

/** The materials with stored rows. */
export const storedMaterials = ({ materials }: Manifest): readonly Material[] =>
  [...materials.values()].filter(
    ({ table, onePer, time }) => table !== undefined && onePer === undefined && time !== undefined,
  );

/** Their tables, page views first. */
export const storedTables = (manifest: Manifest): readonly string[] =>
  storedMaterials(manifest).flatMap(({ table }) => table ?? []);

/** The field with the number of a row, which imports record. */
export const rowNumberOf = ({ rowId, unique }: Material): string => rowId ?? unique ?? 'row_id';

/** The rows in a range of local days. Rows that belong to a page view are removed with it. */
export function planDays(manifest: Manifest, timezone: string, days: RemovedDays): RemovalPlan {
  const { from, to, material: only } = days;
  const start = instantOf(`${from}T00:00:00`, timezone);
  const end = instantOf(`${laterDate(to, 1)}T00:00:00`, timezone);
  const within =
    ({ time }: Material, row: string) =>
    (bind: Bind): string =>
      time?.grain === 'day'
        ? `${row}.${time.field} BETWEEN ${bind(from)}::date AND ${bind(to)}::date`
        : `${row}.${time?.field} >= to_timestamp(${bind(start)}::float8) AND ${row}.${time?.field} < to_timestamp(${bind(end)}::float8)`;
  const parts = planRows(manifest, (material, row) =>
    only === undefined || only === material.name ? within(material, row) : undefined,
  );
  const waiting = (bind: Bind): string =>
    `w.at >= to_timestamp(${bind(start)}::float8) AND w.at < to_timestamp(${bind(end)}::float8)
     AND w.material = ANY(${bind(parts.map(({ material }) => material))}::text[])`;
  return { parts, undone: parts, waiting };
}

/** All page views of some visitors, with what belongs to them. */
export const planVisitors = (
  manifest: Manifest,
  { readerIds, names }: { readonly readerIds: readonly number[]; readonly names: readonly string[] },
): RemovalPlan => ({
  parts: planViews(manifest, (row) => (bind) => `${row}.reader_id = ANY(${bind(readerIds)}::bigint[])`),
  waiting: (bind) => {
    const readers = `ANY(${bind(readerIds)}::bigint[])`;
    return `(w.reader_id = ${readers} OR w.reader_id IS NULL AND w.session_id IN (
      SELECT v.session_id FROM analytics.page_view v WHERE v.site_id = $1 AND v.reader_id = ${readers}))`;
  },
  undone: planViews(
    manifest,
    (row) => (bind) =>
      `${row}.reader_id = ANY(${bind(readerIds)}::bigint[]) OR ${row}.reader_state_id IN (
      SELECT reader_state_id FROM analytics.reader_state WHERE site_id = $1 AND original_id = ANY(${bind(names)}::text[]))`,
  ).filter(({ material }) => material === VIEWS),
});

type Condition = RemovedRows['where'];

/** The page views that meet a condition, with the rows that belong to them. */
export const planViews = (manifest: Manifest, isMeant: (row: string) => Condition): readonly RemovedRows[] =>
  planRows(manifest, ({ name }, row) => (name === VIEWS ? isMeant(row) : undefined));

/** The rows that meet the condition of their material, if it has one, with the rows that belong to them. */
function planRows(
  manifest: Manifest,
  isMeant: (material: Material, row: string) => Condition | undefined,
): readonly RemovedRows[] {
  const childrenFirst = storedMaterials(manifest).toSorted(
    (one, other) => Number(one.parent === undefined) - Number(other.parent === undefined),
  );
  return childrenFirst.flatMap((material) => {
    const parent = parentOf(manifest, material);
    const ofParent = parent && isMeant(parent, 'p');
    const conditions = [
      isMeant(material, 't'),
      parent && ofParent && ofParents(material, parent, ofParent),
    ].filter((one) => one !== undefined);
    return conditions.length === 0 ? [] : [partOf(material, conditions)];
  });
}

/**
 * SQL: the rows `t` as they were before imports that can be undone changed them, with their record `o` and the stored row `c`. For
 * a statement about the site `$1` that continues with AND.
 */
export const replacedRows = ({ table, number }: Pick<RemovedRows, 'table' | 'number'>): string =>
  `analytics.import_record o JOIN analytics.${table} c ON c.site_id = $1 AND c.${number} = o.row_id,
       LATERAL jsonb_populate_record(c, o.old) t
 WHERE o.site_id = $1 AND o.table_name = '${table}' AND o.kind = 'changed'`;

/** The material that the rows belong to. */
export const parentOf = ({ materials }: Manifest, { parent }: Material): Material | undefined =>
  parent && materials.get(parent.material);

/** The rows of a material that meet one of the conditions. */
export const partOf = (material: Material, conditions: readonly Condition[]): RemovedRows => ({
  material: material.name,
  table: material.table ?? '',
  number: rowNumberOf(material),
  where: (bind) => conditions.map((condition) => `(${condition(bind)})`).join(' OR '),
});

const ofParents =
  ({ parent }: Material, { table }: Material, isMeant: Condition): Condition =>
  (bind) =>
    `t.${parent?.key} IN (SELECT p.${parent?.key} FROM analytics.${table} p WHERE p.site_id = $1 AND ${isMeant(bind)})`;
