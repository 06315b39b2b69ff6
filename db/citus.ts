// Checks for a database in a Citus cluster. They work even before any table is distributed.
import type { Knex } from 'knex';

/** Throws on a worker: only the coordinator may change tables and roles. */
export async function refuseWorker(write: Knex): Promise<void> {
  if (!(await hasRelation(write, 'pg_dist_local_group'))) return;
  const { rows } = await write.raw('SELECT FROM pg_dist_local_group WHERE groupid <> 0');
  if (rows.length > 0)
    throw new Error(
      'The server at DATABASE_URL is a worker of a Citus cluster. Use the address of its coordinator.',
    );
}

/**
 * In a cluster with workers, returns which of the owner and reader roles Citus has not recorded. Only a superuser can copy a role
 * to the workers, and no table can be created there until its owner exists.
 */
export async function unknownRoles(write: Knex, reader: string): Promise<readonly string[]> {
  if (!(await hasRelation(write, 'pg_dist_object'))) return [];
  const { rows }: { rows: { name: string }[] } = await write.raw(
    `SELECT rolname AS name FROM pg_roles r
      WHERE rolname IN (current_user, ?) AND NOT rolsuper AND EXISTS (SELECT FROM pg_dist_node WHERE groupid > 0)
        AND NOT EXISTS (SELECT FROM pg_dist_object o WHERE o.classid = 'pg_authid'::regclass AND o.objid = r.oid)
        AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
      ORDER BY 1`,
    [reader],
  );
  return rows.map(({ name }) => name);
}

/** Returns a message that explains what to do. */
export const unknownRolesMessage = (roles: readonly string[]): string =>
  `Citus has not recorded the ${roles.length === 1 ? 'role' : 'roles'} ${roles.join(' and ')}. As a superuser, in this database ` +
  'on the coordinator, run the statements under "Roles that already exist" in docs/how-to/several-machines.md.';

export async function hasRelation(write: Knex, name: string): Promise<boolean> {
  const { rows }: { rows: { yes: boolean }[] } = await write.raw('SELECT to_regclass(?) IS NOT NULL AS yes', [
    name,
  ]);
  return rows[0]?.yes === true;
}
