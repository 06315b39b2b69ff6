import type { Knex } from 'knex';
import type { ReadPool } from '../../../host-shim/extension-api';
import { rawSql } from './build-query';

interface Plan {
  readonly 'Plan Rows': number;
  /** Added by Citus, whose own plan node has no estimate. A single task reads all rows of a site. */
  readonly 'Distributed Query'?: {
    readonly Job: { readonly Tasks: readonly { readonly 'Remote Plan': readonly (readonly Planned[])[] }[] };
  };
}

interface Planned {
  readonly Plan: Plan;
}

interface Explained {
  readonly 'QUERY PLAN': readonly Planned[];
}

/** The planner's estimate of the number of rows. For a large table, it may be off by a few percent. */
export async function estimatedRows(database: ReadPool, rows: Knex.QueryBuilder): Promise<number> {
  const [explained] = await database.select<Explained>(rawSql('explain (format json) ?', [rows]));
  const plan = explained?.['QUERY PLAN'][0]?.Plan;
  const remote = plan?.['Distributed Query']?.Job.Tasks[0]?.['Remote Plan'][0]?.[0]?.Plan;
  return (remote ?? plan)?.['Plan Rows'] ?? 0;
}
