import type { Knex } from 'knex';
import type { ReadPool } from '../../../host-shim/extension-api';
import { rawSql } from './build-query';

interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: { readonly 'Plan Rows': number } }[];
}

/** The planner's estimate of the number of rows. For a large table, it may be off by a few percent. */
export async function estimatedRows(database: ReadPool, rows: Knex.QueryBuilder): Promise<number> {
  const [explained] = await database.select<Explained>(rawSql('explain (format json) ?', [rows]));
  return explained?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
}
