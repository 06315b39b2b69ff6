// Measures the first fill of the columnar copy while a client sends queries.
import { rmSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { columnsFolder } from '../extension/query/columns/columns-of-server';
import type { BenchHost, CopyFilled } from './host';
import { send, type Target } from './http-client';
import { quantile } from './statistics';

export interface Fill extends CopyFilled {
  /** The latencies of the client's queries during the fill, in milliseconds. */
  readonly meanwhile: {
    readonly requests: number;
    readonly errors: number;
    readonly p50: number;
    readonly most: number;
  };
}

const PAUSE_MS = 200;

/** Deletes the copy and measures how long a new one takes. */
export async function measureFill(host: BenchHost, dataDir: string, target: Target): Promise<Fill> {
  rmSync(columnsFolder(dataDir), { recursive: true, force: true });
  const agent = new http.Agent({ keepAlive: true });
  const times: number[] = [];
  let errors = 0;
  const filled = new AbortController();
  const client = (async () => {
    while (!filled.signal.aborted) {
      const started = performance.now();
      const { status } = await send(target, agent);
      if (status === 200) times.push(performance.now() - started);
      else errors += 1;
      await pause(PAUSE_MS);
    }
  })();
  try {
    const filledCopy = await host.fillColumns();
    const meanwhile = { requests: times.length, errors, p50: quantile(times, 0.5), most: Math.max(...times) };
    return { ...filledCopy, meanwhile };
  } finally {
    filled.abort();
    await client;
    agent.destroy();
  }
}
