// The thread that answers /healthz, /readyz and /metrics while the main thread is busy.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { withinTime } from '../server/within-time';
import type { ProbeAnswer, Probes } from './probes';

export interface ThreadOptions {
  readonly host: string;
  readonly port: number;
  readonly metricsDigest: Uint8Array | undefined;
}

/** The thread's first message: where it listens, or why it cannot. Its other messages are questions. */
export type FirstMessage =
  | { readonly address: AddressInfo }
  | { readonly error: Pick<NodeJS.ErrnoException, 'code' | 'message'> };

export type Question = keyof Probes;

export interface MainMessage {
  readonly ask: Question;
  readonly answer: ProbeAnswer | undefined;
}

/** After this time without an answer from the main thread, the process is considered hung. */
const HUNG_MS = 30_000;
const ANSWER_TIMEOUT_MS = 5_000;
/** How long to wait for an answer about readiness before repeating the last one. */
const READY_TIMEOUT_MS = 50;
/** How long a client may take to send a request. */
const REQUEST_TIMEOUT_MS = 10_000;
const REQUEST_CHECK_MS = 1_000;
const MAX_CONNECTIONS = 256;

const text = (status: number, line: string): ProbeAnswer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  text: `${line}\n`,
});
const HUNG = text(503, 'The server does not respond.');
const OK = text(200, 'ok');

interface PendingQuestion {
  readonly since: number;
  readonly answer: Promise<ProbeAnswer | undefined>;
  resolve(answer: ProbeAnswer | undefined): void;
}

function askMainThread(post: (question: Question) => void) {
  const waiting = new Map<Question, PendingQuestion>();
  let lastReady: { readonly at: number; readonly answer: ProbeAnswer } | undefined;

  /** Asks only once, no matter how many clients are waiting. */
  function ask(question: Question): PendingQuestion {
    const known = waiting.get(question);
    if (known !== undefined) return known;
    const { promise: answer, resolve } = Promise.withResolvers<ProbeAnswer | undefined>();
    const requested: PendingQuestion = { since: performance.now(), answer, resolve };
    waiting.set(question, requested);
    post(question);
    return requested;
  }

  const isHung = (): boolean => performance.now() - ask('alive').since > HUNG_MS;

  const answerWithin = (question: Question, timeoutMs: number): Promise<ProbeAnswer | undefined> =>
    withinTime(() => ask(question).answer, timeoutMs).catch(() => undefined);

  return {
    receive({ ask: question, answer }: MainMessage): void {
      if (question === 'ready' && answer !== undefined) lastReady = { at: performance.now(), answer };
      waiting.get(question)?.resolve(answer);
      waiting.delete(question);
    },
    alive: (): ProbeAnswer => (isHung() ? HUNG : OK),
    async ready(): Promise<ProbeAnswer> {
      const last = lastReady;
      if (last === undefined || performance.now() - last.at > HUNG_MS)
        return (await answerWithin('ready', ANSWER_TIMEOUT_MS)) ?? HUNG;
      return (await answerWithin('ready', READY_TIMEOUT_MS)) ?? last.answer;
    },
    current: async (question: 'details' | 'metrics'): Promise<ProbeAnswer> =>
      (await answerWithin(question, ANSWER_TIMEOUT_MS)) ?? HUNG,
  };
}

function serve({ host, port, metricsDigest }: ThreadOptions, main: NonNullable<typeof parentPort>): void {
  const { receive, alive, ready, current } = askMainThread((question) => main.postMessage(question));
  main.on('message', receive);

  const hasToken = ({ headers: { authorization = '' } }: IncomingMessage) =>
    metricsDigest !== undefined &&
    timingSafeEqual(createHash('sha256').update(authorization).digest(), metricsDigest);

  async function answerOf(request: IncomingMessage): Promise<ProbeAnswer> {
    const [path, search = ''] = (request.url ?? '').split('?');
    if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'Send GET.');
    if (path === '/healthz') return search.split('&').includes('details=1') ? current('details') : alive();
    if (path === '/readyz') return ready();
    if (path !== '/metrics' || metricsDigest === undefined) return text(404, 'Not found.');
    return hasToken(request) ? current('metrics') : text(401, 'Send the token from METRICS_TOKEN.');
  }

  async function send(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, contentType, text: body } = await answerOf(request);
    response.writeHead(status, {
      'Content-Type': contentType,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer realm="metrics"' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: REQUEST_CHECK_MS,
    },
    (request, response) => void send(request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  const begin = (message: FirstMessage) => main.postMessage(message);
  const refuse = ({ code, message }: NodeJS.ErrnoException) =>
    begin({ error: { message, ...(code !== undefined && { code }) } });
  server.once('error', refuse);
  server.listen({ host, port }, () => {
    // A later error ends the thread, and the main thread logs it.
    server.off('error', refuse);
    const address = server.address();
    if (address !== null && typeof address === 'object') begin({ address });
  });
}

if (!isMainThread && parentPort !== null) serve(workerData, parentPort);
