import type { ClientBase } from 'pg';

interface Nodes {
  readonly workers: number;
  readonly hasCoordinator: boolean;
  readonly isHere: boolean;
}

const NO_CITUS =
  'Citus is not installed in this database. On every machine: install its package, add it to shared_preload_libraries, ' +
  'restart, and run CREATE EXTENSION citus in a database with this name (docs/how-to/several-machines.md).';

/** Finds reasons why the tables cannot be distributed, as sentences that say what to do. */
export async function findObstacles(
  client: ClientBase,
): Promise<{ readonly isCitus: boolean; readonly obstacles: readonly string[] }> {
  const { rowCount } = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  const isCitus = rowCount === 1;
  const obstacles = isCitus ? await obstaclesOfNodes(client) : [NO_CITUS];
  return { isCitus, obstacles: [...obstacles, ...(await obstaclesOfSessions(client))] };
}

async function obstaclesOfNodes(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<Nodes>(
    `SELECT count(*) FILTER (WHERE groupid > 0 AND isactive AND shouldhaveshards)::int AS workers,
            coalesce(bool_or(groupid = 0), false) AS "hasCoordinator",
            (SELECT groupid = 0 FROM pg_dist_local_group) AS "isHere"
       FROM pg_dist_node WHERE noderole = 'primary'`,
  );
  const { workers, hasCoordinator, isHere } = rows[0] ?? { workers: 0, hasCoordinator: false, isHere: false };
  if (!isHere) return ['This is a Citus worker. DATABASE_URL must be the address of the coordinator.'];
  return [
    ...(hasCoordinator
      ? []
      : ["Citus has no coordinator yet. Run  SELECT citus_set_coordinator_host('<its address>')."]),
    ...(workers > 0 ? [] : ["There is no worker yet. Run  SELECT citus_add_node('<its address>', 5432)."]),
  ];
}

/** Running programs would not notice the change. They are recognized by connections that are older than this one. */
async function obstaclesOfSessions(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ programs: number }>(
    `SELECT count(DISTINCT (client_addr, application_name))::int AS programs FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'qal %'
        AND backend_start < (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())`,
  );
  return rows[0]?.programs === 0
    ? []
    : ['Other programs of this installation are using the database. Stop its servers and imports first.'];
}
