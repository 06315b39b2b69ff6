// Owns the measurement of what a request costs beside the database: HTTP, authentication, the phases, the answer.
// A running host in; per kind of request: p50 of the whole, of the time inside PostgreSQL's driver, and the rest.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Client } from 'pg';
import { post } from './post';

export interface RequestCost {
  readonly kind: string;
  readonly totalMs: number;
  readonly databaseMs: number;
  readonly ownMs: number;
}

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const WARM_UP = 200;
const ROUNDS = 1_000;

/** Measures the targets in turns, one request at a time; a bare Express route stands beside them. */
export async function measureRequestCosts(
  targets: Readonly<Record<string, Target>>,
): Promise<readonly RequestCost[]> {
  const bare = await startBareExpress();
  const clock = watchDriver();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const all: Readonly<Record<string, Target>> = { 'bare Express route': bare.target, ...targets };
    const samples = new Map(
      Object.keys(all).map((kind) => [kind, { total: [] as number[], database: [] as number[] }]),
    );
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      for (const [kind, target] of Object.entries(all)) {
        const before = clock.busyMs();
        const started = performance.now();
        const { status } = await post(target, agent);
        const total = performance.now() - started;
        if (status !== 200) throw new Error(`${target.url} answered ${status}.`);
        if (round < 0) continue;
        samples.get(kind)?.total.push(total);
        samples.get(kind)?.database.push(clock.busyMs() - before);
      }
    }
    return [...samples].map(([kind, { total, database }]) => ({
      kind,
      totalMs: median(total),
      databaseMs: median(database),
      ownMs: median(total.map((ms, i) => ms - (database[i] ?? 0))),
    }));
  } finally {
    agent.destroy();
    clock.stop();
    await bare.stop();
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function startBareExpress(): Promise<{ target: Target; stop(): Promise<void> }> {
  const app = express();
  app.use(express.json());
  app.post('/', (_request, response) => {
    response.json({ ok: true });
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    target: {
      url: `http://127.0.0.1:${port}/`,
      headers: { 'Content-Type': 'application/json' },
      body: '{"a": 1}',
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Adds up the wall time in which a statement is under way; right because requests come one at a time. */
export interface DriverWatch {
  /** Wall time with a statement under way, from the first on. */
  busyMs(): number;
  /** The longest statement since this was asked last. */
  longestMs(): number;
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
    busyMs: () => busy,
    longestMs() {
      const answer = longest;
      longest = 0;
      return answer;
    },
    stop: () => {
      Client.prototype.query = original;
    },
  };
}
