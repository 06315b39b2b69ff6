// Counts visits, and values that are the same in all rows of a visit, from one row of each visit instead of from every row.

// Proof: of several rows that are equal in everything that the groups read, all but one can be dropped without changing
// COUNTUNIQUE or the set of groups. The columnar copy records which fields have the same value in all rows of a visit. If filters,
// joins, keys and counted values read only these fields, all rows of a visit in the range are equal, and any one of them is
// enough. Each row is then a different visit, so COUNT is COUNTUNIQUE over visits, and each group by visit is one row. A join that
// does not multiply rows keeps or drops all rows of a visit, and adds the same values to them. The other aggregates are computed
// as before, for the same groups. Each channel has one number, so groups by number are groups by channel.
import type { RulesOfSites } from '../../types/channels';
import { columnsOf, columnsOfAggregate, eachOnce } from '../../types/columns-of';
import { columnsOfFilter } from '../../types/filter-parts';
import type { Aggregate, GroupNode, PlanNode } from '../../types/plan';
import { isUniqueCount } from '../merge-aggregates';
import type { Pass, PassContext } from '../pass';
import { definitionOf, isUnique, storedFieldOf } from '../plan-facts';
import { groupById } from './group-by-id';
import { joinedGroups } from './unique-counts';

const VISIT = 'session_id';

export const oneRowPerVisit: Pass = {
  name: 'one-row-per-visit',
  only: 'columns',
  rewrites: {
    group(group, context) {
      const { input, keys, aggregates } = group;
      const others = aggregates.filter((aggregate) => !isUniqueCount(aggregate));
      const values = aggregates.filter(isUniqueCount);
      if (values.length === 0 && (others.length > 0 || keys.length === 0)) return undefined;
      const found = visitRows(input, context);
      if (found === undefined) return undefined;
      const { rows, constant } = found;
      if (![...keys, ...values.flatMap(columnsOfAggregate)].every((column) => constant.has(column)))
        return context.because('A key or counted value may differ between rows of a visit.');
      const isVisit = (column: string | null) => column !== null && storedFieldOf(column, input) === VISIT;
      if (aggregates.length === 0 && keys.some(isVisit)) return rows;
      const counted: GroupNode = {
        ...group,
        input: rows,
        aggregates: values.map((it) => (isVisit(it.column) ? rowsCounted(it) : it)),
      };
      if (others.length > 0) return joinedGroups([{ ...group, aggregates: others }, counted]);
      return groupedByChannel(counted, context) ?? groupedById(counted, context);
    },
  },
};

const rowsCounted = (aggregate: Aggregate): Aggregate => ({
  ...aggregate,
  function: 'COUNT',
  column: null,
  type: 'int',
  within: [],
});

const groupedById = (group: GroupNode, context: PassContext): PlanNode =>
  groupById.rewrites.group?.(group, context, []) ?? group;

/**
 * Groups by channel number. There are about as many visitors as visits, so a first grouping by visitor, source and medium
 * would leave about as many rows.
 */
function groupedByChannel(group: GroupNode, context: PassContext): PlanNode | undefined {
  if (!group.aggregates.some(isUniqueCount)) return undefined;
  const channels = group.keys.flatMap((name) => {
    const channel = definitionOf(name, group.input);
    return channel?.kind === 'channel' ? [{ name, number: `number of ${name}`, channel }] : [];
  });
  if (channels.length === 0) return undefined;
  const numbers = channels.map(({ number, channel }) => ({
    name: number,
    value: { ...channel, numberIn: namesOf(channel) },
  }));
  const keys = group.keys.map((key) => channels.find(({ name }) => name === key)?.number ?? key);
  const byNumber: GroupNode = {
    ...group,
    input: { kind: 'extend', input: group.input, columns: numbers },
    keys,
  };
  return {
    kind: 'extend',
    input: groupedById(byNumber, context),
    columns: channels.map(({ name, number, channel }) => ({
      name,
      value: { kind: 'computed', value: { kind: 'word', column: number, words: namesOf(channel) } },
    })),
  };
}

const namesOf = ({ rules, ofSites }: RulesOfSites): readonly string[] =>
  eachOnce(
    [rules, ...ofSites.map((it) => it.rules)].flatMap((one) => [
      one.otherwise,
      ...one.rules.map(({ channel }) => channel),
    ]),
  );

interface VisitRows {
  /** One row of each visit. */
  readonly rows: PlanNode;
  /** The columns with the same value in all rows of a visit. */
  readonly constant: ReadonlySet<string>;
}

/** Undefined if some rows of a visit may be kept and others dropped. */
function visitRows(node: PlanNode, context: PassContext): VisitRows | undefined {
  const { manifest, because } = context;
  switch (node.kind) {
    case 'scan': {
      const { material, siteIds, bounds } = node;
      if (bounds.kind !== 'range' || siteIds.length > 1) return undefined;
      const constant = context.visitFields(material, siteIds, bounds.end);
      return constant.has(VISIT) ? { rows: { ...node, isOncePerVisit: true }, constant } : undefined;
    }
    case 'filter': {
      const below = visitRows(node.input, context);
      if (below === undefined) return undefined;
      return columnsOfFilter(node.conditions).every((column) => below.constant.has(column))
        ? { ...below, rows: { ...node, input: below.rows } }
        : because('A filter reads a value that may differ between rows of a visit.');
    }
    case 'extend': {
      const below = visitRows(node.input, context);
      if (below === undefined) return undefined;
      const constant = new Set(below.constant);
      for (const { name, value } of node.columns)
        if (columnsOf(value).every((column) => below.constant.has(column))) constant.add(name);
        else constant.delete(name);
      return { rows: { ...node, input: below.rows }, constant };
    }
    case 'join': {
      const { right, on, mode, columns } = node;
      const left = mode === 'keep-both' ? undefined : visitRows(node.left, context);
      if (left === undefined) return undefined;
      const rightKeys = on.map((pair) => pair.right);
      if (!on.every((pair) => left.constant.has(pair.left)) || !isUnique(right, rightKeys, manifest))
        return because('Rows of a visit may have different matches.');
      const constant = new Set([...left.constant, ...columns.map(({ name }) => name)]);
      return { rows: { ...node, left: left.rows }, constant };
    }
    case 'group':
    case 'unique-counts':
    case 'steps':
    case 'number':
    case 'per-period':
    case 'calendar':
    case 'fill':
    case 'order':
    case 'limit':
      return undefined;
  }
}
