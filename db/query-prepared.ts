// For statements that every request runs: bypasses Knex's query builder, which would take as long as the statement itself.
import type { Knex } from 'knex';
import type { Statement } from './connection-pool';
import { poolOf } from './write-pool';

export async function queryPrepared<Row extends object>(
  write: Knex,
  { values = [], ...statement }: Statement & { readonly name: string },
): Promise<Row[]> {
  const client = await poolOf(write).acquire();
  try {
    const { rows } = await client.query<Row>({ ...statement, values: [...values] });
    return rows;
  } finally {
    client.release();
  }
}
