// Statements that every request runs, on a pool of Knex but past its query builder, which costs as much as the statement.
import type { Knex } from 'knex';
import type { Client } from 'pg';
import type { Statement } from './read-pool';

/** The rows of a statement that each connection prepares once, under its name. */
export async function readPrepared<Row>(
  write: Knex,
  { values = [], ...statement }: Statement & { readonly name: string },
): Promise<Row[]> {
  const client: Client = await write.client.acquireConnection();
  try {
    const { rows } = await client.query({ ...statement, values: [...values] });
    return rows;
  } finally {
    await write.client.releaseConnection(client);
  }
}
