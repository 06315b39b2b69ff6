// Measures how long statements take in both engines' drivers. The results are correct only if requests are sent one at a time.
import { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { Client, Query } from 'pg';

/** Milliseconds. */
export interface EngineShare {
  /** Time during which a statement on the columnar copy was being prepared or run. */
  readonly columnsMs: number;
  /** The longest PostgreSQL statement, which is the query itself if it is answered from rows. */
  readonly rowsMs: number;
  /** Time during which any PostgreSQL statement was running, including those for authentication and data versions. */
  readonly postgresMs: number;
}

export interface EngineWatch {
  /** Starts measuring; the returned function returns each engine's share of the time since then. */
  measure(): () => EngineShare;
  stop(): void;
}

/** Adds up the time during which at least one of its tasks is running. */
function stopwatch() {
  let busy = 0;
  let running = 0;
  let since = 0;
  let longest = 0;
  return {
    begin(): () => void {
      const started = performance.now();
      if (running++ === 0) since = started;
      return () => {
        const now = performance.now();
        longest = Math.max(longest, now - started);
        if (--running === 0) busy += now - since;
      };
    },
    measure(): () => { readonly allMs: number; readonly longestMs: number } {
      const before = busy;
      longest = 0;
      return () => ({ allMs: busy - before, longestMs: longest });
    },
  };
}

export function watchEngines(): EngineWatch {
  const postgres = stopwatch();
  const duckdb = stopwatch();
  const { query } = Client.prototype;
  const watchedQuery = function (this: Client, ...args: unknown[]): unknown {
    const end = postgres.begin();
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      args[args.length - 1] = (...answer: unknown[]) => {
        end();
        return callback(...answer);
      };
      return Reflect.apply(query, this, args);
    }
    const answer: unknown = Reflect.apply(query, this, args);
    if (answer instanceof Promise) answer.then(end, end);
    else if (answer instanceof Query) answer.once('end', end).once('error', end);
    else end();
    return answer;
  };
  Client.prototype.query = watchedQuery as typeof query;
  const during = <T>(work: Promise<T>, end: () => void): Promise<T> => {
    work.then(end, end);
    return work;
  };
  const { prepare } = DuckDBConnection.prototype;
  DuckDBConnection.prototype.prepare = function (...args) {
    const end = duckdb.begin();
    return during(prepare.apply(this, args), end);
  };
  const { run } = DuckDBPreparedStatement.prototype;
  DuckDBPreparedStatement.prototype.run = function (...args) {
    const end = duckdb.begin();
    return during(run.apply(this, args), end);
  };
  return {
    measure() {
      const shareOfPostgres = postgres.measure();
      const shareOfDuckdb = duckdb.measure();
      return () => {
        const { allMs: postgresMs, longestMs: rowsMs } = shareOfPostgres();
        return { columnsMs: shareOfDuckdb().allMs, rowsMs, postgresMs };
      };
    },
    stop() {
      Client.prototype.query = query;
      DuckDBConnection.prototype.prepare = prepare;
      DuckDBPreparedStatement.prototype.run = run;
    },
  };
}
