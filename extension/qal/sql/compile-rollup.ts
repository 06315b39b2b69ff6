// Owns the SQL of what is kept counted: arrays of blocks become rows.
// Before a leaf gives or misses a row, the versions of its sites are checked: a condition without columns is tried first,
// also where there is nothing to read. Where the database needs no row of the leaf, nothing depends on these versions.
import { type DimensionFilter, SITE_FIELD } from '../types/plan';
import type { RollupBlock, RollupNode } from '../types/rollup-node';
import type { Compilation } from './compilation';
import { onlyIdSql } from './dimension-filter-sql';
import { filtered, fromColumns, type SelectScope } from './select-scope';
import { type BindingType, ident, join, type Sql, sql, table, value } from './sql';

const KEY_ARRAYS = ['keys', 'second_keys'] as const;
const PREVIOUS = 'previous';
const BEFORE = 'before';

/**
 * SELECT from the counts of a dimension: a row for each key of each block. With `entries`, which the rows must pass anyway,
 * those of other keys may be missing.
 */
export function compileRollup(
  node: RollupNode,
  wanted: ReadonlySet<string>,
  compilation: Compilation,
  entries: readonly DimensionFilter[] = [],
): SelectScope {
  const { counted, measures } = node;
  const id = onlyKey(node, entries, compilation);
  const valuesOf = (array = ''): Sql =>
    id === undefined ? sql`unnest(${ident('r', array)})` : sql`${ident('r', array)}[place]`;
  // One array at least says how many rows there are.
  const arrays = [
    ...node.dimension.keys.map((name, index) => ({ name, array: KEY_ARRAYS[index] })),
    ...measures,
  ].filter(({ name }) => wanted.has(name) || name === measures[0]?.name);
  const columns = new Map<string, Sql>([
    ...ofBlock(node, wanted),
    ...arrays.map(({ name, array }) => [name, valuesOf(array)] as const),
  ]);
  const from = blocksSql(node, id);
  if (counted === null) return fromColumns(columns, from, versionsSql(node), compilation);
  const seen = new Map([...columns, [PREVIOUS, sql`unnest(r.previous)`], [BEFORE, sql`b.before`]]);
  const scope = fromColumns(seen, from, versionsSql(node), compilation);
  const previous = scope.column(PREVIOUS);
  return filtered(scope, [sql`(${previous} is null or ${previous} < ${scope.column(BEFORE)})`]);
}

/**
 * The id of the one key that is asked for, in a dimension in which a key stands in one place of a block: to look for it is
 * sooner done than to make a row of each place. Of several places each would unpack its arrays anew.
 */
function onlyKey(
  { counted, dimension: { keys } }: RollupNode,
  entries: readonly DimensionFilter[],
  compilation: Compilation,
): Sql | undefined {
  if (counted !== null || keys.length !== 1) return undefined;
  const ids = entries.flatMap((entry) =>
    keys.includes(entry.key) ? (onlyIdSql(entry, compilation) ?? []) : [],
  );
  return ids[0];
}

/** What is the same for all keys of a block. */
const ofBlock = (
  { period }: RollupNode,
  wanted: ReadonlySet<string>,
): readonly (readonly [string, Sql])[] => [
  ...(wanted.has(SITE_FIELD) ? [[SITE_FIELD, sql`r.site_id`] as const] : []),
  ...(period !== null && wanted.has(period.column) ? [[period.column, sql`b.value`] as const] : []),
];

/** By LIMIT the database knows that each block is one row, and expects as many rows as there are blocks. */
function blocksSql({ dimension, counted, blocks, period }: RollupNode, id: Sql | undefined): Sql {
  const list = (name: string, type: BindingType, of: (block: RollupBlock) => number | string | null) => ({
    ...{ name, values: value(blocks.map(of), type) },
  });
  const lists = [
    list('site_id', 'smallint[]', ({ siteId }) => siteId),
    list('level', 'smallint[]', ({ level }) => level),
    list('block', 'int[]', ({ block }) => block),
    ...(counted === null ? [] : [list(BEFORE, 'int[]', ({ before }) => before)]),
    ...(period === null
      ? []
      : [list('value', period.type === 'date' ? 'date[]' : 'text[]', (it) => it.value)]),
  ];
  const names = join(lists.map(({ name }) => ident(name)));
  const ofCounted = counted === null ? sql`` : sql`r.counted = ${value(counted, 'smallint')} and `;
  // Where a key stands in a block.
  const places =
    id === undefined ? sql`` : sql` cross join lateral unnest(array_positions(r.keys, (${id}))) p(place)`;
  return sql`unnest(${join(lists.map(({ values }) => values))}) b(${names})
     cross join lateral (
       select * from ${table(counted === null ? 'rollup' : 'rollup_unique')} r where r.site_id = b.site_id and r.dimension = ${value(dimension.code, 'smallint')}
       and ${ofCounted}r.level = b.level and r.block = b.block limit 1) r${places}`;
}

const versionsSql = ({ sites }: RollupNode): readonly Sql[] => {
  const ids = value(
    sites.map(({ siteId }) => siteId),
    'smallint[]',
  );
  const versions = value(
    sites.map(({ version }) => version),
    'bigint[]',
  );
  return [sql`(select analytics.sites_of_versions(${ids}, ${versions})) is not null`];
};
