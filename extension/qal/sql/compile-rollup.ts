// Owns the SQL of what is kept counted: arrays of blocks become rows.
// Before a leaf gives or misses a row, the versions of its sites are checked: a condition without columns is tried first,
// also where there is nothing to read. Where the database needs no row of the leaf, nothing depends on these versions.
import { type DimensionFilter, SITE_FIELD } from '../types/plan';
import type { RollupNode } from '../types/rollup-node';
import { type Aliases, type Binding, type Block, bind, fromColumns, type Sql, sql } from './block';
import { onlyIdSql } from './entries';

const KEY_ARRAYS = ['keys', 'second_keys'] as const;
const PREVIOUS = 'previous';
const BEFORE = 'before';
/** Where a key stands in a block. */
const PLACES = ' cross join lateral unnest(array_positions(r.keys, ({}))) p(place)';

/**
 * SELECT from the counts of a dimension: a row for each key of each block. With `entries`, which the rows must pass anyway,
 * those of other keys may be missing.
 */
export function compileRollup(
  node: RollupNode,
  wanted: ReadonlySet<string>,
  aliases: Aliases,
  entries: readonly DimensionFilter[] = [],
): Block {
  const { counted, measures } = node;
  const id = onlyKey(node, entries);
  const valuesOf = (array: string | undefined): Sql =>
    text(id === undefined ? `unnest(r.${array})` : `r.${array}[place]`);
  // One array at least says how many rows there are.
  const arrays = [
    ...node.dimension.keys.map((name, index) => ({ name, array: KEY_ARRAYS[index] })),
    ...measures,
  ].filter(({ name }) => wanted.has(name) || name === measures[0]?.name);
  const columns = new Map([
    ...ofBlock(node, wanted),
    ...arrays.map(({ name, array }) => [name, valuesOf(array)] as const),
  ]);
  if (counted === null) return fromColumns(columns, tables(node, id), aliases);
  const seen = new Map([...columns, [PREVIOUS, text('unnest(r.previous)')], [BEFORE, text('b.before')]]);
  const block = fromColumns(seen, tables(node), aliases);
  const { text: previous } = block.column(PREVIOUS);
  block.query.whereRaw(`(${previous} is null or ${previous} < ${block.column(BEFORE).text})`);
  return block;
}

/**
 * The id of the one key that is asked for, in a dimension in which a key stands in one place of a block: to look for it is
 * sooner done than to make a row of each place. Of several places each would unpack its arrays anew.
 */
function onlyKey(
  { counted, dimension: { keys } }: RollupNode,
  entries: readonly DimensionFilter[],
): Sql | undefined {
  if (counted !== null || keys.length !== 1) return undefined;
  const ids = entries.flatMap((entry) => (keys.includes(entry.key) ? (onlyIdSql(entry) ?? []) : []));
  return ids[0];
}

const text = (it: string): Sql => ({ text: it, bindings: [] });

/** What is the same for all keys of a block. */
const ofBlock = (
  { period }: RollupNode,
  wanted: ReadonlySet<string>,
): readonly (readonly [string, Sql])[] => [
  ...(wanted.has(SITE_FIELD) ? [[SITE_FIELD, text('r.site_id')] as const] : []),
  ...(period !== null && wanted.has(period.column) ? [[period.column, text('b.value')] as const] : []),
];

/** FROM and WHERE of the blocks. By LIMIT the database knows that each is one row, and expects as many as there are. */
function tables({ dimension, counted, sites, blocks, period }: RollupNode, id?: Sql): Sql {
  const table = counted === null ? 'rollup' : 'rollup_unique';
  const list = (name: string, values: Binding, type: string) => ({ name, of: bind(values, `${type}[]`) });
  const siteIds = blocks.map(({ siteId }) => siteId);
  const levels = blocks.map(({ level }) => level);
  const numbers = blocks.map(({ block }) => block);
  const before = blocks.map((block) => block.before);
  const values = blocks.map(({ value }) => value);
  const lists = [
    list('site_id', siteIds, 'smallint'),
    list('level', levels, 'smallint'),
    list('block', numbers, 'integer'),
    ...(counted === null ? [] : [list(BEFORE, before, 'integer')]),
    ...(period === null ? [] : [list('value', values, period.type === 'date' ? 'date' : 'text')]),
  ];
  return sql(
    `unnest(${lists.map(() => '{}').join(', ')}) b(${lists.map(({ name }) => name).join(', ')})
     cross join lateral (
       select * from analytics.${table} r where r.site_id = b.site_id and r.dimension = {}
       and ${counted === null ? '' : 'r.counted = {} and '}r.level = b.level and r.block = b.block limit 1) r${id === undefined ? '' : PLACES}
     where (select analytics.sites_of_versions({}, {})) is not null`,
    ...lists.map(({ of }) => of),
    bind(dimension.code, 'smallint'),
    ...(counted === null ? [] : [bind(counted, 'smallint')]),
    ...(id === undefined ? [] : [id]),
    bind(
      sites.map(({ siteId }) => siteId),
      'smallint[]',
    ),
    bind(
      sites.map(({ version }) => version),
      'bigint[]',
    ),
  );
}
