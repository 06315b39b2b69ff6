// Conditions on the dimension rows that a key refers to, which only plans for PostgreSQL have. The ids of these rows are looked
// up once, before the scan. Text values are looked up by their hashes, which can be indexed however long the values are.
import { scalarText } from '../types/json';
import { type DimensionFilter, SITE_FIELD } from '../types/plan';
import { type Compilation, dimensionOf } from './compilation';
import { isInSites, testSql } from './condition-sql';
import type { Dialect } from './dialect';
import { bitSql } from './expression-sql';
import { allOf, ident, type Sql, sql, table, value } from './sql';
import { textKey } from './text-key';

const DIMENSION = 'e';

export function dimensionFilterSql(
  filter: DimensionFilter,
  column: (name: string) => Sql,
  compilation: Compilation,
): Sql {
  const { key, siteIds, found, test, except } = filter;
  const id = column(key);
  const ids = idsSql(filter, compilation);
  if (siteIds.length > 1) return sql`(${column(SITE_FIELD)}, ${id}) in (${ids})`;
  const one = found === 'one' && test.operator === 'eq';
  const passes = one ? sql`${id} = (${ids})` : compilation.dialect.isInRows(id, ids);
  if (except) return sql`(${passes}) is not true`;
  if (found === 'any') return passes;
  // The database first tests the condition that reads no columns. If no dimension row has the text, it reads nothing else.
  return one ? sql`(${ids}) is not null and ${passes}` : sql`exists (${ids}) and ${passes}`;
}

/** Selects the ids. With several sites, also selects the site of each id. */
function idsSql(filter: DimensionFilter, { dialect, storage }: Compilation): Sql {
  const { dimension, field, bit, type, test, found, siteIds } = filter;
  const stored = dimensionOf(dimension, storage);
  const site = ident(DIMENSION, SITE_FIELD);
  const id = ident(DIMENSION, stored.id);
  const conditions = [
    ...(siteIds.length > 0 ? [isInSites(site, siteIds, dialect)] : []),
    ...(found !== 'any' && stored.hasTextKey ? [textKeySql(test, dialect)] : []),
    testSql({ type, test }, bitSql(ident(DIMENSION, field), bit), dialect),
  ];
  return sql`select ${siteIds.length > 1 ? sql`${site}, ${id}` : id} from ${table(stored.table)} as ${ident(DIMENSION)} where ${allOf(conditions)}`;
}

/** Compares hashes in addition to the text values themselves. */
function textKeySql(test: DimensionFilter['test'], dialect: Dialect): Sql {
  const stored = ident(DIMENSION, 'text_key');
  const keyOf = (text: string | number): string => textKey([scalarText(text)]);
  if (test.operator === 'eq') return sql`${stored} = ${value(keyOf(test.value), 'uuid')}`;
  if (test.operator === 'in') return dialect.isInList(stored, 'uuid', test.values.map(keyOf));
  throw new Error(`The operator ${test.operator} does not support lookup by text key.`);
}
