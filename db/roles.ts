// The reader role. Its name may come from a connection string, so it is always quoted.
import type { Knex } from 'knex';
import { HOST_LOCKS } from './advisory-locks';

export const READER_ROLE = 'qal_reader';

/** These are set on every read-only connection. The embedded server also stores them with the role. */
export const READER_SETTINGS: Readonly<Record<string, string>> = {
  default_transaction_read_only: 'on',
  random_page_cost: '1.1',
  jit: 'off',
  work_mem: '16MB',
  max_parallel_workers_per_gather: '1',
};

/**
 * Creates the role on the embedded server, and revokes all other roles' access to the database. Without `tempFileMb`, the role's
 * temporary files are not limited.
 */
export async function createReaderRole(write: Knex, tempFileMb?: number): Promise<void> {
  const limit = tempFileMb === undefined ? '-1' : `${tempFileMb}MB`;
  // Two programs may start at the same time, and PostgreSQL rejects concurrent changes to a role.
  await write.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [HOST_LOCKS.readerRole]);
    const { rows } = await trx.raw('SELECT 1 FROM pg_roles WHERE rolname = ?', [READER_ROLE]);
    if (rows.length === 0) await trx.raw('CREATE ROLE ?? LOGIN', [READER_ROLE]);
    for (const [name, value] of Object.entries({ ...READER_SETTINGS, temp_file_limit: limit })) {
      await trx.raw(`ALTER ROLE ?? SET ${name} = '${value}'`, [READER_ROLE]);
    }
    const { rows: databases } = await trx.raw('SELECT current_database() AS name');
    await trx.raw('REVOKE ALL ON DATABASE ?? FROM PUBLIC', [databases[0].name]);
    await trx.raw('GRANT CONNECT ON DATABASE ?? TO ??', [databases[0].name, READER_ROLE]);
  });
}

/** The privileges that the role lacks. `usage` and `tables` are false for a superuser or owner. */
const MISSING = `
SELECT NOT has_schema_privilege(r.oid, n.oid, 'USAGE') AS usage,
       EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm')
                  AND NOT has_table_privilege(r.oid, c.oid, 'SELECT')) AS tables,
       NOT EXISTS (SELECT FROM pg_default_acl d, aclexplode(d.defaclacl) a
                    WHERE d.defaclnamespace = n.oid AND d.defaclrole = current_user::regrole AND d.defaclobjtype = 'r'
                      AND a.grantee = r.oid AND a.privilege_type = 'SELECT') AS later
  FROM pg_roles r, pg_namespace n WHERE r.rolname = ? AND n.nspname = ?`;

/**
 * Lets the role read all tables of the schema, including those added later. Does nothing if the role does not exist. Grants only
 * what is missing: in a Citus cluster, a GRANT needs every worker, so otherwise a server could not start while a worker is down.
 */
export async function grantReading(write: Knex, schema: string, role: string): Promise<void> {
  const { rows } = await write.raw(MISSING, [role, schema]);
  const { usage = false, tables = false, later = false } = rows[0] ?? {};
  if (usage) await write.raw('GRANT USAGE ON SCHEMA ?? TO ??', [schema, role]);
  if (tables) await write.raw('GRANT SELECT ON ALL TABLES IN SCHEMA ?? TO ??', [schema, role]);
  if (later)
    await write.raw('ALTER DEFAULT PRIVILEGES IN SCHEMA ?? GRANT SELECT ON TABLES TO ??', [schema, role]);
}
