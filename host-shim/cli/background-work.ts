import { hostname } from 'node:os';
import { createAlarms } from '../alarms/alarms';
import { hasAlarms, sendAlarm } from '../alarms/send-alarm';
import { backUpIfDue } from '../backups/backup-schedule';
import { isUnavailable, type Log, waitOrStop } from '../extension-api';
import { checkHealth } from '../health/check-health';
import { type Installation, type InstallationOptions, type Product, schemasOf } from '../server/installation';

const MINUTE_MS = 60_000;

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

/** Calls `work` immediately and then every minute, until the signal is aborted. Resolves when the last call has ended. */
async function everyMinute(
  work: () => Promise<void>,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error: unknown) => {
      if (signal.aborted) return;
      log[isUnavailable(error) ? 'warn' : 'error'](
        { err: error },
        'Background work failed; it is retried every minute.',
      );
    });
    await waitOrStop(MINUTE_MS, signal);
  }
}
