// Rows that a transaction has removed, of all tables. They are in the same staging table as touched views.
import type { ClientBase } from 'pg';

/** SQL that records rows of a table that a WITH query `gone` returns, by their id and, for views, what identifies their visits. */
export const noteRemoved = (table: string, [id, ...kept]: readonly string[]): string => `
  INSERT INTO touched (${['removed_from', 'row_id', ...kept].join(', ')})
  SELECT ${[`'${table}'`, id, ...kept].join(', ')} FROM gone`;

/** SQL: the removed rows, with their table `removed_from` and their `row_id`. */
export const REMOVED = '(SELECT * FROM touched WHERE removed_from IS NOT NULL)';

/** SQL: the rows removed from a table. */
export const removedFrom = (table: string): string =>
  `(SELECT * FROM touched WHERE removed_from = '${table}')`;

/** Updates the planner's statistics of the removed rows. */
export const analyzeRemoved = (client: ClientBase): Promise<unknown> => client.query('ANALYZE touched');

/** Forgets the removed rows. */
export const forgetRemoved = (client: ClientBase): Promise<unknown> =>
  client.query('DELETE FROM touched WHERE removed_from IS NOT NULL');
