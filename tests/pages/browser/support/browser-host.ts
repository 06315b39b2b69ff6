// Starts hosts for browser tests. The hosts of a worker use the same port in turn, so that the browser treats them as one website:
// it takes scripts and styles from its cache, and shows the pages in a process that is already warm.
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
