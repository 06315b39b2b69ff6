// Reads clicks or events alone instead of joining them with page views, if the columnar copy stores everything that is read from the
// page views with each click or event.

// Proof: a click or an event belongs to exactly one page view. The copy checks that the page view's time and some of its other
// fields are stored with the click or event. Joined by the page view's key, a click matches that page view or nothing, depending on
// the page view's time and the filters. Joined by visit, it matches all page views of its visit in the range. If only fields with
// the same value in all page views of a visit are read, these are equal to each other and to the stored values, so a click is counted
// once per page view: COUNT and SUM are multiplied by the number of page views, and MIN and MAX do not change.
import type { Material } from '../../../../manifests/reader/manifest';
import { columnsOf, columnsOfAggregate, columnsOfDimensionFilter } from '../../types/columns-of';
import { columnsOfFilter } from '../../types/filter-parts';
import {
  type ComputedColumn,
  type GroupNode,
  type JoinNode,
  type PlanNode,
  SITE_FIELD,
} from '../../types/plan';
import type { ScanNode, ScanRange } from '../../types/scan-node';
import { VISIT, VISIT_VIEWS } from '../../types/view-values';
import { mapInputs, rowSteps } from '../../types/walk-plan';
import { extended, filtered } from '../build-nodes';
import { isMergeable, isScaled, merged, NEEDS_ROWS, productName } from '../merge-aggregates';
import type { Pass, PassContext } from '../pass';
import { isUnique, scanBelow, storedFieldOf } from '../plan-facts';

export const withoutViews: Pass = {
  name: 'without-views',
  only: 'columns',
  rewrites: {
    group(group, context) {
      const { base: join } = rowSteps(group.input);
      if (join.kind !== 'join' || join.mode !== 'drop') return undefined;
      const sides = sidesOf(join, context);
      if (sides === undefined) return undefined;
      const read = new Set([...group.keys, ...group.aggregates.flatMap(columnsOfAggregate)]);
      const rows = rebased(group.input, read, (_join, ofJoin) => rowsAlone(join, ofJoin, sides, context));
      if (rows === undefined)
        return context.because('A value of the page views is not stored with the clicks or events.');
      if (sides.reach === null) return { ...group, input: rows };
      return group.aggregates.every(isMergeable) ? multiplied(group, rows) : context.because(NEEDS_ROWS);
    },
  },
};

type ScanOfRange = ScanNode & { readonly bounds: ScanRange };

interface Sides {
  readonly views: ScanOfRange;
  readonly rows: ScanOfRange;
  readonly parent: NonNullable<Material['parent']>;
  readonly isViewsLeft: boolean;
  /** Null if rows match by page view. By visit: the greatest distance, in seconds, between a row and any page view of its visit. */
  readonly reach: number | null;
}

/** The page views of a range, and their clicks or events. Undefined if the join has other inputs. */
function sidesOf(join: JoinNode, { manifest, visitReach, because }: PassContext): Sides | undefined {
  for (const isViewsLeft of [true, false]) {
    const [viewSide, rowSide] = isViewsLeft ? [join.left, join.right] : [join.right, join.left];
    const views = viewsBelow(viewSide);
    const rows = scanBelow(rowSide);
    const parent = rows && manifest.materials.get(rows.material)?.parent;
    if (views === undefined || rows === undefined || parent?.material !== views.material) continue;
    if (!isOfRange(views) || !isOfRange(rows)) return undefined;
    const { siteIds, bounds } = views;
    const of = { views, rows, parent, isViewsLeft };
    // An id of a row can only be compared with the same id of a page view.
    const keys = new Set(join.on.map((pair) => storedFieldOf(isViewsLeft ? pair.right : pair.left, rowSide)));
    const isJoinedBy = (...fields: readonly string[]): boolean =>
      keys.size === fields.length && fields.every((field) => keys.has(field));
    if (isJoinedBy(parent.key, ...(siteIds.length === 1 ? [] : [SITE_FIELD]))) return { ...of, reach: null };
    // Rows of several sites are also joined by site.
    if (!isJoinedBy(VISIT)) continue;
    const reach = visitReach(rows.material, siteIds);
    if (bounds.end - bounds.start >= 2 * reach) return { ...of, reach };
    return because('The range is too short, compared with the longest visit.');
  }
  return undefined;
}

const isOfRange = (scan: ScanNode): scan is ScanOfRange => scan.bounds.kind === 'range';

/** The scan of page views below extends, filters and groups. */
function viewsBelow(node: PlanNode): ScanNode | undefined {
  const { base } = rowSteps(node);
  if (base.kind === 'group') return viewsBelow(base.input);
  return base.kind === 'scan' ? base : undefined;
}

type Names = ReadonlySet<string>;

/**
 * Repeats the extends and filters at the top of a node on another base, with only the columns that are read. `baseOf` receives the
 * original base and the columns that are read from it, and returns the other base.
 */
function rebased(
  node: PlanNode,
  read: Names,
  baseOf: (base: PlanNode, read: Names) => PlanNode | undefined,
): PlanNode | undefined {
  if (node.kind === 'extend') {
    const names = new Set(node.columns.map(({ name }) => name));
    const columns = node.columns.filter(({ name }) => read.has(name));
    const others = [...read].filter((name) => !names.has(name));
    const ofInput = new Set([...others, ...columns.flatMap(({ value }) => columnsOf(value))]);
    const input = rebased(node.input, ofInput, baseOf);
    return input && extended(input, columns);
  }
  if (node.kind === 'filter') {
    const { conditions, dimensionFilters = [] } = node;
    const inFilters = [...columnsOfFilter(conditions), ...dimensionFilters.flatMap(columnsOfDimensionFilter)];
    const input = rebased(node.input, new Set([...read, ...inFilters]), baseOf);
    return input && { ...node, input };
  }
  return baseOf(node, read);
}

/** The clicks or events with the columns of the join. Undefined if they lack a value of the page views. */
function rowsAlone(join: JoinNode, read: Names, sides: Sides, context: PassContext): PlanNode | undefined {
  const { isViewsLeft } = sides;
  const joined = join.columns.filter(({ name }) => read.has(name));
  const renamed = joined.map(
    ({ name, column }): ComputedColumn => ({ name, value: { kind: 'column', column } }),
  );
  if (isViewsLeft) {
    const names = new Set(joined.map(({ name }) => name));
    const ofViews = new Set([...read].filter((name) => !names.has(name)));
    return withValues(join.left, ofViews, extended(ownRows(join.right, sides), renamed), sides, context);
  }
  const ofViews = new Set(joined.map(({ column }) => column));
  const rows = withValues(join.right, ofViews, ownRows(join.left, sides), sides, context);
  return rows && extended(rows, renamed);
}

/**
 * The clicks or events of page views in the range. If rows match by visit: all clicks or events whose visit has page views in the range,
 * each with the number of these page views.
 */
function ownRows(rows: PlanNode, { views: { material, bounds }, parent, reach }: Sides): PlanNode {
  if (reach !== null) return withVisitViews(rows, { material, bounds, reach });
  const time = { column: parent.time, type: 'datetime' } as const;
  return filtered(rows, [
    { ...time, test: { operator: 'gte', value: bounds.start } },
    { ...time, test: { operator: 'lt', value: bounds.end } },
  ]);
}

const withVisitViews = (node: PlanNode, visitViews: NonNullable<ScanNode['visitViews']>): PlanNode =>
  node.kind === 'scan'
    ? { ...node, visitViews }
    : mapInputs(node, (input) => withVisitViews(input, visitViews));

/** Adds the values that are read from the page views to the rows. */
function withValues(
  views: PlanNode,
  read: Names,
  rows: PlanNode,
  sides: Sides,
  context: PassContext,
): PlanNode | undefined {
  const stored = storedFields(sides, context);
  if (stored === undefined) return undefined;
  return rebased(views, read, (base, ofBase) => {
    if (base.kind === 'scan') return [...ofBase].every((field) => stored.has(field)) ? rows : undefined;
    // An aggregate never has the name of a stored field.
    const isSame = base.kind === 'group' && isUnique(base.input, base.keys, context.manifest);
    return isSame ? withValues(base.input, ofBase, rows, sides, context) : undefined;
  });
}

/**
 * The fields of page views that are stored with each click or event: those of its page view or, if rows match by visit, those with the
 * same value in all page views of its visit. Undefined if they are not known for all clicks or events.
 */
function storedFields({ views, rows, parent, reach }: Sides, context: PassContext): Names | undefined {
  const { material, siteIds } = views;
  const { key, copied } = parent;
  // Changed clicks have no values yet, even if their page views are from before the change. The visit of a click may have page views
  // after the range.
  const end = reach === null ? Math.max(views.bounds.end, rows.bounds.end) : Number.POSITIVE_INFINITY;
  const values = context.viewFields(rows.material, siteIds, end);
  if (!values.has(VISIT_VIEWS)) return undefined;
  if (reach === null) return new Set([SITE_FIELD, key, ...copied, ...values]);
  const ofVisit = context.visitFields(material, siteIds, Number.POSITIVE_INFINITY);
  const ofRow = new Set([SITE_FIELD, ...copied, ...values]);
  return new Set([...ofVisit].filter((field) => ofRow.has(field)));
}

/** Counts each row once for each page view of its visit. */
function multiplied(group: GroupNode, rows: PlanNode): PlanNode {
  const { keys, aggregates } = group;
  const inner: GroupNode = { ...group, input: rows, keys: [...keys, VISIT_VIEWS] };
  const products = aggregates.filter(isScaled).map(
    (it): ComputedColumn => ({
      name: productName(it),
      value: { kind: 'product', value: it.name, times: VISIT_VIEWS, missing: 1 },
    }),
  );
  const sums = aggregates.map((it) => ({ ...merged(it), column: isScaled(it) ? productName(it) : it.name }));
  return { ...group, input: extended(inner, products), aggregates: sums };
}
