// Watches PostgreSQL's driver. Right only while requests come one at a time.
import { Client } from 'pg';

/** Milliseconds. */
export interface DatabaseShare {
  /** With any statement under way, including those of authentication and scope. */
  readonly allMs: number;
  /** The longest statement: the query itself. */
  readonly queryMs: number;
}

export interface DriverWatch {
  /** Starts to measure; the returned function gives the database's share since then. */
  measure(): () => DatabaseShare;
  stop(): void;
}

export function watchDriver(): DriverWatch {
  const original = Client.prototype.query;
  let busy = 0;
  let running = 0;
  let since = 0;
  let longest = 0;
  const begin = (): (() => void) => {
    const started = performance.now();
    if (running++ === 0) since = started;
    return () => {
      const now = performance.now();
      longest = Math.max(longest, now - started);
      if (--running === 0) busy += now - since;
    };
  };
  const watched = function (this: Client, ...args: unknown[]): unknown {
    const end = begin();
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      args[args.length - 1] = (...answer: unknown[]) => {
        end();
        return callback(...answer);
      };
      return Reflect.apply(original, this, args);
    }
    const answer: unknown = Reflect.apply(original, this, args);
    if (answer instanceof Promise) answer.then(end, end);
    else end();
    return answer;
  };
  Client.prototype.query = watched as typeof original;
  return {
    measure() {
      const before = busy;
      longest = 0;
      return () => ({ allMs: busy - before, queryMs: longest });
    },
    stop() {
      Client.prototype.query = original;
    },
  };
}
