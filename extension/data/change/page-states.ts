// The states of pages in staged views, collected until the pages are updated.
import type { ClientBase } from 'pg';

/** A query for the states of pages, each with the time of the newest view that has it. */
export const PAGE_STATES = 'SELECT page_id, page_state_id, max(at) AS at FROM staged_states GROUP BY 1, 2';

/** Collects the states in the staged views. Returns how many there are. */
export async function collectPageStates(client: ClientBase): Promise<number> {
  const { rowCount } = await client.query(
    `INSERT INTO staged_states
     SELECT page_id, page_state_id, max(at) FROM staged WHERE page_state_id IS NOT NULL GROUP BY 1, 2`,
  );
  return rowCount ?? 0;
}

export const countPageStates = (client: ClientBase): Promise<unknown> =>
  client.query('ANALYZE staged_states');

export const forgetPageStates = (client: ClientBase): Promise<unknown> =>
  client.query('TRUNCATE staged_states');
