// Health checks in a separate thread: its responses while the main thread is busy, does not respond, or fails.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { type HealthListener, startHealthListener } from '../../host-shim/health/health-listener';
import { createProbes, type Probes } from '../../host-shim/health/probes';
import { digestOfToken } from '../../host-shim/telemetry/host-metrics';
import { createMemoryLog } from '../support/memory-log';
import { until } from '../support/until';

const TOKEN = 'a-token-for-this-test';

const fineProbes = (): Probes =>
  createProbes({
    lookAtAll: async () => [{ title: 'Disk', state: 'fine', brief: '50% free' }],
    lookAtVital: async () => [],
    metrics: {
      token: TOKEN,
      scrape: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'a 1\n' }),
    },
  });

const listeners: HealthListener[] = [];
afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.stop())));

async function listen(probes: Partial<Probes> = {}, port = 0) {
  const { log, logged } = createMemoryLog();
  const listener = await startHealthListener({
    host: '127.0.0.1',
    port,
    log,
    metricsDigest: digestOfToken(TOKEN),
    probes: { ...fineProbes(), ...probes },
  });
  listeners.push(listener);
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(listener.url + path, init);
    return [response.status, await response.text()];
  };
  return { ...listener, get, logged };
}

test('returns the same responses as the main port', async () => {
  const { get } = await listen();
  expect(await get('/healthz')).toEqual([200, 'ok\n']);
  expect(await get('/healthz?details=1')).toEqual([200, 'ok\nDisk: fine, 50% free\n']);
  expect(await get('/readyz')).toEqual([200, 'ok\n']);
  const headers = { Authorization: `Bearer ${TOKEN}` };
  expect(await get('/metrics', { headers })).toEqual([200, 'a 1\n']);
  expect(await get('/metrics')).toEqual([401, expect.stringContaining('METRICS_TOKEN')]);
  expect(await get('/wp-json/')).toEqual([404, 'Not found.\n']);
  expect(await get('/readyz', { method: 'POST' })).toEqual([405, 'Send GET.\n']);
});

test('a server that is not ready reports why', async () => {
  const failing = {
    title: 'Database',
    state: 'failing',
    brief: 'gone',
    about: '',
    remedy: { text: '' },
  } as const;
  const { ready } = createProbes({
    lookAtAll: async () => [],
    lookAtVital: async () => [failing],
    metrics: undefined,
  });
  const { get } = await listen({ ready });
  expect(await get('/readyz')).toEqual([503, 'Database: failing, gone\n']);
});

// conformance: beyond.healthz-says-process
test('answers while the main thread is blocked', async () => {
  const { url } = await listen();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(
    `const { parentPort, workerData: { url, answered } } = require('node:worker_threads');
     parentPort.once('message', () => fetch(url).then(({ status }) => {
       Atomics.store(answered, 0, status);
       Atomics.notify(answered, 0);
     }));
     parentPort.postMessage('ready');`,
    { eval: true, workerData: { url: `${url}/healthz`, answered }, execArgv: [] },
  );
  await once(client, 'message');
  client.postMessage('go');
  Atomics.wait(answered, 0, 0, 20_000);
  expect(answered[0]).toBe(200);
  await client.terminate();
});

test('repeats the last response to /readyz while the main thread does not respond', async () => {
  let isSilent = false;
  const { ready } = fineProbes();
  const { get } = await listen({ ready: () => (isSilent ? new Promise(() => {}) : ready()) });
  await get('/readyz');
  isSilent = true;
  expect(await get('/readyz')).toEqual([200, 'ok\n']);
});

test('a check that fails is logged and treated as no response', async () => {
  const { get, logged } = await listen({ ready: () => Promise.reject(new Error('broken')) });
  expect(await get('/readyz')).toEqual([503, 'The server does not respond.\n']);
  expect(logged).toMatchObject([{ msg: 'A health check failed.', err: { message: 'broken' } }]);
});

test('the error for a port in use names the port and its setting', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  if (address === null || typeof address === 'string') throw new Error('It has no port.');
  await expect(listen({}, address.port)).rejects.toThrow(
    `127.0.0.1 port ${address.port} is in use: stop the other program, or choose another port with HEALTH_PORT.`,
  );
  other.close();
});

test('a thread that exits is restarted on the same port', async () => {
  const posted = jest.spyOn(Worker.prototype, 'postMessage');
  const { get, logged } = await listen();
  await get('/readyz');
  const [thread] = posted.mock.contexts as Worker[];
  posted.mockRestore();
  await thread?.terminate();
  await expect(get('/healthz')).rejects.toThrow();
  await until(async () => (await get('/healthz').catch(() => [0]))[0] === 200);
  expect(await get('/readyz')).toEqual([200, 'ok\n']);
  expect(logged).toMatchObject([{ msg: 'The health thread exited and is being restarted.' }]);
});
