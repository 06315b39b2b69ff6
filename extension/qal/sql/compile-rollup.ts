// Owns the SQL of what is kept counted: arrays of blocks become rows.
// The versions of the sites are checked before anything is read, whatever way the database takes.
import type { RollupNode } from '../types/plan';
import { SITE_FIELD } from '../types/plan';
import { type Aliases, type Block, bind, fromSelect, type Sql, sql } from './block';

const KEY_ARRAYS = ['keys', 'second_keys'] as const;

/** SELECT from the counts of a dimension: a row for each key of each block. */
export function compileRollup(node: RollupNode, wanted: ReadonlySet<string>, aliases: Aliases): Block {
  const { dimension, counted, measures, period } = node;
  const arrays = [
    ...dimension.keys.map((name, index) => ({ name, array: KEY_ARRAYS[index] })),
    ...measures,
  ].filter(({ name }) => wanted.has(name) || name === measures[0]?.name);
  const values = [
    ...(wanted.has(SITE_FIELD) ? [`b.site_id as "${SITE_FIELD}"`] : []),
    ...(period !== null && wanted.has(period.column) ? [`b.value as "${period.column}"`] : []),
    ...arrays.map(({ name, array }) => `unnest(r.${array}) as "${name}"`),
  ];
  const rows = sql(
    `select ${[...values, ...(counted === null ? [] : ['unnest(r.previous) as previous', 'b.before'])].join(', ')}
     from {} join analytics.${counted === null ? 'rollup' : 'rollup_unique'} r
       on r.site_id = b.site_id and r.dimension = {} and r.level = b.level and r.block = b.block
     where (select analytics.sites_of_versions({}, {})) is not null`,
    blocksSql(node),
    bind(dimension.code, 'smallint'),
    bind(
      node.sites.map(({ siteId }) => siteId),
      'smallint[]',
    ),
    bind(
      node.sites.map(({ version }) => version),
      'bigint[]',
    ),
  );
  const names = [...arrays.map(({ name }) => name), SITE_FIELD, ...(period === null ? [] : [period.column])];
  if (counted === null) return fromSelect(rows, aliases.next('u'), names);
  const ofField = sql('{} and r.counted = {}', rows, bind(counted, 'smallint'));
  const block = fromSelect(ofField, aliases.next('u'), [...names, 'previous', 'before']);
  const before = sql(
    '({} is null or {} < {})',
    block.column('previous'),
    block.column('previous'),
    block.column('before'),
  );
  block.query.whereRaw(before.text, []);
  return block;
}

function blocksSql({ blocks, period }: RollupNode): Sql {
  return sql(
    'unnest({}, {}, {}, {}, {}) as b(site_id, level, block, before, value)',
    bind(
      blocks.map(({ siteId }) => siteId),
      'smallint[]',
    ),
    bind(
      blocks.map(({ level }) => level),
      'smallint[]',
    ),
    bind(
      blocks.map(({ block }) => block),
      'integer[]',
    ),
    bind(
      blocks.map(({ before }) => before),
      'integer[]',
    ),
    bind(
      blocks.map(({ value }) => value),
      period?.type === 'date' ? 'date[]' : 'text[]',
    ),
  );
}
