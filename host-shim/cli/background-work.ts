import { hostname } from 'node:os';
import { createAlarms } from '../alarms/alarms';
import { hasAlarms, sendAlarm } from '../alarms/send-alarm';
import { backUpIfDue } from '../backups/backup-schedule';
import { checkHealth } from '../health/check-health';
import { everyMinute } from '../jobs/every-minute';
import { type Installation, type InstallationOptions, type Product, schemasOf } from '../server/installation';

interface BackgroundOptions extends Pick<InstallationOptions, 'clock' | 'config' | 'installed' | 'log'> {
  readonly product: Pick<Product, 'name'>;
}

/** Runs backups, alarms and the extensions' `minute` actions. Resolves once the signal is aborted and current work has ended. */
export async function runBackgroundWork(
  { database: { write }, extensions }: Installation,
  { clock, config, installed, log, product }: BackgroundOptions,
  signal: AbortSignal,
): Promise<void> {
  const server = hostname();
  const checkAlarms = createAlarms({
    clock,
    log,
    server,
    write,
    look: () => checkHealth(extensions.current().healthChecks, log),
    send: (message) => sendAlarm(message, { config, log, product: product.name, server, now: clock() }),
  });
  const schemas = schemasOf(installed);
  await Promise.all([
    everyMinute(() => backUpIfDue({ clock, config, log, signal, write, schemas }), { log, signal }),
    hasAlarms(config) && everyMinute(checkAlarms, { log, signal }),
    everyMinute(() => extensions.hooks.doAction('minute', { signal }), { log, signal }),
  ]);
}
