// The rows that a removal deletes: a condition for each table, used both for counting and for removing.
import type { Manifest } from '../../../manifests/reader/manifest';
import { laterDate } from '../../language/time/calendar';
import { midnightOf } from '../../language/time/local-time';
import { type Bind, bindings } from '../storage/bindings';
import { rowIdOf, type StoredMaterial, storedMaterials, VIEWS } from '../storage/stored-materials';

/** A condition on a row `t` of site `$1`. */
type Condition = (bind: Bind) => string;

export interface RemovedRows {
  readonly material: StoredMaterial;
  readonly where: Condition;
}

export interface RestoredImport {
  readonly importId: number;
  readonly material: StoredMaterial;
}

export interface RemovalPlan {
  /** Rows that belong to page views come before the page views. */
  readonly parts: readonly RemovedRows[];
  /** Whether visitors who lose their first view, but have others, remain returning visitors. */
  readonly keepsFirst?: boolean;
  /** The rows that are removed while they wait for their page view. Default: none. */
  readonly waiting?: Condition;
  /** Rows that undoing an import must not bring back: the undo removes any row that would become one of them. */
  readonly undone?: readonly RemovedRows[];
  /** For an undo: the import whose replaced values are restored. */
  readonly restored?: RestoredImport;
  /**
   * Rows that are removed last, after the page views of the remaining rows have been looked up again. No view before `since`, in
   * epoch seconds, was removed or changed.
   */
  readonly strays?: (since: number) => readonly RemovedRows[];
}

/** A condition that no row satisfies. */
export const NO_ROWS = (): string => 'false';

/** SQL: whether a row belongs to site `$1` and meets a condition. */
export const ofSite = (condition: string): string => `t.site_id = $1 AND (${condition})`;

/** A condition on a site's rows as SQL, with its bindings. */
export function conditionOf(siteId: number, where: Condition) {
  const { bind, values } = bindings(siteId);
  return { text: ofSite(where(bind)), values };
}

export interface RemovedDays {
  /** First and last day in the site's time zone, inclusive. */
  readonly from: string;
  readonly to: string;
  /** All materials if left out. */
  readonly material?: string | undefined;
}

/** The range of instants of local days, in epoch seconds. The end is excluded. */
export const instantsOf = ({ from, to }: Pick<RemovedDays, 'from' | 'to'>, timezone: string) => ({
  start: midnightOf(from, timezone),
  end: midnightOf(laterDate(to, 1), timezone),
});

/** The rows in a range of local days. Rows that belong to a page view are removed with it. */
export function planDays(manifest: Manifest, timezone: string, days: RemovedDays): RemovalPlan {
  const { from, to, material: only } = days;
  const { start, end } = instantsOf(days, timezone);
  const isBetween = (field: string) => (bind: Bind) =>
    `${field} >= to_timestamp(${bind(start)}::float8) AND ${field} < to_timestamp(${bind(end)}::float8)`;
  const within = ({ time }: StoredMaterial, row: string): Condition => {
    const field = `${row}.${time.field}`;
    return time.grain === 'instant'
      ? isBetween(field)
      : (bind) => `${field} BETWEEN ${bind(from)}::date AND ${bind(to)}::date`;
  };
  const parts = planRows(manifest, (material, row) =>
    only === undefined || only === material.name ? within(material, row) : undefined,
  );
  const names = parts.map(({ material }) => material.name);
  const waiting = (bind: Bind) => `${isBetween('t.at')(bind)} AND t.material = ANY(${bind(names)}::text[])`;
  return { parts, undone: parts, waiting };
}

const ALL_ROWS = (): string => 'true';

export const planSite = (manifest: Manifest): RemovalPlan => ({
  parts: planRows(manifest, () => ALL_ROWS),
  waiting: ALL_ROWS,
});

/** All page views of these visitors, with the rows that belong to them. */
export const planVisitors = (
  manifest: Manifest,
  { readerIds, names }: { readonly readerIds: readonly number[]; readonly names: readonly string[] },
): RemovalPlan => ({
  parts: planViews(manifest, (row) => (bind) => `${row}.reader_id = ANY(${bind(readerIds)}::bigint[])`),
  waiting: (bind) => {
    const readers = `ANY(${bind(readerIds)}::bigint[])`;
    return `(t.reader_id = ${readers} OR t.reader_id IS NULL AND t.session_id IN (
      SELECT v.session_id FROM analytics.page_view v WHERE v.site_id = $1 AND v.reader_id = ${readers}))`;
  },
  undone: planViews(
    manifest,
    (row) => (bind) =>
      `${row}.reader_id = ANY(${bind(readerIds)}::bigint[]) OR ${row}.reader_state_id IN (
      SELECT reader_state_id FROM analytics.reader_state WHERE site_id = $1 AND original_id = ANY(${bind(names)}::text[]))`,
  ).filter(({ material }) => material.name === VIEWS),
});

/** The page views that meet a condition, with the rows that belong to them. */
export const planViews = (
  manifest: Manifest,
  conditionOn: (row: string) => Condition,
): readonly RemovedRows[] =>
  planRows(manifest, ({ name }, row) => (name === VIEWS ? conditionOn(row) : undefined));

/** The rows that meet the condition of their material, if it has one, with the rows that belong to them. */
function planRows(
  manifest: Manifest,
  conditionOn: (material: StoredMaterial, row: string) => Condition | undefined,
): readonly RemovedRows[] {
  const materials = storedMaterials(manifest);
  const childrenFirst = materials.toSorted(
    (one, other) => Number(one.parent === undefined) - Number(other.parent === undefined),
  );
  return childrenFirst.flatMap((material) => {
    const parent = materials.find(({ name }) => name === material.parent?.material);
    const onParent = parent && conditionOn(parent, 'p');
    const conditions = [
      conditionOn(material, 't'),
      onParent &&
        ((bind: Bind) =>
          `t.${material.parent?.key} IN (SELECT p.${material.parent?.key} FROM analytics.${parent.table} p WHERE p.site_id = $1 AND (${onParent(bind)}))`),
    ].filter((one) => one !== undefined);
    const where = (bind: Bind) => conditions.map((condition) => `(${condition(bind)})`).join(' OR ');
    return conditions.length === 0 ? [] : [{ material, where }];
  });
}

/**
 * SQL: the rows `t` as they were before an undoable import changed them, with the import record `o` and the stored row `c`. Use
 * it in a statement for site `$1`, followed by AND.
 */
export const replacedRows = (material: StoredMaterial): string =>
  `analytics.import_record o JOIN analytics.${material.table} c ON c.site_id = $1 AND c.${rowIdOf(material)} = o.row_id,
       LATERAL jsonb_populate_record(c, o.old) t
 WHERE o.site_id = $1 AND o.table_name = '${material.table}' AND o.kind = 'changed'`;
