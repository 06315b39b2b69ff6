// Runs once before all tests, in jest's own process: starts the server and tells the workers where it is.
import { type RunningTestServer, startTestServer, TEST_SERVER_VARIABLE } from './test-server';

declare global {
  var qalTestServer: RunningTestServer | undefined;
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

// biome-ignore lint/style/noDefaultExport: jest looks for it.
export default async function globalSetup(): Promise<void> {
  const running = await startTestServer(process.env.TEST_DATABASE_URL || undefined);
  globalThis.qalTestServer = running;
  process.env[TEST_SERVER_VARIABLE] = JSON.stringify(running.server);
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      running.kill();
      process.exit(code);
    });
  }
}
