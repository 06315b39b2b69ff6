// What a request costs besides the database: HTTP, authentication, the phases, the response.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { post, type Target } from './http-client';
import { median } from './statistics';
import { watchDriver } from './watch-driver';

/** Medians in milliseconds: the whole, the time with a statement under way, and the rest. */
export interface RequestCost {
  readonly kind: string;
  readonly totalMs: number;
  readonly databaseMs: number;
  readonly ownMs: number;
}

const WARM_UP = 200;
const ROUNDS = 1_000;

/** Measures the targets in turns, one request at a time, and a bare Express route for comparison. */
export async function measureRequestCosts(
  targets: Readonly<Record<string, Target>>,
): Promise<readonly RequestCost[]> {
  const bare = await startBareExpress();
  const driver = watchDriver();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const all: Readonly<Record<string, Target>> = { 'bare Express route': bare.target, ...targets };
    const samples = new Map(
      Object.keys(all).map((kind) => [kind, { total: [] as number[], database: [] as number[] }]),
    );
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      for (const [kind, target] of Object.entries(all)) {
        const share = driver.measure();
        const started = performance.now();
        const { status } = await post(target, agent);
        const total = performance.now() - started;
        if (status !== 200) throw new Error(`${target.url} answered ${status}.`);
        if (round < 0) continue;
        samples.get(kind)?.total.push(total);
        samples.get(kind)?.database.push(share().allMs);
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
    driver.stop();
    await bare.stop();
  }
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
