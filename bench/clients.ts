// The program that plays several clients at once, in a process of its own, so that their work is not the measured one's.
// Told by a message what to send and for how long; answers with the latencies in milliseconds and the number of errors.
import http from 'node:http';
import { post } from './post';
import type { Target } from './request-cost';

export interface ClientsWish {
  readonly targets: readonly Target[];
  readonly clients: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

export interface ClientsAnswer {
  readonly times: readonly number[];
  readonly errors: number;
  readonly seconds: number;
}

async function play({ targets, clients, warmUpMs, measuredMs }: ClientsWish): Promise<ClientsAnswer> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  let errors = 0;
  const begin = performance.now() + warmUpMs;
  const end = begin + measuredMs;
  const client = async (number: number): Promise<void> => {
    for (let turn = number; performance.now() < end; turn += 1) {
      const target = targets[turn % targets.length];
      if (target === undefined) return;
      const started = performance.now();
      const { status } = await post(target, agent);
      if (started < begin) continue;
      if (status === 200) times.push(performance.now() - started);
      else errors += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  } finally {
    agent.destroy();
  }
  return { times, errors, seconds: (performance.now() - begin) / 1000 };
}

process.once('message', (wish: ClientsWish) => {
  play(wish).then(
    (answer) => process.send?.(answer, () => process.disconnect()),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
