// Watches a pool's open connections. If a server behind a proxy or firewall dies, its connections may stay open. A connection
// is also silent during a long statement, so a separate connection checks whether the statement is still running.
import { Socket } from 'node:net';
import { Client, type ClientBase, DatabaseError } from 'pg';
import { askingConfig, type PoolOptions, settingsStatement, silenceOf } from './pool-options';
import { onSeparateConnection } from './separate-connection';

export interface OpenConnections {
  add(client: ClientBase): Promise<void>;
  pidOf(client: ClientBase): number;
  /** Closes a connection immediately; its statement fails with ServerSilent. */
  drop(client: ClientBase): void;
  /** Waits for the pool to end, and after a time limit closes the remaining connections by force. */
  close(closing: Promise<unknown>): Promise<void>;
}

export class ServerSilent extends Error {
  override readonly name = 'ServerSilent';
  constructor() {
    super('The database stopped responding on an open connection.');
  }
}

interface Watched {
  readonly socket: Socket;
  pid: number;
  /** The number of bytes sent when the server was last ready. If more have been sent, a response is due. */
  sentWhenReady: number;
  received: number;
  waitingSince: number | undefined;
  /** The last check found no running statement, but the response may have been in transit. */
  isSuspect: boolean;
}

const CHECKS_PER_SILENCE = 4;
/** Time limits for ending a pool, normally and by force. */
const CLOSE_MS = 5_000;
const FORCED_CLOSE_MS = 2_000;

export function openConnections(options: PoolOptions): OpenConnections {
  const silenceMs = silenceOf(options);
  const watched = new Map<ClientBase, Watched>();
  let isChecking = false;
  const timer = setInterval(check, silenceMs / CHECKS_PER_SILENCE).unref();
  if ('onMove' in options.connection) options.connection.onMove(dropAll);

  function dropAll(): void {
    for (const { socket } of watched.values()) socket.destroy(new ServerSilent());
  }

  function watch(client: ClientBase): Watched | undefined {
    if (!(client instanceof Client) || !(client.connection.stream instanceof Socket)) return undefined;
    const { stream: socket } = client.connection;
    const one: Watched = {
      socket,
      pid: 0,
      sentWhenReady: 0,
      received: 0,
      waitingSince: undefined,
      isSuspect: false,
    };
    // Prepended, because pg's own listener sends the next statement. A `data` listener would bypass pg while rows are copied.
    client.connection.prependListener('readyForQuery', () => {
      one.sentWhenReady = socket.bytesWritten;
    });
    watched.set(client, one);
    client.once('end', () => watched.delete(client));
    return one;
  }

  function isSilent(one: Watched, now: number): boolean {
    const { bytesRead, bytesWritten } = one.socket;
    if (bytesWritten === one.sentWhenReady || bytesRead !== one.received) {
      one.received = bytesRead;
      one.waitingSince = undefined;
      one.isSuspect = false;
      return false;
    }
    one.waitingSince ??= now;
    return now - one.waitingSince >= silenceMs;
  }

  async function check(): Promise<void> {
    const now = performance.now();
    const silent = [...watched.values()].filter((one) => isSilent(one, now));
    if (isChecking || silent.length === 0) return;
    isChecking = true;
    const pids = silent.map(({ pid }) => pid);
    const active = await findActive(options, pids);
    isChecking = false;
    for (const one of silent) {
      if (!isSilent(one, performance.now())) continue;
      if (active.includes(one.pid)) {
        one.waitingSince = undefined;
        one.isSuspect = false;
      } else if (one.isSuspect) one.socket.destroy(new ServerSilent());
      else one.isSuspect = true;
    }
  }

  return {
    async add(client) {
      client.on('error', options.onPoolError);
      const one = watch(client);
      await client.query(settingsStatement(options));
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      if (one !== undefined) one.pid = rows[0]?.pid ?? 0;
    },
    pidOf: (client) => watched.get(client)?.pid ?? 0,
    drop: (client) => watched.get(client)?.socket.destroy(new ServerSilent()),
    async close(closing) {
      let late: NodeJS.Timeout | undefined;
      const givenUp = new Promise<void>((resolve) => {
        late = setTimeout(
          () => {
            dropAll();
            late = setTimeout(resolve, FORCED_CLOSE_MS);
          },
          Math.min(CLOSE_MS, silenceMs),
        );
      });
      // pg does not wait for its connections to close.
      const ends = [...watched.keys()].map((client) => new Promise((resolve) => client.once('end', resolve)));
      await Promise.race([Promise.all([closing, ...ends]), givenUp]).finally(() => {
        clearTimeout(late);
        clearInterval(timer);
      });
    },
  };
}

/** Returns the processes that are running a statement, or all of them if the server rejects this query, since the server is then alive. */
const findActive = (options: PoolOptions, pids: readonly number[]): Promise<readonly number[]> =>
  onSeparateConnection(askingConfig(options), async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state = 'active'",
      [pids],
    );
    return rows.map(({ pid }) => pid);
  }).catch((error: unknown) => (error instanceof DatabaseError ? pids : []));
