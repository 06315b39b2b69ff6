import { randomUUID } from 'node:crypto';
import { escapeIdentifier } from 'pg';
import type { Queryable } from '../connection-pool';

/** Runs `work` as a role that can only insert. Only superusers need it: other owners have no rights beyond their tables. */
export async function asLoader(
  client: Queryable,
  schemas: readonly string[],
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ yes: boolean }>(
    'SELECT rolsuper AS yes FROM pg_roles WHERE rolname = current_user',
  );
  if (rows[0]?.yes !== true) return work();
  const role = escapeIdentifier(`qal_restore_${randomUUID()}`);
  await client.query(`CREATE ROLE ${role};
    GRANT USAGE ON SCHEMA ${schemas.map(escapeIdentifier).join(', ')} TO ${role};
    GRANT INSERT ON ${tables.join(', ')} TO ${role};
    SET LOCAL ROLE ${role}`);
  await work();
  await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
}
