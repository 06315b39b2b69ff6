// Owns the SQL of a condition on the entries that a key opens: their ids are found once, before the rows.
// A text that tells entries apart is found by its key, which an index holds whatever the length of the text.
import { textKey } from '../../storage/text-key';
import { type DimensionFilter, SITE_FIELD } from '../types/plan';
import { bind, type Sql, sql } from './block';
import { conditionSql } from './conditions';
import { dimensionTable } from './tables';

const ENTRY = 'e';

/** SELECT of the one id that passes, or of none; undefined where several may, or others than those of one site. */
export const onlyIdSql = (condition: DimensionFilter): Sql | undefined =>
  isOfOne(condition) && !condition.except && condition.siteIds.length <= 1
    ? entriesSql(condition)
    : undefined;

const isOfOne = ({ found, test }: DimensionFilter): boolean => found === 'one' && test.operator === 'eq';

/** The SQL of a condition on rows. */
export function entrySql(condition: DimensionFilter, column: (name: string) => Sql): Sql {
  const { key, siteIds, found, except } = condition;
  const id = column(key);
  const entries = entriesSql(condition);
  if (siteIds.length > 1) return sql('({}, {}) in ({})', column(SITE_FIELD), id, entries);
  const isOne = isOfOne(condition);
  const passes = isOne ? sql('{} = ({})', id, entries) : sql('{} = any(array({}))', id, entries);
  if (except) return sql('({}) is not true', passes);
  if (found === 'any') return passes;
  // Where no entry has the text no row need be read: a condition without columns is tried before any row is.
  return sql(isOne ? '({}) is not null and {}' : 'exists ({}) and {}', entries, passes);
}

/** SELECT of the ids, with the site where there are several. */
function entriesSql({ dimension, field, bit, type, test, found, siteIds }: DimensionFilter): Sql {
  const { table, id, scope, hasTextKey } = dimensionTable(dimension);
  const stored = `${ENTRY}.${field}`;
  const value = { text: bit === null ? stored : `((${stored} >> ${bit}) & 1)`, bindings: [] };
  const [siteId] = siteIds;
  const site =
    siteIds.length > 1
      ? sql(`${ENTRY}.site_id = any({})`, bind(siteIds, 'smallint[]'))
      : sql(`${ENTRY}.site_id = {}`, bind(siteId ?? 0, 'smallint'));
  const conditions = [
    ...(scope === 'site' ? [site] : []),
    ...(found !== 'any' && hasTextKey ? [keySql(test)] : []),
    conditionSql({ column: field, type, test }, value),
  ];
  const ids = siteIds.length > 1 ? `${ENTRY}.site_id, ${ENTRY}.${id}` : `${ENTRY}.${id}`;
  return sql(
    `select ${ids} from analytics.${table} as ${ENTRY} where ${conditions.map(() => '{}').join(' and ')}`,
    ...conditions,
  );
}

/** The keys of the texts that are asked for; the texts themselves are compared beside them. */
function keySql(test: DimensionFilter['test']): Sql {
  if (test.operator === 'eq') return sql(`${ENTRY}.text_key = {}`, bind(keyOf(test.value), 'uuid'));
  if (test.operator === 'in')
    return sql(`${ENTRY}.text_key = any({})`, bind(test.values.map(keyOf), 'uuid[]'));
  throw new Error(`Entries are not found by ${test.operator} of their text.`);
}

const keyOf = (text: string | number): string => textKey([String(text)]);
