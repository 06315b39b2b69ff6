// Databases in one embedded cluster.
import type { Knex } from 'knex';
import { Client } from 'pg';
import { type EmbeddedServer, startEmbeddedServer } from '../../db/embedded/server';
import { migrate } from '../../db/migrate';
import { openWritePool } from '../../db/write-pool';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { PRODUCT } from '../../host-shim/main';
import { configure } from '../../host-shim/server/config';
import { schemasOf } from '../../host-shim/server/installation';

export const SITE = 'bench';

export interface Cluster {
  readonly postmaster: number;
  /** A new database with one site that has a goal. `more` is SQL that changes the database's tables. */
  create(name: string, more?: string): Promise<Knex>;
  stop(): Promise<void>;
}

const TEMPLATE = 'bench_template';

const raise = (error: Error): void => {
  throw error;
};

/** Starts the server for a directory, and creates a migrated template database. */
export async function startCluster(dataDir: string): Promise<Cluster> {
  const server = await startEmbeddedServer({ dataDir, onError: raise });
  const pools: Knex[] = [];
  const open = (database: string): Knex => {
    const pool = openWritePool({
      connection: { connectionString: urlOf(server, database) },
      name: 'qal bench',
      settings: { timezone: 'UTC', jit: 'off', temp_buffers: '32MB' },
      poolMax: 4,
      onPoolError: raise,
    });
    pools.push(pool);
    return pool;
  };
  const asOwner = async (sql: string): Promise<void> => {
    const client = new Client({ connectionString: urlOf(server, server.connection.database) });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await asOwner(`CREATE ROLE bench_reader`);
  await asOwner(`CREATE DATABASE ${TEMPLATE}`);
  const template = open(TEMPLATE);
  await migrate(template, schemasOf(configure(PRODUCT.extensions, {}).extensions), 'bench_reader');
  await template.destroy();
  return {
    postmaster: server.postmasterPid,
    async create(name, more = '') {
      await asOwner(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await asOwner(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
      const write = open(name);
      if (more !== '') await write.raw(more);
      await applySites(write, {
        sites: [
          {
            tracking_id: SITE,
            domain: 'demo.example',
            name: SITE,
            timezone: 'UTC',
            goals: [{ id: 1, name: 'Thanks', type: 'url_match', condition: 'thanks' }],
          },
        ],
      });
      // With the same secret, the same visitor ids are generated in every database.
      await write.raw(
        `INSERT INTO analytics.import_rules (site_id, visitor_secret) SELECT site_id, 'a shared secret' FROM analytics.site
         ON CONFLICT (site_id) DO UPDATE SET visitor_secret = excluded.visitor_secret`,
      );
      return write;
    },
    async stop() {
      await Promise.all(pools.map((pool) => pool.destroy()));
      await server.stop();
    },
  };
}

const urlOf = ({ connection }: EmbeddedServer, database: string): string =>
  `postgresql://${connection.user}@localhost/${database}?${new URLSearchParams({ host: connection.host, port: String(connection.port) })}`;
