import type { Knex } from 'knex';
import type { Clock, Log } from '../extension-api';
import type { Config } from '../server/config';
import { writeSafetyBackup } from './safety-backup';

interface UpgradeOptions {
  readonly write: Knex;
  readonly config: Pick<Config, 'dataDir' | 'backupDir' | 'backupRecipients' | 'backupBeforeUpgrade'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Throws if the backup fails (for example, for lack of space), so that nothing is migrated. */
export async function backUpBeforeUpgrade({ config, log, ...options }: UpgradeOptions): Promise<void> {
  if (!config.backupBeforeUpgrade) return;
  try {
    const file = await writeSafetyBackup({ ...options, config, prefix: 'before-upgrade-', kept: 2 });
    log.warn({ file }, 'Wrote a backup before the migration.');
  } catch (error) {
    throw new Error(
      `The database was not migrated, because the backup before the migration failed: ${error instanceof Error ? error.message : error} ` +
        'Set QAL_BACKUP_DIR to a folder with enough room, or QAL_BACKUP_BEFORE_UPGRADE=off if you have a backup.',
      { cause: error },
    );
  }
}
