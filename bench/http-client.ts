// The benchmark's HTTP client.
import http from 'node:http';
import { median } from './statistics';

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request over a connection of the agent, and reads the whole response. */
export function post(
  { url, headers, body }: Target,
  agent: http.Agent,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', headers, agent }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

export interface Times {
  readonly firstMs: number;
  readonly usualMs: number;
}

export type NamedTimes = Times & { readonly name: string };

/** Milliseconds of the first execution, and the median of `rounds` further ones. */
export async function timeRounds(rounds: number, run: () => Promise<void>): Promise<Times> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
  }
  return { firstMs: times[0] ?? 0, usualMs: median(times.slice(1)) };
}

/** The same of a request, from its start to the last byte of the response. Throws on any status but 200. */
export async function timeRequest(target: Target, rounds: number): Promise<Times> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    return await timeRounds(rounds, async () => {
      const { status, text } = await post(target, agent);
      if (status !== 200) throw new Error(`${target.url} answered ${status}: ${text}`);
    });
  } finally {
    agent.destroy();
  }
}
