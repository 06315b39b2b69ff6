// Owns the SQL of a scan: the only node that reads a table of rows.
import type { ScanBounds, ScanNode } from '../types/plan';
import { type Aliases, type Block, bind, fromTable, raw, type Sql, sql } from './block';
import { materialTable } from './tables';

/** SELECT from the table of a material: its sites and its time are conditions from the first. */
export function compileScan({ material, siteIds, bounds }: ScanNode, aliases: Aliases): Block {
  const alias = aliases.next('t');
  const block = fromTable(materialTable(material), alias);
  const [only, ...others] = siteIds;
  const sites =
    only !== undefined && others.length === 0
      ? sql(`${alias}.site_id = {}`, bind(only, 'smallint'))
      : sql(`${alias}.site_id = any({})`, bind(siteIds, 'smallint[]'));
  block.query.where(raw(sites));
  if (bounds.kind !== 'always') {
    const [start, end] = boundsSql(bounds);
    block.query
      .where(raw(sql(`${alias}.${bounds.field} >= {}`, start)))
      .where(raw(sql(`${alias}.${bounds.field} < {}`, end)));
  }
  return block;
}

/** The alias under which the period of a scan stands around it. */
export const PERIOD = 'period';

type Bounds = Exclude<ScanBounds, { readonly kind: 'always' }>;

function boundsSql(bounds: Bounds): readonly [start: Sql, end: Sql] {
  switch (bounds.kind) {
    case 'range':
      return [instant(bind(bounds.start, 'float8')), instant(bind(bounds.end, 'float8'))];
    case 'days':
      return [bind(bounds.first, 'date'), bind(bounds.end, 'date')];
    case 'period':
      return [
        instant({ text: `${PERIOD}.first`, bindings: [] }),
        instant({ text: `${PERIOD}.last`, bindings: [] }),
      ];
  }
}

const instant = (seconds: Sql): Sql => sql('to_timestamp({})', seconds);
