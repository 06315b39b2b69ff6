import type { AdminPage, Log } from '../../extension-api';
import type { Extensions } from '../../extensions/extensions';
import { checkHealth, isFine } from '../../health/check-health';

export const healthPage = (log: Log, extensions: Pick<Extensions, 'current'>): AdminPage => ({
  slug: 'health',
  title: 'Health',
  howTo: 'watch-it',
  group: 'Installation',
  position: 45,
  capability: 'manage_options',
  async handle() {
    const lines = await checkHealth(extensions.current().healthChecks, log);
    return {
      kind: 'page',
      view: 'host-shim/admin/views/health',
      data: { problems: lines.filter((line) => !isFine(line)), fine: lines.filter(isFine) },
    };
  },
});
