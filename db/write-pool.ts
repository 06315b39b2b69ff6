// The pool of Knex, which may write.
import knex, { type Knex } from 'knex';
import type { PoolClient } from 'pg';
import { OLDEST_SERVER } from './check-server';
import { openConnections } from './open-connections';
import { clientConfig, currentPlace, PATIENCE_SECONDS, type PoolOptions } from './pool-options';

export function openWritePool(options: PoolOptions, connections = openConnections(options)): Knex {
  const prepare = (client: PoolClient, done: (error: Error | null, client: PoolClient) => void) => {
    connections.add(client).then(
      () => done(null, client),
      (error) => done(error, client),
    );
  };
  return knex({
    client: 'pg',
    // Knex would ask each pool's first connection for it, before that connection is watched.
    version: String(OLDEST_SERVER),
    connection() {
      const place = currentPlace(options);
      return { ...clientConfig(options), expirationChecker: () => currentPlace(options) !== place };
    },
    // One connection stays open: a new one would have to read the catalog again.
    pool: { min: 1, max: options.poolMax, afterCreate: prepare },
    acquireConnectionTimeout: PATIENCE_SECONDS * 1000,
    // Knex would print warnings to the console; it throws them as errors, too.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
}

function ignore(): void {}
