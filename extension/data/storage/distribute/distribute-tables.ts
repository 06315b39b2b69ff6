// Distributes the tables across a Citus cluster in one transaction. Tables that are already where they should be are left
// unchanged.
import { type ClientBase, escapeIdentifier, escapeLiteral } from 'pg';
import type { Manifest } from '../../../../manifests/reader/manifest';
import { inTransaction } from '../in-transaction';
import { findObstacles, type Pools } from './obstacles';
import { type PlacedTable, readPlacements } from './placements';

/**
 * Settings for all sessions. With only one connection to each machine, a session has one snapshot there and sees its own
 * changes, and its limits also apply there.
 */
const SETTINGS = {
  'citus.multi_shard_modify_mode': 'sequential',
  'citus.max_adaptive_executor_pool_size': '1',
  'citus.propagate_set_commands': 'local',
};

/** The other tables are colocated with this one, so that all rows of a site are on one machine. */
const FIRST = 'page_view';

/** All tables with their placement before the move, and the reasons why they cannot be distributed, as sentences for the user. */
export async function planDistribution(database: Pools, manifest: Manifest) {
  const { isCitus, obstacles } = await findObstacles(database);
  const tables = await inTransaction(database.write, (client) => readPlacements(client, manifest, isCitus));
  return { obstacles, tables };
}

/** Distributes the tables unless there are obstacles. */
export async function distributeTables(database: Pools, manifest: Manifest) {
  const found = await planDistribution(database, manifest);
  const moved = found.tables.filter(({ wanted, present }) => wanted !== present);
  if (found.obstacles.length === 0 && moved.length > 0)
    await inTransaction(database.write, (client) => moveTables(client, moved));
  return found;
}

async function moveTables(client: ClientBase, moved: readonly PlacedTable[]): Promise<void> {
  await client.query('SET LOCAL citus.enable_unsafe_triggers = on');
  await client.query('SET LOCAL client_min_messages = warning');
  for (const [name, value] of Object.entries(SETTINGS)) {
    await client.query(`SET LOCAL ${name} = ${escapeLiteral(value)}`);
    await client.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${name} = %L', current_database(), ${escapeLiteral(value)}); END $$`,
    );
  }
  await client.query(DISTRIBUTE_FUNCTIONS);
  const { rows: sequences } = await client.query<{ name: string; last: string }>(SEQUENCES);
  const definitions = await dropKeysAndTriggers(client, moved);
  // An earlier version of the program distributed these tables.
  for (const { name } of moved.filter(({ wanted }) => wanted === 'coordinator'))
    await client.query('SELECT undistribute_table($1)', [quoted(name)]);
  for (const { name } of moved.filter(({ wanted }) => wanted === 'everywhere'))
    await client.query('SELECT create_reference_table($1)', [quoted(name)]);
  const bySite = moved.filter(({ wanted }) => wanted === 'by site').map(({ name }) => name);
  const ordered = bySite.toSorted((a, b) => Number(b === FIRST) - Number(a === FIRST));
  for (const name of ordered)
    await client.query("SELECT create_distributed_table($1, 'site_id', colocate_with => $2)", [
      quoted(name),
      name === FIRST ? 'none' : quoted(FIRST),
    ]);
  // Citus recreates import_run, since it refers to a reference table. Without this, its ids would restart at 1.
  for (const { name, last } of sequences) await client.query('SELECT setval($1::regclass, $2)', [name, last]);
  for (const definition of definitions) await client.query(definition);
}

/**
 * Citus copies new functions automatically, but not those that are older than the cluster or that only a
 * trigger's code calls.
 */
const DISTRIBUTE_FUNCTIONS = `
SELECT create_distributed_function(oid::regprocedure) FROM pg_proc WHERE pronamespace = 'analytics'::regnamespace`;

const SEQUENCES = `
SELECT format('%I.%I', schemaname, sequencename) AS name, last_value AS last FROM pg_sequences
 WHERE schemaname = 'analytics' AND last_value IS NOT NULL`;

const quoted = (table: string): string => `analytics.${escapeIdentifier(table)}`;

/**
 * Drops the triggers, which would record the moved rows as changes, and the foreign keys, since each requires both of its tables to be
 * distributed, and Citus cannot convert a table that has an identity column and references a reference table. Returns the statements
 * that recreate them.
 */
async function dropKeysAndTriggers(
  client: ClientBase,
  tables: readonly PlacedTable[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ drop: string; recreate: string }>(KEYS_AND_TRIGGERS, [
    tables.filter(({ wanted }) => wanted !== 'everywhere').map(({ name }) => name),
    tables.map(({ name }) => name),
  ]);
  for (const { drop } of rows) await client.query(drop);
  return rows.map(({ recreate }) => recreate);
}

const KEYS_AND_TRIGGERS = `
SELECT format('ALTER TABLE analytics.%I DROP CONSTRAINT %I', c.relname, f.conname) AS drop,
       format('ALTER TABLE analytics.%I ADD CONSTRAINT %I %s', c.relname, f.conname, pg_get_constraintdef(f.oid)) AS recreate
  FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class r ON r.oid = f.confrelid
 WHERE f.contype = 'f' AND c.relnamespace = 'analytics'::regnamespace AND c.relname = ANY($1)
   AND r.relnamespace = 'analytics'::regnamespace
UNION ALL
SELECT format('DROP TRIGGER %I ON analytics.%I', t.tgname, c.relname), pg_get_triggerdef(t.oid)
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
 WHERE NOT t.tgisinternal AND c.relnamespace = 'analytics'::regnamespace AND c.relname = ANY($2)`;
