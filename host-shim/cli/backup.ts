import { dirname } from 'node:path';
import { Option } from 'commander';
import { BackupError } from '../../db/backup/backup-format';
import { type VerifiedBackup, verifyBackup } from '../../db/backup/read-backup';
import { restoreBackup } from '../../db/backup/restore-backup';
import { recordBackup, writeBackup } from '../../db/backup/write-backup';
import type { Database } from '../../db/connect';
import { compareMigrations } from '../../db/migrate';
import { folderOf, listBackups } from '../backups/backup-folder';
import { megabytes } from '../backups/backup-health';
import { type BackupTools, backUpNow, rehearse } from '../backups/backup-schedule';
import { withPlainBackup } from '../backups/encrypted-backup';
import { carryLedgers } from '../backups/ledger';
import { countOf, formatCount, JobFailed, programVersion } from '../extension-api';
import type { AddCommand, CommandContext } from './command';
import { openProgress } from './progress';

const IDENTITY = 'file with the age private key for an encrypted backup';

interface BackupChoices {
  readonly verify?: true;
  readonly rehearse?: true;
  readonly identity?: string;
}

export const backupCommand: AddCommand = (program, context) => {
  const { config, signal, terminal, withDatabase, withPlainDatabase } = context;
  program
    .command('backup [file]')
    .description(
      'write the whole database to a new file, even while a server is running; without a file, write a daily backup into QAL_BACKUP_DIR',
    )
    .option('--verify', 'check a backup file instead of writing one')
    .addOption(
      new Option(
        '--rehearse',
        'restore a backup file, by default the newest, into a temporary database and compare its answers',
      ).conflicts('verify'),
    )
    .option('--identity <key>', IDENTITY)
    .action((file: string | undefined, { verify, rehearse, identity }: BackupChoices) =>
      withJobErrors(async () => {
        if (verify) {
          const checked = file ?? (await newestBackup());
          const verified = await withPlainBackup({ ...config, file: checked, identity, signal }, (plain) =>
            verifyBackup(plain, signal),
          );
          terminal.stdout.write(`${aboutBackup(checked, verified)} It is complete.\n`);
        } else if (rehearse) {
          const rehearsed = file ?? (await newestBackup());
          await withPlainBackup({ ...config, file: rehearsed, identity, signal }, (plain) =>
            withDatabase((database) => rehearseFile(context, database, plain)),
          );
        } else {
          const written = await (file === undefined
            ? withDatabase((database) => writeIntoFolder(context, database))
            : withPlainDatabase((database) => writeFile(context, database, file)));
          terminal.stderr.write(
            `Wrote ${written.file}: ${formatCount(written.rows)} rows from ${written.tables} tables, ${megabytes(written.bytes)}. ` +
              'It contains secrets: keep it where only you can read it.\n',
          );
        }
      }),
    );

  async function newestBackup(): Promise<string> {
    const folder = await folderOf(config);
    const [newest] = await listBackups(folder);
    if (newest === undefined) throw new BackupError(`${folder} has no backup yet.`);
    return newest.path;
  }
};

export const restoreCommand: AddCommand = (program, context) => {
  const { config, signal, terminal, withPlainDatabase, schemas } = context;
  program
    .command('restore <file>')
    .description('fill an empty data directory, or the empty database at DATABASE_URL, from a backup')
    .option('--identity <key>', IDENTITY)
    .action((file: string, { identity }: BackupChoices) =>
      withJobErrors(async () => {
        const ledgers = schemas.flatMap((schema) => schema.ledgers ?? []);
        const onEmpty = () => carryLedgers(ledgers, dirname(file), config);
        const restored = await withPlainBackup({ ...config, file, identity, signal }, (plain) =>
          withPlainDatabase(({ write, readerRole }) =>
            withProgress(context, (onProgress) =>
              restoreBackup({ write, file: plain, schemas, readerRole, signal, onEmpty, onProgress }),
            ),
          ),
        );
        terminal.stderr.write(`Restored. ${aboutBackup(file, restored)}\n`);
      }),
    );
};

async function writeFile(context: CommandContext, { write }: Database, file: string) {
  const { clock, log, schemas, signal } = context;
  const { missing, unknown } = await compareMigrations(write, schemas);
  const isLatest = missing.length + unknown.length === 0;
  const questions = isLatest ? schemas.flatMap((schema) => schema.questions ?? []) : [];
  const program = programVersion();
  const written = await withProgress(context, (onProgress) =>
    writeBackup({ write, file, program, questions, clock, signal, onProgress }),
  );
  await recordBackup(write, { madeAt: clock(), bytes: written.bytes }).catch((error: unknown) =>
    log.warn({ err: error }, 'The backup is complete, but it could not be recorded in the database.'),
  );
  return { file, ...written };
}

const toolsOf = (
  { clock, config, log, schemas, signal }: CommandContext,
  { write }: Database,
): BackupTools => ({
  clock,
  config,
  log,
  schemas,
  signal,
  write,
});

async function writeIntoFolder(context: CommandContext, database: Database) {
  const written = await withProgress(context, (onProgress) =>
    backUpNow({ ...toolsOf(context, database), onProgress }),
  );
  if (written === undefined) throw new BackupError('Another process is writing a backup.');
  return written;
}

async function rehearseFile(context: CommandContext, database: Database, file: string): Promise<void> {
  const rehearsed = await withProgress(context, (onProgress) =>
    rehearse({ ...toolsOf(context, database), onProgress }, file),
  );
  if (rehearsed === undefined) throw new BackupError('Another process is rehearsing a backup.');
  const { rows, answers } = rehearsed;
  const compared =
    answers === 0
      ? 'It contains no answers to compare.'
      : `Answers that are the same as in the backup: ${formatCount(answers)}.`;
  context.terminal.stderr.write(`Restored ${file} as a test: ${countOf(rows, 'row')}. ${compared}\n`);
}

async function withProgress<T>(
  { terminal, clock }: CommandContext,
  work: (onProgress: (table: string, bytes: number) => void) => Promise<T>,
): Promise<T> {
  const progress = openProgress(terminal, clock);
  const onProgress = (table: string, bytes: number) =>
    progress.show(bytes, `${table}, ${megabytes(bytes)} of text`);
  return work(onProgress).finally(() => progress.close());
}

async function withJobErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof BackupError ? new JobFailed(error.message, { cause: error }) : error;
  }
}

function aboutBackup(file: string, { header, tables }: VerifiedBackup): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const at = header.createdAt.slice(0, 16).replace('T', ' ');
  return `${file} was written on ${at} UTC by qal ${header.program} from PostgreSQL ${header.postgresql}: ${formatCount(rows)} rows in ${tables.length} tables.`;
}
