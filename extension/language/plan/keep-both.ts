// Completes the plan of a join that keeps the rows of both sides: first the left rows with their matches, then the right rows
// that have no match, each in their original order.
import {
  type ComputedColumn,
  type Expression,
  type JoinedColumn,
  type JoinNode,
  type OrderKey,
  SITE_FIELD,
} from '../types/plan';
import type { BoundColumn, ResolvedJoin } from '../types/resolved-query';
import { ascending, extended } from './build-nodes';
import type { SourceRows } from './lower-material';

interface BothSides extends Pick<SourceRows, 'nameOf' | 'orderKeys'> {
  readonly rows: JoinNode;
  readonly rename: (column: string) => string;
  readonly isWithinSite: boolean;
}

/** `read` contains the columns of both sides that the view reads. */
export function keepBoth(
  { rows, nameOf, orderKeys, rename, isWithinSite }: BothSides,
  left: SourceRows,
  right: SourceRows,
  { on, fill }: ResolvedJoin,
  read: readonly BoundColumn[],
) {
  const [leftRow, rightRow] = [rename('left.row'), rename('right.row')];
  const keys = on.map((pair) => {
    const [leftName, rightName] = [left.nameOf(pair.left), right.nameOf(pair.right)];
    const { type } = pair.right;
    const joined: JoinedColumn = { name: rename(rightName), column: rightName, type, fill: null };
    const columns = [leftName, joined.name] as const;
    return {
      leftName,
      joined,
      column: { name: rename(`${leftName}.key`), value: { kind: 'either', columns } },
    } as const;
  });
  const keyNames = new Map(keys.map(({ leftName, column }) => [leftName, column.name]));
  const filled = fill.flatMap(({ side, column, type, value }): readonly ComputedColumn[] => {
    const bound = read.find((it) => it.side === side && it.name === column);
    if (bound === undefined) return [];
    const name = nameOf(bound);
    const row = side === 'from' ? leftRow : rightRow;
    const conditions = [{ column: row, type: 'int', test: { operator: 'is-not-null' } }] as const;
    return [{ name, value: { kind: 'where', column: name, conditions, otherwise: { type, value } } }];
  });
  const leftSite = rename('left.site');
  const sites: readonly ComputedColumn[] = [
    { name: leftSite, value: { kind: 'column', column: SITE_FIELD } },
    { name: SITE_FIELD, value: { kind: 'either', columns: [SITE_FIELD, rename(SITE_FIELD)] } },
  ];
  const joined = new Map(
    [...rows.columns, ...keys.map((key) => key.joined), rowColumn(rightRow)].map((it) => [it.name, it]),
  );
  const both: JoinNode = {
    ...rows,
    left: extended(rows.left, [{ name: leftRow, value: ROW }]),
    right: extended(rows.right, [{ name: rightRow, value: ROW }]),
    columns: [...joined.values()],
  };
  const ofLeft = (key: OrderKey): OrderKey =>
    isWithinSite && key.column === SITE_FIELD ? { ...key, column: leftSite } : key;
  return {
    rows: extended(both, [...keys.map(({ column }) => column), ...filled, ...(isWithinSite ? sites : [])]),
    nameOf: (bound: BoundColumn): string => {
      const name = nameOf(bound);
      return bound.side === 'from' ? (keyNames.get(name) ?? name) : name;
    },
    orderKeys: [ascending(leftRow, 'int'), ...orderKeys.map(ofLeft)],
  };
}

const ROW: Expression = { kind: 'computed', value: { kind: 'constant', value: 1 } };

/** Marks the rows of one side; null in joined rows without a row from that side. */
const rowColumn = (name: string): JoinedColumn => ({ name, column: name, type: 'int', fill: null });
