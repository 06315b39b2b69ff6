// The pool for writing. Knex builds the statements, which run on connections from this pool.
import knex, { type Knex } from 'knex';
import type { QueryResult } from 'pg';
import type { ConnectionPool, PooledConnection } from './connection-pool';
import { openPool, type PooledClient } from './open-pool';
import type { PoolOptions } from './pool-options';

const pools = new WeakMap<Knex.Client, ConnectionPool>();
const connections = new WeakMap<Knex.Client, PooledConnection>();
/** Connections on which a rollback failed. */
const unusable = new WeakSet<PooledConnection>();

export function openWritePool(options: PoolOptions): Knex {
  const pool = openPool(options);
  const borrow: Borrow = async (work) => {
    const client = await pool.acquire();
    try {
      return await work(client);
    } finally {
      client.release(unusable.has(client));
    }
  };
  const write = statementsOn(borrow, TRANSACTION);
  write.client.destroy = pool.end;
  pools.set(write.client, pool);
  return write;
}

export function poolOf({ client }: Knex): ConnectionPool {
  const pool = pools.get(client);
  if (pool === undefined) throw new Error('A transaction has one connection and no pool.');
  return pool;
}

export function connectionOf({ client }: Knex): PooledConnection {
  const connection = connections.get(client);
  if (connection === undefined) throw new Error('There is no dedicated connection outside a transaction.');
  return connection;
}

type Borrow = <T>(work: (client: PooledClient) => Promise<T>) => Promise<T>;

const TRANSACTION = { begin: 'BEGIN', commit: 'COMMIT', rollback: 'ROLLBACK' };
const SAVEPOINT = { begin: 'SAVEPOINT nested', commit: 'RELEASE nested', rollback: 'ROLLBACK TO nested' };

/** A Knex instance that runs statements and transactions on connections from `borrow`. `outer` also emits their events. */
function statementsOn(borrow: Borrow, steps: typeof TRANSACTION, outer?: Knex.Client): Knex {
  const statements = knex({ client: 'pg', log: SILENT });
  const compiler: Compiler = statements.client;
  if (outer !== undefined) compiler.on('query', (query) => outer.emit('query', query));
  return Object.assign(statements, {
    client: Object.assign(compiler, {
      runner: (built: Built) => ({ run: () => borrow((client) => execute(client, built, compiler)) }),
      transaction: <T>(work: (transaction: Knex) => Promise<T>, config: Knex.TransactionConfig) =>
        borrow((client) =>
          transact(client, { ...steps, begin: steps.begin + modeOf(config) }, work, compiler),
        ),
    }),
  });
}

interface Built {
  toSQL(): Knex.Sql;
}

/** Knex's types lack this method. */
interface Compiler extends Knex.Client {
  processResponse(statement: Knex.Sql & { readonly response: QueryResult }): unknown;
}

/** Knex's compiler extracts the result that the builder requested. */
async function execute(client: PooledClient, built: Built, compiler: Compiler): Promise<unknown> {
  const compiled = built.toSQL();
  const { sql: text, bindings } = compiled.toNative();
  compiler.emit('query', { sql: text });
  const response = await client.query({ text, values: [...bindings] });
  return compiler.processResponse({ ...compiled, response });
}

async function transact<T>(
  client: PooledClient,
  { begin, commit, rollback }: typeof TRANSACTION,
  work: (transaction: Knex) => Promise<T>,
  outer: Knex.Client,
): Promise<T> {
  let isOver = false;
  const lend: Borrow = async (inner) => {
    if (isOver) throw new Error('The transaction is over.');
    return inner(client);
  };
  const transaction = statementsOn(lend, SAVEPOINT, outer);
  connections.set(transaction.client, client);
  try {
    await client.query(begin);
    const result = await work(transaction);
    await client.query(commit);
    return result;
  } catch (error) {
    // The first failure is thrown. A connection that cannot roll back is closed instead of reused.
    await client.query(rollback).catch(() => unusable.add(client));
    throw error;
  } finally {
    isOver = true;
  }
}

const modeOf = ({ isolationLevel, readOnly }: Knex.TransactionConfig): string =>
  `${isolationLevel === undefined ? '' : ` ISOLATION LEVEL ${isolationLevel}`}${readOnly === true ? ' READ ONLY' : ''}`;

// Prevents Knex from printing to the console. It also throws the errors that it would print.
const SILENT = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore };

function ignore(): void {}
