// Divides the tables over the machines of a Citus, in one transaction. What is divided already stays as it is.
import type { Knex } from 'knex';
import { type ClientBase, escapeIdentifier, escapeLiteral } from 'pg';
import type { Manifest } from '../../../../manifests/reader/manifest';
import { inTransaction } from '../in-transaction';
import { findObstacles } from './obstacles';
import { type PlacedTable, readPlacements } from './placements';

/**
 * Of every session of the database: it keeps to one connection to each machine, so that it has one snapshot there and sees its own
 * changes, and its limits hold there too.
 */
const SETTINGS = {
  'citus.multi_shard_modify_mode': 'sequential',
  'citus.max_adaptive_executor_pool_size': '1',
  'citus.propagate_set_commands': 'local',
};

/** The others lie beside it: all rows of a site are on one machine. */
const FIRST = 'page_view';

interface Distribution {
  /** Sentences: why nothing can be divided. */
  readonly obstacles: readonly string[];
  /** Every table, as it lies before anything is done. */
  readonly tables: readonly PlacedTable[];
}

/** What there is to do. */
export const planDistribution = (write: Knex, manifest: Manifest): Promise<Distribution> =>
  inTransaction(write, (client) => plan(client, manifest));

/** Does it, unless there are obstacles. */
export const distributeTables = (write: Knex, manifest: Manifest): Promise<Distribution> =>
  inTransaction(write, async (client) => {
    const found = await plan(client, manifest);
    const moved = found.tables.filter(({ wanted, present }) => wanted !== present);
    if (found.obstacles.length === 0 && moved.length > 0) await moveTables(client, moved);
    return found;
  });

async function plan(client: ClientBase, manifest: Manifest): Promise<Distribution> {
  const { isCitus, obstacles } = await findObstacles(client);
  return { obstacles, tables: await readPlacements(client, manifest, isCitus) };
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
  const { rows: sequences } = await client.query<{ name: string; last: string }>(SEQUENCES);
  const triggers = await takeTriggers(client, moved);
  const keys = await takeKeys(client, moved);
  for (const { name } of moved.filter(({ wanted }) => wanted === 'everywhere'))
    await client.query('SELECT create_reference_table($1)', [quoted(name)]);
  const bySite = moved.filter(({ wanted }) => wanted === 'by site').map(({ name }) => name);
  const ordered = bySite.toSorted((a, b) => Number(b === FIRST) - Number(a === FIRST));
  for (const name of ordered)
    await client.query("SELECT create_distributed_table($1, 'site_id', colocate_with => $2)", [
      quoted(name),
      name === FIRST ? 'none' : quoted(FIRST),
    ]);
  // Citus makes the table of imports anew, which refers to a shared one; its numbers would begin again.
  for (const { name, last } of sequences) await client.query('SELECT setval($1::regclass, $2)', [name, last]);
  // What triggers call by name in their code, Citus does not find by itself.
  await client.query("SELECT create_distributed_function('analytics.is_divided()')");
  for (const definition of [...keys, ...triggers]) await client.query(definition);
}

const SEQUENCES = `
SELECT format('%I.%I', schemaname, sequencename) AS name, last_value AS last FROM pg_sequences
 WHERE schemaname = 'analytics' AND last_value IS NOT NULL`;

const quoted = (table: string): string => `analytics.${escapeIdentifier(table)}`;

/** Takes the triggers away, since they would note the rows that move. Gives the statements that make them again. */
async function takeTriggers(client: ClientBase, tables: readonly PlacedTable[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ table: string; trigger: string; definition: string }>(
    `SELECT c.relname AS table, t.tgname AS trigger, pg_get_triggerdef(t.oid) AS definition
       FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE NOT t.tgisinternal AND c.relnamespace = 'analytics'::regnamespace AND c.relname = ANY($1) ORDER BY 1, 2`,
    [tables.map(({ name }) => name)],
  );
  for (const { table, trigger } of rows)
    await client.query(`DROP TRIGGER ${escapeIdentifier(trigger)} ON ${quoted(table)}`);
  return rows.map(({ definition }) => definition);
}

/** Takes the foreign keys between tables that are divided: one can refer to another only once both are. */
async function takeKeys(client: ClientBase, tables: readonly PlacedTable[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ table: string; key: string; definition: string }>(
    `SELECT c.relname AS table, f.conname AS key, pg_get_constraintdef(f.oid) AS definition
       FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class r ON r.oid = f.confrelid
      WHERE f.contype = 'f' AND c.relnamespace = 'analytics'::regnamespace AND c.relname = ANY($1)
        AND r.relnamespace = 'analytics'::regnamespace AND r.relname = ANY($1)`,
    [tables.filter(({ wanted }) => wanted === 'by site').map(({ name }) => name)],
  );
  for (const { table, key } of rows)
    await client.query(`ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${escapeIdentifier(key)}`);
  return rows.map(
    ({ table, key, definition }) =>
      `ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${escapeIdentifier(key)} ${definition}`,
  );
}
