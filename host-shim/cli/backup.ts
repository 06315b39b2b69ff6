import { BackupError } from '../../db/backup/backup-format';
import { type VerifiedBackup, verifyBackup } from '../../db/backup/read-backup';
import { restoreBackup } from '../../db/backup/restore-backup';
import { recordBackup, writeBackup } from '../../db/backup/write-backup';
import { digitsOf, JobFailed, programVersion } from '../extension-api';
import type { AddCommand, CommandContext } from './command';
import { openProgress } from './progress';

export const backupCommand: AddCommand = (program, context) => {
  const { clock, log, signal, terminal, withPlainDatabase } = context;
  program
    .command('backup <file>')
    .description('write everything to a new file, even while a server is running')
    .option('--verify', 'check a backup file instead of writing one')
    .action((file: string, { verify }: { verify?: true }) =>
      inWords(async () => {
        if (verify) {
          terminal.stdout.write(`${aboutBackup(file, await verifyBackup(file, signal))} It is complete.\n`);
          return;
        }
        const { bytes, tables, rows } = await withPlainDatabase(async ({ write }) => {
          const written = await withProgress(context, (onProgress) =>
            writeBackup({ write, file, program: programVersion(), clock, signal, onProgress }),
          );
          await recordBackup(write, { madeAt: clock(), bytes: written.bytes }).catch((error: unknown) =>
            log.warn({ err: error }, 'The backup is complete, but it could not be recorded in the database.'),
          );
          return written;
        });
        terminal.stderr.write(
          `Wrote ${file}: ${digitsOf(rows)} rows from ${tables} tables, ${megabytes(bytes)}. ` +
            'It contains secrets: keep it where only you can read it.\n',
        );
      }),
    );
};

export const restoreCommand: AddCommand = (program, context) => {
  const { signal, terminal, withPlainDatabase, schemas } = context;
  program
    .command('restore <file>')
    .description('fill an empty data directory, or the empty database at DATABASE_URL, from a backup')
    .action((file: string) =>
      inWords(async () => {
        const restored = await withPlainDatabase(({ write, readerRole }) =>
          withProgress(context, (onProgress) =>
            restoreBackup({ write, file, schemas, readerRole, signal, onProgress }),
          ),
        );
        terminal.stderr.write(`Restored. ${aboutBackup(file, restored)}\n`);
      }),
    );
};

async function withProgress<T>(
  { terminal, clock }: CommandContext,
  work: (onProgress: (table: string, bytes: number) => void) => Promise<T>,
): Promise<T> {
  const progress = openProgress(terminal, clock);
  const onProgress = (table: string, bytes: number) =>
    progress.show(bytes, `${table}, ${megabytes(bytes)} of text`);
  return work(onProgress).finally(() => progress.close());
}

async function inWords(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof BackupError ? new JobFailed(error.message, { cause: error }) : error;
  }
}

function aboutBackup(file: string, { header, tables }: VerifiedBackup): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const at = header.createdAt.slice(0, 16).replace('T', ' ');
  return `${file} was written on ${at} UTC by qal ${header.program} from PostgreSQL ${header.postgresql}: ${digitsOf(rows)} rows in ${tables.length} tables.`;
}
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
