// Owns the reading of the goals that sites define.
import type { Knex } from 'knex';

/** The numbers of the goals that any of the sites defines, in order. */
export function definedGoals(database: Knex, siteIds: readonly number[]): Promise<readonly number[]> {
  return database
    .withSchema('analytics')
    .from('goal')
    .distinct('goal_no')
    .whereIn('site_id', siteIds)
    .orderBy('goal_no')
    .pluck<number[]>('goal_no');
}
