// The page "Test my connection": sends a request with credentials from the browser and tells what became of it.
// What is typed goes straight to the test, in the header; the page itself never sees it.
import type { AdminPage } from '../../extension-api';
import { TEST_CONNECTION_PATH } from '../test-connection';

export const connectionPage = (): AdminPage => ({
  slug: 'connection',
  title: 'Test my connection',
  group: null,
  position: 0,
  capability: 'read',
  handle: async ({ user, home }) => ({
    kind: 'page',
    view: 'host-shim/admin/views/connection',
    data: { login: user.login, path: TEST_CONNECTION_PATH, address: home + TEST_CONNECTION_PATH },
    scripts: ['host/test-connection'],
  }),
});
