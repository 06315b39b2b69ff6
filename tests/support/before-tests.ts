// Runs once in Jest's main process: bundles the browser modules, renders the documentation, and starts and announces the database
// server.
import { bundleBrowserModules } from '../../docs/bundle-browser-modules';
import { renderDocs } from '../../docs/render-docs';
import { TEST_SERVER_VARIABLE } from './borrow-server';
import { IS_SECOND_SERVER } from './second-server';
import { type RunningTestServer, startTestServer } from './test-server';

declare global {
  var qalTestServer: RunningTestServer | undefined;
}

// biome-ignore lint/style/noDefaultExport: jest looks for it.
export default async function beforeTests(): Promise<void> {
  // A settings file in /etc would belong to another installation.
  process.env.QAL_ENV_FILE = 'off';
  if (!IS_SECOND_SERVER) {
    await bundleBrowserModules();
    await renderDocs();
  }
  const ownUrl = process.env.TEST_DATABASE_URL || undefined;
  globalThis.qalTestServer = await startTestServer(ownUrl, 'qal-test-');
  process.env[TEST_SERVER_VARIABLE] = JSON.stringify(globalThis.qalTestServer.server);
}
