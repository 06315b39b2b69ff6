// Starts the thread that answers health checks while the main thread is busy, and answers that thread's questions.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Log } from '../extension-api';
import { urlOf, withoutBrackets } from '../server/http-server';
import { explainListenError } from '../server/listen-error';
import type { FirstMessage, MainMessage, Question, ThreadOptions } from './health-thread';
import type { Probes } from './probes';

interface HealthListenerOptions extends Pick<ThreadOptions, 'host' | 'port'> {
  readonly probes: Probes;
  /** The digest of the expected Authorization header; undefined = no metrics. */
  readonly metricsDigest: Buffer | undefined;
  readonly log: Log;
}

export interface HealthListener {
  /** Without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

const COMPILED = join(__dirname, 'health-thread.js');
/** Tests run the thread as TypeScript, which not every Node 22 release can do without a loader. */
const THREAD = existsSync(COMPILED)
  ? { file: COMPILED, execArgv: [] }
  : { file: join(__dirname, 'health-thread.ts'), execArgv: ['--import', 'tsx'] };
/** The thread stores only three short answers. */
const MEMORY = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };

const RESTART_DELAY_MS = 1_000;

/** Rejects with a ListenFailed if the port or the address cannot be used. A thread that exits is restarted. */
export async function startHealthListener(options: HealthListenerOptions): Promise<HealthListener> {
  const { thread, address } = await startThread(options);
  const stopping = new AbortController();
  const running = keepRunning(thread, { ...options, port: address.port }, stopping.signal);
  return {
    url: urlOf(address),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function keepRunning(
  first: Worker,
  options: HealthListenerOptions,
  signal: AbortSignal,
): Promise<void> {
  let thread: Worker | undefined = first;
  for (;;) {
    // An error also makes the thread exit.
    if (thread !== undefined) await once(thread, 'exit', { signal }).catch(() => {});
    await pause(RESTART_DELAY_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    options.log.error({ port: options.port }, 'The health thread exited and is being restarted.');
    thread = await startThread(options).then(
      (started) => started.thread,
      (error: unknown) => {
        options.log.error({ err: error }, 'The health thread could not be started.');
        return undefined;
      },
    );
  }
  await thread?.terminate();
}

async function startThread({ host, port, probes, metricsDigest, log }: HealthListenerOptions) {
  const workerData: ThreadOptions = { host: withoutBrackets(host), port, metricsDigest };
  const thread = new Worker(THREAD.file, { workerData, execArgv: THREAD.execArgv, resourceLimits: MEMORY });
  const first: FirstMessage = (await once(thread, 'message'))[0];
  if ('error' in first) {
    await thread.terminate();
    throw explainListenError(first.error, { host, port, setting: 'HEALTH_PORT' });
  }
  thread.on('error', (error) => log.error({ err: error }, 'The health thread failed.'));
  thread.on('message', (ask: Question) => {
    const reply = (answer: MainMessage['answer']) =>
      thread.postMessage({ ask, answer } satisfies MainMessage);
    probes[ask]().then(reply, (error: unknown) => {
      log.error({ err: error }, 'A health check failed.');
      reply(undefined);
    });
  });
  return { thread, address: first.address };
}
