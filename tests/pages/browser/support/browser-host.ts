// Starts hosts for browser tests. Those of a worker use the same port, one after the other. To the browser, they are one website,
// whose scripts and styles are in its cache and whose pages are shown by a process that is already warm.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { startTestHost, type TestHost, type TestHostOptions } from '../../../support/test-host';

let port = 0;

export async function startBrowserHost(options: TestHostOptions): Promise<TestHost> {
  const host = await startTestHost({ ...options, port: (await isFree(port)) ? port : 0 });
  port = Number(new URL(host.url).port);
  return host;
}

/** Another program may use the port between two hosts. */
async function isFree(wanted: number): Promise<boolean> {
  const server = createServer().listen(wanted, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    server.close();
  }
}
