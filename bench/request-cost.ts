// Measures the cost of a request excluding the engine: HTTP, authentication, data versions, the query phases,
// and the response.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { send, type Target } from './http-client';
import { median } from './statistics';
import { watchEngines } from './watch-engines';

/** Medians in milliseconds. */
export interface RequestCost {
  readonly kind: string;
  readonly totalMs: number;
  /** The time spent on the statement in the columnar copy. */
  readonly engineMs: number;
  /** The time spent on all statements in PostgreSQL, which is part of `ownMs`. */
  readonly postgresMs: number;
  /** The total time without the engine. */
  readonly ownMs: number;
}

/** A route that does nothing, for comparison. */
export const BARE_ROUTE = 'bare Express route';

const WARM_UP = 200;
const ROUNDS = 1_000;

/** Sends requests to the targets and, for comparison, to a bare Express route: alternately, one at a time. */
export async function measureRequestCosts(
  targets: Readonly<Record<string, Target>>,
): Promise<readonly RequestCost[]> {
  const bare = await startBareExpress();
  const watch = watchEngines();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const all: Readonly<Record<string, Target>> = { [BARE_ROUTE]: bare.target, ...targets };
    const samples = new Map(Object.keys(all).map((kind) => [kind, emptySamples()]));
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      for (const [kind, target] of Object.entries(all)) {
        const share = watch.measure();
        const started = performance.now();
        const { status } = await send(target, agent);
        const total = performance.now() - started;
        if (status !== 200) throw new Error(`${target.url} returned status ${status}.`);
        if (round < 0) continue;
        samples.get(kind)?.total.push(total);
        const { columnsMs, postgresMs } = share();
        samples.get(kind)?.engine.push(columnsMs);
        samples.get(kind)?.postgres.push(postgresMs);
      }
    }
    return [...samples].map(([kind, { total, engine, postgres }]) => ({
      kind,
      totalMs: median(total),
      engineMs: median(engine),
      postgresMs: median(postgres),
      ownMs: median(total.map((ms, i) => ms - (engine[i] ?? 0))),
    }));
  } finally {
    agent.destroy();
    watch.stop();
    await bare.stop();
  }
}

const emptySamples = (): Record<'total' | 'engine' | 'postgres', number[]> => ({
  total: [],
  engine: [],
  postgres: [],
});

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
