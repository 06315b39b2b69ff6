// The planner's estimate of how many rows a statement returns, without running it.
import type { Knex } from 'knex';
import type { ReadPool } from '../../../host-shim/extension-api';
import { rawSql } from './build-query';

interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: { readonly 'Plan Rows': number } }[];
}

/** May be off by a few percent of a large table. */
export async function estimatedRows(database: ReadPool, rows: Knex.QueryBuilder): Promise<number> {
  const [explained] = await database.select<Explained>(rawSql('explain (format json) ?', [rows]));
  return explained?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
}
