import type { Knex } from 'knex';
import { type ReadPool, unknownRoles, unknownRolesMessage } from '../../../../host-shim/extension-api';

interface Nodes {
  readonly workers: number;
  readonly hasCoordinator: boolean;
}

const NO_CITUS =
  'Citus is not installed in this database. On every machine: install its package, add it to shared_preload_libraries, ' +
  'restart, and run CREATE EXTENSION citus in a database with this name (docs/how-to/several-machines.md).';

/** Both roles must be known to the workers. A database with a single role has no `read`. */
export interface Pools {
  readonly write: Knex;
  readonly read?: ReadPool | undefined;
}

/** Finds reasons why the tables cannot be distributed, as sentences that explain what to do. */
export async function findObstacles(
  database: Pools,
): Promise<{ readonly isCitus: boolean; readonly obstacles: readonly string[] }> {
  const { write } = database;
  const { rows }: { rows: unknown[] } = await write.raw("SELECT FROM pg_extension WHERE extname = 'citus'");
  const isCitus = rows.length === 1;
  const obstacles = isCitus ? await obstaclesOfCluster(database) : [NO_CITUS];
  return { isCitus, obstacles: [...obstacles, ...(await obstaclesOfSessions(write))] };
}

async function obstaclesOfCluster(database: Pools): Promise<readonly string[]> {
  const ofNodes = await obstaclesOfNodes(database.write);
  if (ofNodes.length > 0) return ofNodes;
  const ofRoles = await obstaclesOfRoles(database);
  return ofRoles.length > 0 ? ofRoles : obstaclesOfLogins(database);
}

async function obstaclesOfNodes(write: Knex): Promise<readonly string[]> {
  const { rows }: { rows: Nodes[] } = await write.raw(
    `SELECT count(*) FILTER (WHERE groupid > 0 AND isactive AND shouldhaveshards)::int AS workers,
            coalesce(bool_or(groupid = 0), false) AS "hasCoordinator"
       FROM pg_dist_node WHERE noderole = 'primary'`,
  );
  const { workers, hasCoordinator } = rows[0] ?? { workers: 0, hasCoordinator: false };
  return [
    ...(hasCoordinator
      ? []
      : ["Citus has no coordinator yet. Run  SELECT citus_set_coordinator_host('<its address>')."]),
    ...(workers > 0 ? [] : ["There is no worker yet. Run  SELECT citus_add_node('<its address>', 5432)."]),
  ];
}

interface NamedRole {
  readonly role: string;
}

const ROLE = 'SELECT current_user AS role';

async function obstaclesOfRoles({ write, read }: Pools): Promise<readonly string[]> {
  const [reader] = (await read?.query<NamedRole>({ text: ROLE })) ?? [];
  const unknown = await unknownRoles(write, reader?.role ?? '');
  return unknown.length === 0 ? [] : [unknownRolesMessage(unknown)];
}

interface RefusedLogin extends NamedRole {
  readonly place: string;
}

/** Finds the workers to which the coordinator cannot connect as the current user. */
const REFUSED = `SELECT current_user AS role, nodename || ':' || nodeport AS place FROM pg_dist_node
  WHERE groupid > 0 AND isactive AND noderole = 'primary' AND NOT citus_check_connection_to_node(nodename, nodeport)`;

async function obstaclesOfLogins({ write, read }: Pools): Promise<readonly string[]> {
  const ofOwner: { rows: RefusedLogin[] } = await write.raw(REFUSED);
  const ofReader = (await read?.query<RefusedLogin>({ text: REFUSED })) ?? [];
  return [...ofOwner.rows, ...ofReader].map(
    ({ role, place }) =>
      `The coordinator cannot connect to ${place} as ${role}: check that machine, its pg_hba.conf, and the coordinator's .pgpass.`,
  );
}

/** Running programs would not notice the change. They are recognized by their connections, which are older than this one. */
async function obstaclesOfSessions(write: Knex): Promise<readonly string[]> {
  const { rows }: { rows: { programs: number }[] } = await write.raw(
    `SELECT count(DISTINCT (client_addr, application_name))::int AS programs FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'qal %'
        AND backend_start < (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())`,
  );
  return rows[0]?.programs === 0
    ? []
    : ['Other programs of this installation are using the database. Stop its servers and imports first.'];
}
