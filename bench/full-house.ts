// Measures the server while a crowd of a thousand connections keeps it busy: response times of health checks, and of another
// user's few queries.
// When run as a program, this file sends the requests: those of the crowd, or one that is repeated and timed.
import http from 'node:http';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from './command';
import { type BenchHost, deleteStatusFile, waitForCopy, waitForCounts } from './host';
import { type Answer, send, type Target } from './http-client';
import { runSeparately, workAlone } from './separately';
import { quantile } from './statistics';
import { dashboardTargets } from './throughput';

export interface FullHouse {
  readonly crowd: Outcomes;
  /** An additional client with the key of a user in the crowd, timed in a separate process so that its times do not include the crowd's work. */
  readonly newcomer: Outcomes;
  readonly healthPort: Outcomes;
  readonly mainPort: Outcomes;
  readonly thirdUser: Outcomes;
}

/** `shed`: refused by load shedding. `busy`: refused by the query queue. */
type Outcome = 'answered' | 'shed' | 'busy' | 'failed';
export type Outcomes = Readonly<Partial<Record<Outcome, Latencies>>>;

/** In milliseconds. */
interface Latencies {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

type Task = { readonly crowd: readonly Target[] } | { readonly repeat: Target; readonly everyMs: number };

export const CONNECTIONS = 1_000;
const CROWD_USERS = 2;
const MEASURED_MS = 10_000;
const HEALTH_MS = 50;
const NEWCOMER_MS = 50;
const THIRD_USER_MS = 250;
const WARM_UPS = 10;
/** The crowd represents clients on other machines, so it runs at a lower priority than the server and the timed requests. */
const NICER = 5;
const MAX_NICE = 19;

/** Starts a server on the host's data directory. The host itself must not have the columnar copy open. */
export async function measureFullHouse(host: BenchHost, dataDir: string, cheap: string): Promise<FullHouse> {
  const users = await Promise.all(Array.from({ length: CROWD_USERS }, host.addUser));
  deleteStatusFile(dataDir);
  const server = await startServer(dataDir);
  try {
    await waitForCopy(host.installation.database.write, dataDir);
    await waitForCounts(dataDir);
    const targets = dashboardTargets(host, server.url);
    const crowd = targets.flatMap((target) =>
      users.map((Authorization) => ({ ...target, headers: { ...target.headers, Authorization } })),
    );
    await warmUp(crowd);
    const [ofCrowdUser] = crowd;
    if (ofCrowdUser === undefined) throw new Error('The dashboard has no queries.');
    const run = (task: Task) => runSeparately<Task, Outcomes>(__filename, task);
    const health = (url: string) =>
      run({ repeat: { url: `${url}/healthz`, headers: {} }, everyMs: HEALTH_MS });
    const [ofCrowd, newcomer, healthPort, mainPort, thirdUser] = await Promise.all([
      run({ crowd }),
      run({ repeat: ofCrowdUser, everyMs: NEWCOMER_MS }),
      health(server.healthUrl),
      health(server.url),
      run({ repeat: host.target(cheap, '', server.url), everyMs: THIRD_USER_MS }),
    ]);
    return { crowd: ofCrowd, newcomer, healthPort, mainPort, thirdUser };
  } finally {
    await server.stop();
  }
}

async function warmUp(targets: readonly Target[]): Promise<void> {
  const agent = new http.Agent({ keepAlive: true });
  for (let round = 0; round < WARM_UPS; round += 1) for (const target of targets) await send(target, agent);
  agent.destroy();
}

function startTiming(agent: http.Agent) {
  const times: Record<Outcome, number[]> = { answered: [], shed: [], busy: [], failed: [] };
  return {
    /** Returns how many seconds to wait before the next request. */
    async time(target: Target): Promise<number> {
      const started = performance.now();
      const answer = await send(target, agent).catch(() => undefined);
      times[outcomeOf(answer)].push(performance.now() - started);
      return answer?.retryAfter ?? 0;
    },
    outcomes: (): Outcomes =>
      Object.fromEntries(
        Object.entries(times).flatMap(([outcome, of]) =>
          of.length === 0 ? [] : [[outcome, latenciesOf(of)] as const],
        ),
      ),
  };
}

function outcomeOf(answer: Answer | undefined): Outcome {
  if (answer?.status === 200) return 'answered';
  if (answer?.status !== 503 || answer.retryAfter === 0) return 'failed';
  return answer.text.includes('the server is overloaded') ? 'shed' : 'busy';
}

const latenciesOf = (times: readonly number[]): Latencies => ({
  requests: times.length,
  p50: quantile(times, 0.5),
  p99: quantile(times, 0.99),
  most: Math.max(...times),
});

/** Each client sends one request at a time, and obeys the Retry-After of refused requests. */
async function sendAsCrowd(targets: readonly Target[]): Promise<Outcomes> {
  setPriority(Math.min(getPriority() + NICER, MAX_NICE));
  const agent = new http.Agent({ keepAlive: true, maxFreeSockets: CONNECTIONS });
  const { time, outcomes } = startTiming(agent);
  const end = performance.now() + MEASURED_MS;
  const client = async (number: number): Promise<void> => {
    for (let turn = number; performance.now() < end; turn += 1) {
      const target = targets[turn % targets.length];
      if (target === undefined) return;
      const waitMs = 1_000 * (await time(target));
      await pause(Math.min(waitMs, Math.max(0, end - performance.now())));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, number) => client(number)));
  agent.destroy();
  return outcomes();
}

/** Sends the request at regular intervals on new connections, without waiting for earlier responses. */
async function sendRegularly(target: Target, everyMs: number): Promise<Outcomes> {
  const { time, outcomes } = startTiming(new http.Agent());
  const sent: Promise<number>[] = [];
  const begin = performance.now();
  for (let due = 0; due < MEASURED_MS; due += everyMs) {
    await pause(Math.max(0, begin + due - performance.now()));
    sent.push(time(target));
  }
  await Promise.all(sent);
  return outcomes();
}

if (require.main === module)
  workAlone((task: Task) =>
    'crowd' in task ? sendAsCrowd(task.crowd) : sendRegularly(task.repeat, task.everyMs),
  );
