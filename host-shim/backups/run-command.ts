import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BackupError } from '../../db/backup/backup-format';

const MOST_OUTPUT = 500;

/** Runs QAL_BACKUP_COMMAND in a shell, in which `$1` is the file. Throws a BackupError if its exit code is not 0. */
export async function runBackupCommand(command: string, file: string, signal: AbortSignal): Promise<void> {
  const child = spawn('/bin/sh', ['-c', command, 'sh', file], { signal, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-MOST_OUTPUT);
    });
  const [code, killer] = await once(child, 'close');
  if (code === 0) return;
  const end = killer === null ? `ended with exit code ${code}` : `was ended by ${killer}`;
  throw new BackupError(
    `QAL_BACKUP_COMMAND ${end}${output.trim() === '' ? '.' : `: ${output.trim()}`} The backup ${file} is complete, but may not have been copied.`,
  );
}
